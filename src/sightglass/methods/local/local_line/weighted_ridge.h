// Which weighted line, of how many features, follows numbers best? What LIME fits to the model's answers around a row,
// a text or a picture:
//   min over b, β of Σ_i w_i (y_i − b − Σ_j x_ij β_j)² + α Σ_j β_j²
// Everything is read off weighted sums of products, which are made once for all outputs, choices of features and fits.
// Cost: n p² / 2 products for the sums, then p³ / 6 for a fit of all features, p per step of forward selection and
// feature. Limits: p² numbers in memory.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "sightglass/base/matrix.h"

namespace sightglass {

// Runs body(i) for i in [0, count), on several threads or one.
using ForEach = std::function<void(std::string_view work, std::size_t count, const std::function<void(std::size_t)>&)>;

// Centred sums of products of weighted rows.
struct WeightedMoments {
  std::size_t features = 0, outputs = 0;
  double weight = 0;             // Σ w
  std::vector<double> mean;      // of the features
  std::vector<double> products;  // [feature × features + feature] Σ w (x − mean)(x' − mean')
  std::vector<double> means;     // of the outputs
  std::vector<double> with;      // [output × features + feature]
  std::vector<double> squares;   // of the outputs
};

// columns: [feature × rows + row]; y: rows × outputs. The same bytes whatever the threads.
[[nodiscard]] WeightedMoments weighted_moments(std::span<const double> columns, std::size_t features,
                                               std::span<const double> weights, MatrixSpan<const double> y,
                                               const ForEach& for_each);

// What does not move but by rounding is made not to move at all: of whoever makes moments of their own.
void settle(WeightedMoments& moments);
// Of these features alone.
[[nodiscard]] WeightedMoments part_of(const WeightedMoments& moments, const std::vector<std::size_t>& features);

// Of the rows of both.
[[nodiscard]] WeightedMoments merged(const WeightedMoments& a, const WeightedMoments& b);

struct WeightedLine {
  double intercept = 0;
  std::vector<std::size_t> features;  // ascending
  std::vector<double> coefficients;   // of these
  double r2 = 0;                      // on the weighted rows; 1 where the output does not move
};

// Of these features alone. Those that do not move, or only as others do, get 0 where α is 0.
[[nodiscard]] WeightedLine weighted_ridge(const WeightedMoments& moments, std::size_t output,
                                          std::vector<std::size_t> features, double alpha);

// K features for the line of an output, most telling first; fewer where the rest says nothing.
// Each adds the most to R² given those before it.
[[nodiscard]] std::vector<std::size_t> forward_selection(const WeightedMoments& moments, std::size_t output,
                                                         std::size_t count);
// Those with the largest |β_j · scale_j| in a ridge of all, α = 0.01.
[[nodiscard]] std::vector<std::size_t> highest_weights(const WeightedMoments& moments, std::size_t output,
                                                       std::size_t count, std::span<const double> scale = {});

// Of the coefficients, if the rows were drawn at random: from the residuals, whatever their spread (a sandwich).
// counts: how often each row was drawn; empty: once.
[[nodiscard]] std::vector<double> standard_errors(const WeightedMoments& moments, const WeightedLine& line,
                                                  std::span<const double> columns, std::span<const double> weights,
                                                  std::span<const double> counts, std::span<const double> y,
                                                  double alpha);

}  // namespace sightglass
