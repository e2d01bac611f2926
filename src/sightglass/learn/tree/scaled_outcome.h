// Outcomes and weights as sums of squares want them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sightglass/learn/tree/grow.h"

namespace sightglass {

// Numbers centred, numbers and weights scaled by powers of two, so that squares
// neither overflow nor vanish.
struct ScaledOutcome {
  std::vector<double> values, weights;
  double center = 0, scale = 1, weight_scale = 1;

  explicit ScaledOutcome(const TreeOutcome& outcome)
      : values(outcome.values.begin(), outcome.values.end()), weights(outcome.weights.begin(), outcome.weights.end()) {
    if (weights.empty()) weights.assign(values.size(), 1.0);
    weight_scale = power_of_two(*std::max_element(weights.begin(), weights.end()));
    for (double& weight : weights) weight /= weight_scale;
    if (outcome.classes > 0) return;
    double sum = 0, weight = 0, most = 0;
    for (std::size_t row = 0; row < values.size(); ++row)
      most = std::max(most, weights[row] > 0 ? std::abs(values[row]) : 0);
    scale = power_of_two(most);
    for (std::size_t row = 0; row < values.size(); ++row) {
      sum += weights[row] * (values[row] / scale);
      weight += weights[row];
    }
    center = sum / weight * scale;
    double farthest = 0;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (weights[row] > 0) farthest = std::max(farthest, std::abs(values[row] / 2 - center / 2));
    }
    scale = power_of_two(farthest);
    for (double& value : values) value = (value / 2 - center / 2) / scale * 2;
  }

 private:
  static double power_of_two(double number) {
    return number > 0 && std::isfinite(number) ? std::ldexp(1.0, std::max(-1000, std::ilogb(number))) : 1.0;
  }
};

}  // namespace sightglass
