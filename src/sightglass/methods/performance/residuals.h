// How far are predictions from the truth, and does that depend on anything?
//   r_i = y_i − f(x_i), above 0 where the model predicts too little: against the prediction, the truth, or a feature,
//   as dots of some rows and as means of bins of all rows with 95 % intervals; sorted against a normal distribution
// Anscombe and Tukey 1963. Cost: each row is predicted once. Against the truth residuals rise by themselves, also for
// the best model there can be: predictions are drawn towards the mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct ResidualsOptions {
  std::vector<std::string> features;
  std::vector<std::string> against = {"prediction", "truth", "normal"};
  std::int64_t bins = 20;
  std::int64_t points = 500;

  static void fields(auto&& field) {
    field("features", &ResidualsOptions::features,
          {.help = "features to show residuals against; default: none", .type = OptionType::features});
    field(
        "against", &ResidualsOptions::against,
        {.help = "what else residuals are shown against: prediction, truth, normal (their own quantiles against those "
                 "of a normal distribution)",
         .choices = {"prediction", "truth", "normal"},
         .type = OptionType::several});
    field("bins", &ResidualsOptions::bins,
          {.help = "bins of as many rows each, whose means are drawn",
           .type = OptionType::count,
           .range = between(1, 1000)});
    field("points", &ResidualsOptions::points,
          {.help = "rows that are drawn as dots, chosen at random; 0 = none, only means",
           .type = OptionType::count,
           .range = between(0, 100000)});
  }
};

[[nodiscard]] MethodEntry residuals();

}  // namespace sightglass
