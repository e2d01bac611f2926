// The words that results use, explained: those of several methods, and those that a method brings (MethodInfo::terms).
#pragma once

#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

// Only terms that these results use, in alphabetical order.
[[nodiscard]] std::vector<GlossaryTerm> glossary(const std::vector<Result>& results);

}  // namespace sightglass
