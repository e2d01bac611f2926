// Advice of a method, where somebody reads it who ran something else: a plan, a report.
#pragma once

#include <vector>

#include "sightglass/methods/registry.h"

namespace sightglass {

// Says whose option it is if the advice is about one that is not at hand, or has another meaning there:
// "with ice by itself: set curves to 0 to keep every curve".
[[nodiscard]] Text advice_within(const std::vector<OptionSpec>& at_hand, const Text& advice, const MethodEntry& method);

}  // namespace sightglass
