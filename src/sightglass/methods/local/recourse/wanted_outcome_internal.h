// What the model is wanted to say of a row: a class, or a number within bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sightglass/methods/rows/predicted_class.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/model/trees/bounds/cheapest_change_internal.h"

namespace sightglass {

struct WantedOutcome {
  std::size_t output = 0;                   // whose prediction is shown
  std::optional<std::size_t> chosen_class;  // this one is to be predicted,
  std::optional<double> at_least, at_most;  // or the prediction is to lie here

  [[nodiscard]] bool holds(const PredictedClass& classes, std::span<const double> predictions) const;
  // How far predictions are from it: 0 or more where it holds, but for ties.
  [[nodiscard]] double nearness(const PredictedClass& classes, std::span<const double> predictions) const;
};

// The same in sums of leaves of a tree ensemble, on the scale of the run; nothing where that cannot be said.
[[nodiscard]] std::optional<LeafGoal> leaf_goal(const MethodInput& input, const PredictedClass& classes,
                                                const WantedOutcome& wanted);

}  // namespace sightglass
