// What predictions take of a budget of predictions. A tree ensemble that is explained by its structure predicts many
// rows at a time, and a row under many values of the same features in one walk: that costs a fraction.
#pragma once

#include <algorithm>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct Prices {
  double prediction = 1;  // of a row as it is
  double point = 1;       // of a row under one of many values of some features

  explicit Prices(const MethodInput& input) {
    if (input.trees == nullptr) return;
    prediction = 0.1;
    point = prediction / 16;
  }
  // Of a row under so many values.
  [[nodiscard]] double of(double points) const { return std::max(points * point, prediction); }
};

}  // namespace sightglass
