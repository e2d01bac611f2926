// Squares and products of partial dependence functions at the rows: what interaction and decomposition measures
// are made of. Predictions are first divided by a power of two near their size, so that no square overflows or
// vanishes; sums are exact, so that the order of rows does not matter.
#pragma once

#include <optional>
#include <vector>

#include "sightglass/methods/interactions/dependence/pd_at_rows.h"
#include "sightglass/numeric/exact_sum.h"

namespace sightglass {

// A mean square of scaled numbers below this is rounding: the square of a few last bits of numbers near 1.
inline constexpr double pd_least_square = 1e-28;

// Per output, from the predictions of all rows (the complement of the empty subset): they are 2^exponent at the most
// about twice.
[[nodiscard]] std::vector<int> pd_exponents(const PdFunction& prediction, std::size_t outputs);

// [row or point × outputs + output], divided by 2^exponent.
[[nodiscard]] std::vector<double> pd_scaled(std::vector<double> values, const std::vector<int>& exponents);
// Minus the weighted mean of each output; total: the sum of the weights.
void pd_centre(std::vector<double>& values, std::size_t outputs, const std::vector<double>& weights, double total);

// Σ w term(i)².
template <class Term>
[[nodiscard]] double pd_square_sum(const std::vector<double>& weights, const Term& term) {
  ExactSum total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double value = term(i);
    total.add_product(weights[i], value * value);
  }
  return total.value();
}

// Two sums over the rows of each sample, of which the ratio matters.
struct PdRatio {
  std::vector<double> numerator, denominator;  // per sample

  // Over all samples but one (none: a number past the end).
  struct Means {
    double numerator = 0, denominator = 0;
  };
  [[nodiscard]] Means means(const PdRows& rows, std::size_t without) const;
};

// The standard error of a number that is computed from all samples, by the jackknife: `estimate(s)` leaves sample s
// out. Nothing for one sample, or where it is not finite.
template <class Estimate>
[[nodiscard]] std::optional<double> pd_standard_error(std::size_t samples, const Estimate& estimate) {
  if (samples < 2) return std::nullopt;
  std::vector<double> without(samples);
  double mean = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    without[sample] = estimate(sample);
    mean += without[sample] / static_cast<double>(samples);
  }
  double squares = 0;
  for (const double each : without) squares += (each - mean) * (each - mean);
  const double se = std::sqrt(squares * static_cast<double>(samples - 1) / static_cast<double>(samples));
  return std::isfinite(se) ? std::optional(se) : std::nullopt;
}

// "The model predicts the same for all rows", for the outputs of which it is true.
void add_constant_caveat(const std::vector<std::string>& outputs, std::vector<Caveat>& caveats);

}  // namespace sightglass
