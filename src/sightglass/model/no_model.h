// What stands in the place of a model where there is none: for methods that look at the data alone.
#pragma once

#include "sightglass/model/model.h"

namespace sightglass {

// Binds to every column that is not excluded, has no outputs, and is never asked: predict() throws Error(internal).
// There is one of it, which lives as long as the program.
[[nodiscard]] const Model& no_model();
[[nodiscard]] bool is_no_model(const Model& model);

}  // namespace sightglass
