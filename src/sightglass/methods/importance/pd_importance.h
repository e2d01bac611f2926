// How much does the average prediction move along a feature?
//   the sd of the partial dependence over the grid; of a categorical feature, its range / 4
// Greenwell, Boehmke & McCarthy (2018), A simple and effective model-based variable importance measure. Needs no
// truth. Cost: grid × rows predictions per feature. Blind to interactions that cancel in the mean: compare with
// permutation importance.
#pragma once

#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

struct PdImportanceOptions {
  std::vector<std::string> features;
  std::int64_t grid = 64;
  std::string grid_rule = "quantiles";
  std::vector<double> values;

  static void fields(auto&& field) { grid_fields<PdImportanceOptions>(field); }
};

[[nodiscard]] MethodEntry pd_importance();

}  // namespace sightglass
