// What would the model predict for this row if one of its values were another, and where does the class change?
//   WI_j(v) = f(v, x_−j): one curve per feature, all other values as they are. swing_j = max_v WI_j(v) − min_v WI_j(v)
//   orders the features.
// Ceteris-paribus profiles: Biecek & Burzykowski (2021), Explanatory model analysis, ch. 10; ICE curves of one row:
// Goldstein et al. (2015). Classes: every change along a curve is found to 1/256 of a step of the grid, for tree models
// exactly, at their own thresholds. Cost per row: features × grid predictions, and 30 per change; nothing is averaged.
// One value at a time: what only two together can change is not seen, and values that go together are torn apart.
#pragma once

#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

struct WhatIfOptions {
  std::vector<std::int64_t> rows;
  std::vector<std::string> features;
  std::int64_t grid = 64;
  std::string grid_rule = "quantiles";
  std::vector<double> values;
  std::int64_t explain = 1;

  static void fields(auto&& field) {
    field("rows", &WhatIfOptions::rows, {.help = "only these rows, counted from 0", .type = OptionType::rows});
    grid_fields<WhatIfOptions>(field);
    field("explain", &WhatIfOptions::explain,
          {.help = "rows to explain where none are named, drawn at random; 0 = all", .type = OptionType::row_count});
  }
};

[[nodiscard]] MethodEntry what_if();

}  // namespace sightglass
