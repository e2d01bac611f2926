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
    field("features", &CompareOptions::features,
          {.help = "features to explain; default: all that the model uses", .type = OptionType::features});
    field("bins", &CompareOptions::bins,
          {.help = "bins of numeric features for ALE and the M-plot, at the most", .type = OptionType::count});
    field("grid", &CompareOptions::grid,
          {.help = "grid points of numeric features for partial dependence, at the most", .type = OptionType::count});
  }
};

[[nodiscard]] MethodEntry compare();

}  // namespace sightglass
