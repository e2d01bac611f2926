// How does the prediction change along a feature, among rows that could have such values?
//   ALE(z_k) = Σ_{l≤k} mean over rows i of bin l of [f(z_l, x_C^(i)) − f(z_{l−1}, x_C^(i))], minus its mean over rows
// Apley & Zhu (2020), Visualizing the effects of predictor variables in black box supervised learning models.
// Cost: 2 predictions per row for a numeric feature, 2 for a categorical one (and 1 for all of them together), 4 to 9
// per pair. Rows move only within their bin, or to a neighbouring level, so correlated features do not mislead it;
// across bins the curve is put together from different rows.
#pragma once

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct AleOptions {
  std::vector<std::string> features;
  std::int64_t bins = 40;
  std::string bins_rule = "quantiles";
  std::string centering = "midpoint";
  std::vector<std::string> pairs;
  std::int64_t pair_bins = 20;

  static void fields(auto&& field) {
    field("features", &AleOptions::features,
          {.help = "features to explain; default: all that the model uses", .type = OptionType::features});
    field("bins", &AleOptions::bins,
          {.help = "bins of a numeric feature, at the most",
           .type = OptionType::count,
           .range = between(1, 10000, "bins")});
    field("bins_rule", &AleOptions::bins_rule,
          {"bins with about as many rows each, or as wide as the local slopes stay alike (adaptive)",
           {"quantiles", "adaptive"}});
    field("centering", &AleOptions::centering,
          {"what has mean 0 over the rows: the curve in the middle of each row's bin, or at its right edge",
           {"midpoint", "right"}});
    field("pairs", &AleOptions::pairs,
          {.help = "pairs of features, each as first:second: what they do beyond their own effects",
           .type = OptionType::pairs});
    field("pair_bins", &AleOptions::pair_bins,
          {.help = "bins per numeric feature of a pair, at the most",
           .type = OptionType::count,
           .range = between(1, 10000, "bins")});
  }
};

[[nodiscard]] MethodEntry ale();

}  // namespace sightglass
