// How good are the model's predictions of these rows?
//   each loss of the predictions as they are, with a standard error where it is a mean over rows, beside that of the
//   best constant prediction
// Cost: each row is predicted once. Says nothing about other rows: on training data it flatters.
#pragma once

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct PerformanceOptions {
  std::vector<std::string> losses;

  static void fields(auto&& field) {
    field("losses", &PerformanceOptions::losses,
          {.help =
               "one or more of squared, absolute, rmse, r2, log-loss, brier, auc, accuracy, f1, poisson; default: r2, "
               "rmse and absolute for numbers, accuracy, auc, log-loss and brier for classes",
           .aliases = {"scoring"}});
  }
};

[[nodiscard]] MethodEntry performance();

}  // namespace sightglass
