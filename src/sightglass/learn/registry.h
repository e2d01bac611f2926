// The learners by name. How they are fitted: fit.h.
#pragma once

#include <string_view>
#include <vector>

#include "sightglass/learn/learner.h"

namespace sightglass {

[[nodiscard]] const std::vector<LearnerEntry>& learners();
// By name or alias; throws Error(usage) with the nearest name.
[[nodiscard]] const LearnerEntry& find_learner(std::string_view name);
// The catalogue's entry of a learner.
[[nodiscard]] Value describe(const LearnerEntry& entry);

}  // namespace sightglass
