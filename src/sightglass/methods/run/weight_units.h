// Row weights as whole numbers of units, so that weighted counts are integers and add up exactly. Whole
// weights stay exact; others are rounded to about 2^-61 of the largest total there could be.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

class WeightUnits {
 public:
  explicit WeightUnits(const MethodInput& input) : weighted_(input.weighted) {
    if (!weighted_) return;
    const double most = input.max_weight * static_cast<double>(std::max<std::uint64_t>(1, input.rows));
    shift_ = 61 - std::ilogb(most);
  }
  [[nodiscard]] bool weighted() const { return weighted_; }
  [[nodiscard]] std::uint64_t of(const RowBlock& block, std::size_t row) const {
    return weighted_ ? of(block.weight(row)) : 1;
  }
  [[nodiscard]] std::uint64_t of(double weight) const {
    return weighted_ ? static_cast<std::uint64_t>(std::llround(std::ldexp(weight, shift_))) : 1;
  }
  [[nodiscard]] double weight(std::uint64_t units) const {
    return weighted_ ? std::ldexp(static_cast<double>(units), -shift_) : static_cast<double>(units);
  }
  [[nodiscard]] std::vector<double> weights(const std::vector<std::uint64_t>& units) const {
    std::vector<double> weights;
    for (const std::uint64_t each : units) weights.push_back(weight(each));
    return weights;
  }

 private:
  bool weighted_;
  int shift_ = 0;
};

}  // namespace sightglass
