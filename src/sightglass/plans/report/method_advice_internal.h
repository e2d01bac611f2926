// Advice of a method, where somebody reads it who ran something else.
#pragma once

#include <string>

#include "sightglass/methods/registry.h"

namespace sightglass {

// Says whose option it is if the advice is about one that a report does not have, or has with another meaning:
// "with ice by itself: set curves to 0 to keep every curve".
[[nodiscard]] Text advice_within_report(const Text& advice, const MethodEntry& method);

}  // namespace sightglass
