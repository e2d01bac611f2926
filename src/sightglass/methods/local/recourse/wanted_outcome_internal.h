// What the model is wanted to say of a row: a class, or a number within bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sightglass/methods/run/method.h"
#include "sightglass/model/trees/bounds/cheapest_change_internal.h"

namespace sightglass {

// The classes that a model chooses between; none: it predicts numbers. A model with one output for two classes says the
// second if that is above one half.
struct ModelClasses {
  std::vector<std::string> names;
  bool one_output = false;
  double threshold = 0.5;  // of one output, on the scale of the run

  explicit ModelClasses(const MethodInput& input);
  [[nodiscard]] std::size_t predicted(std::span<const double> predictions) const;
  // Of a class: the output that speaks of it.
  [[nodiscard]] std::size_t output_of(std::size_t chosen) const { return one_output ? 0 : chosen; }
};

struct WantedOutcome {
  std::size_t output = 0;                   // whose prediction is shown
  std::optional<std::size_t> chosen_class;  // this one is to be predicted,
  std::optional<double> at_least, at_most;  // or the prediction is to lie here

  [[nodiscard]] bool holds(const ModelClasses& classes, std::span<const double> predictions) const;
  // How far predictions are from it: 0 or more where it holds, but for ties.
  [[nodiscard]] double nearness(const ModelClasses& classes, std::span<const double> predictions) const;
};

// The same in sums of leaves of a tree ensemble, on the scale of the run; nothing where that cannot be said.
[[nodiscard]] std::optional<LeafGoal> leaf_goal(const MethodInput& input, const ModelClasses& classes,
                                                const WantedOutcome& wanted);

}  // namespace sightglass
