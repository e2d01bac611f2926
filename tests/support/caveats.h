// What a result says to beware of.
#pragma once

#include <algorithm>
#include <string_view>

#include "sightglass/result/result.h"

namespace sightglass::testing {

inline bool has_caveat(const Result& result, std::string_view id) {
  return std::any_of(result.caveats.begin(), result.caveats.end(),
                     [&](const Caveat& caveat) { return caveat.id == id; });
}

}  // namespace sightglass::testing
