// What to beware of when several results are read together.
#pragma once

#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

struct ListedCaveat {
  const Caveat* caveat = nullptr;
  const Result* result = nullptr;  // that says it
};

// Worst first. Several results of one model beware of the same: it is said once, by the first of the worst.
[[nodiscard]] std::vector<ListedCaveat> caveats_once(const std::vector<Result>& results);

}  // namespace sightglass
