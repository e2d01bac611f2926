// How does the prediction change on average when one or two features are set to a value?
//   PD_S(v) = mean_i f(v, x_C^(i))
// Friedman (2001), Greedy function approximation. Cost: grid points × rows predictions per feature, grid² ×
// rows per pair. Misleads where the features in S are correlated with others: rows are evaluated at values
// they could not have.
#pragma once

#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

struct PartialDependenceOptions {
  std::vector<std::string> features;
  std::int64_t grid = 64;
  std::string grid_rule = "quantiles";
  std::vector<double> values;
  std::vector<std::string> pairs;
  std::int64_t pair_grid = 24;
  bool spread = true;

  static void fields(auto&& field) {
    grid_fields<PartialDependenceOptions>(field);
    field("pairs", &PartialDependenceOptions::pairs,
          {.help = "pairs of features, each as first:second", .type = OptionType::pairs});
    field("pair_grid", &PartialDependenceOptions::pair_grid,
          {.help = "grid points per numeric feature of a pair, at the most",
           .type = OptionType::count,
           .range = grid_points});
    field("spread", &PartialDependenceOptions::spread,
          {"also how rows spread around the mean: sd, standard errors, heterogeneity; without them the means of a tree "
           "ensemble cost a few predictions of each row, whatever the grid"});
  }
};

[[nodiscard]] MethodEntry partial_dependence();

}  // namespace sightglass
