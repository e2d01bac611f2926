#include "sightglass/methods/effects/curves/effect_moments.h"

#include <cmath>

namespace sightglass {

void WeightSums::add(const RowBlock& block) {
  for (std::size_t row = 0; row < block.rows; ++row) {
    const double weight = block.weight(row);
    sum_.add(weight);
    squares_.add_product(weight, weight);
  }
}

EffectMoments::EffectMoments(std::size_t points, bool missing, std::vector<std::size_t> outputs)
    : points_(points),
      variants_(points + (missing ? 1 : 0)),
      outputs_(std::move(outputs)),
      cells_(variants_ * outputs_.size()) {}

void EffectMoments::add(const RowBlock& block, MatrixSpan<const double> predictions, const Context& context) {
  const std::size_t width = outputs_.size();
  std::vector<double> curve_means(block.rows * width, 0.0);
  for (std::size_t point = 0; point < points_; ++point) {
    for (std::size_t row = 0; row < block.rows; ++row) {
      const auto prediction = predictions.row(point * block.rows + row);
      for (std::size_t k = 0; k < width; ++k) curve_means[row * width + k] += prediction[outputs_[k]];
    }
  }
  for (double& mean : curve_means) mean /= static_cast<double>(points_);
  std::vector<double> weights(block.rows, 1.0);
  if (block.weights.size > 0) read_numbers(block.weights, weights);

  context.parallel_for(variants_, [&](std::size_t variant) {
    if (block.weights.size == 0) {
      std::vector<double> values(block.rows);
      for (std::size_t k = 0; k < width; ++k) {
        Cell& cell = cells_[variant * width + k];
        for (std::size_t row = 0; row < block.rows; ++row)
          values[row] = predictions(variant * block.rows + row, outputs_[k]);
        cell.level.add_all(values);
        if (points_ == 0) continue;
        for (std::size_t row = 0; row < block.rows; ++row) values[row] -= curve_means[row * width + k];
        cell.shape.add_all(values);
      }
      return;
    }
    for (std::size_t row = 0; row < block.rows; ++row) {
      if (weights[row] == 0) continue;
      const auto prediction = predictions.row(variant * block.rows + row);
      for (std::size_t k = 0; k < width; ++k) {
        const double value = prediction[outputs_[k]];
        Cell& cell = cells_[variant * width + k];
        cell.level.add(value, weights[row]);
        if (points_ > 0) cell.shape.add(value - curve_means[row * width + k], weights[row]);
      }
    }
  });
}

EffectMoments::Point EffectMoments::point(std::size_t point, std::size_t output,
                                          const ExactSum::Pair& total_weight) const {
  const Cell& cell = cells_[point * outputs_.size() + output];
  return {.mean = cell.level.mean(total_weight.high),
          .sd = std::sqrt(cell.level.variance(total_weight)),
          .shape_sd = std::sqrt(cell.shape.variance(total_weight))};
}

std::optional<EffectMoments::ShapeSums> EffectMoments::shape_sums(std::size_t output,
                                                                  const ExactSum::Pair& total_weight) const {
  ShapeSums sums;
  double scale = 0;
  for (std::size_t point = 0; point < points_; ++point) {
    const Cell& cell = cells_[point * outputs_.size() + output];
    const double variance = cell.shape.variance(total_weight);
    const double mean = cell.shape.mean(total_weight.high);
    sums.differing += variance;
    sums.all += variance + mean * mean;
    scale =
        std::max(scale, std::abs(cell.level.mean(total_weight.high)) + std::sqrt(cell.level.variance(total_weight)));
  }
  // Curves that are flat but for rounding have no shape to differ in; many models compute in float32.
  const double noise = 1e-7 * scale;
  if (!std::isfinite(sums.all) || !std::isfinite(scale)) return std::nullopt;
  return sums.all > noise * noise * static_cast<double>(points_) ? sums : ShapeSums{};
}

std::optional<double> EffectMoments::heterogeneity(std::size_t output, const ExactSum::Pair& total_weight) const {
  const auto sums = shape_sums(output, total_weight);
  if (!sums) return std::nullopt;
  return sums->all > 0 ? sums->differing / sums->all : 0;
}

}  // namespace sightglass
