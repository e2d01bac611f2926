// How do the three averages of a feature differ? Partial dependence (rows moved anywhere), accumulated local
// effects (rows moved a little) and the M-plot (no row moved) in one chart: where features are correlated they
// come apart, and which way tells why.
#pragma once

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct CompareOptions {
  std::vector<std::string> features;
  std::int64_t bins = 40;
  std::int64_t grid = 64;

  static void fields(auto&& field) {
    field("features", &CompareOptions::features, {"features to explain; default: all that the model uses"});
    field("bins", &CompareOptions::bins, {"bins of numeric features for ALE and the M-plot, at the most"});
    field("grid", &CompareOptions::grid, {"grid points of numeric features for partial dependence, at the most"});
  }
};

[[nodiscard]] MethodEntry compare();

}  // namespace sightglass
