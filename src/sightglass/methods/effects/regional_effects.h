// In which parts of the data does a feature act alike, and how does it act in each?
//   ICE curves minus their own means, c_i(v) = ICE_i(v) − mean_k ICE_i(v_k), differ between rows where the feature
//   interacts with others. Splits of other features are chosen, best first, so that
//   Σ over regions, rows i, points k of [c_i(v_k) − mean curve of i's region (v_k)]² / Σ c_i(v_k)²
//   falls most; each region then has a partial dependence of its own.
// Herbinger, Bischl, Casalicchio (2022), REPID; Gkolemis et al. (2024), effector. Cost: at most (depth + 1) × grid
// points × rows predictions per feature, one of these for a feature that needs no split.
#pragma once

#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

struct RegionalEffectsOptions {
  std::vector<std::string> features;
  std::int64_t grid = 20;
  std::string grid_rule = "quantiles";
  std::vector<double> values;
  std::int64_t depth = 2;
  std::int64_t splits = 20;
  double min_gain = 0.1;
  std::int64_t min_rows = 0;
  std::vector<std::string> split_by;

  static void fields(auto&& field) {
    grid_fields<RegionalEffectsOptions>(field);
    field("depth", &RegionalEffectsOptions::depth,
          {.help = "splits one after the other: 1 (two regions) or 2 (up to four)",
           .type = OptionType::count,
           .range = between(1, 2)});
    field(
        "splits", &RegionalEffectsOptions::splits,
        {.help = "quantiles to try as thresholds of a numeric feature, levels to try of a categorical one, at the most",
         .type = OptionType::count,
         .range = between(1, 1000)});
    field("min_gain", &RegionalEffectsOptions::min_gain,
          {.help = "a split must lower the heterogeneity by at least this share of the total",
           .type = OptionType::share,
           .range = {.least = 0, .most = 1, .above = true, .unit = {}}});
    field("min_rows", &RegionalEffectsOptions::min_rows,
          {.help = "(weighted) rows in each region, at the least; 0 = 30 or 5 % of all, whichever is more",
           .type = OptionType::row_count});
    field("split_by", &RegionalEffectsOptions::split_by,
          {.help = "features whose splits are tried; default: all others that the model uses",
           .type = OptionType::features});
  }
};

[[nodiscard]] MethodEntry regional_effects();

}  // namespace sightglass
