// Shapes whose names and keys are settled before a method makes them, so that files and readers can rely on them: JSON
// Schemas by name. A shape that comes to be has its file in shapes/ and leaves this list.
#pragma once

#include "sightglass/base/value.h"

namespace sightglass {

// Those without a "type" are what the others are made of.
[[nodiscard]] Value planned_shapes();

}  // namespace sightglass
