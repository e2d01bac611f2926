// How does the prediction change along a feature, among rows that could have such values?
//   ALE(z_k) = Σ_{l≤k} mean over rows i of bin l of [f(z_l, x_C^(i)) − f(z_{l−1}, x_C^(i))], minus its mean over rows
// Apley & Zhu (2020), Visualizing the effects of predictor variables in black box supervised learning models.
// Cost: 2 predictions per row for a numeric feature, 2 for a categorical one (and 1 for all of them together), 4 to 9
// per pair. Rows move only within their bin, or to a neighbouring level, so correlated features do not mislead it;
// across bins the curve is put together from different rows.
#pragma once

#include "sightglass/methods/method.h"

namespace sightglass {

struct AleOptions {
  std::vector<std::string> features;
  std::int64_t bins = 40;
  std::string centering = "midpoint";

  static void fields(auto&& field) {
    field("features", &AleOptions::features, {"features to explain; default: all that the model uses"});
    field("bins", &AleOptions::bins, {"bins of a numeric feature, at the most"});
    field("centering", &AleOptions::centering,
          {"what has mean 0 over the rows: the curve in the middle of each row's bin, or at its right edge",
           {"midpoint", "right"}});
  }
};

[[nodiscard]] MethodEntry ale();

}  // namespace sightglass
