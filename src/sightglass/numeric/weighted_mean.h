// A weighted mean and how well it is known: the same bits in any order of the rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "sightglass/numeric/exact_sum.h"

namespace sightglass {

class WeightedMean {
 public:
  void add(double value, double weight) {
    moments_.add(value, weight);
    weight_.add(weight);
    squares_.add_product(weight, weight);
  }
  [[nodiscard]] double weight() const { return weight_.value(); }
  [[nodiscard]] bool any() const { return weight() > 0; }
  // As many rows of the same weight would tell as much: (Σ w)² / Σ w².
  [[nodiscard]] double effective_rows() const { return weight() * weight() / squares_.value(); }
  [[nodiscard]] double mean() const { return moments_.mean(weight()); }
  [[nodiscard]] double variance() const { return std::max(0.0, moments_.variance(weight_.pair())); }
  // Of the mean; nothing of a single row.
  [[nodiscard]] std::optional<double> se() const {
    const double rows = effective_rows();
    return rows > 1 ? std::optional(std::sqrt(variance() / (rows - 1))) : std::nullopt;
  }

 private:
  ExactMoments moments_;
  ExactSum weight_, squares_;
};

}  // namespace sightglass
