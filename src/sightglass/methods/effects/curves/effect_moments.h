// What a set of individual curves has in common, kept as exact sums: mean, spread, and how far the curves
// differ in shape. Shared by the effect methods that evaluate every row at every grid point.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/base/matrix.h"
#include "sightglass/data/source.h"
#include "sightglass/methods/run/sums.h"
#include "sightglass/numeric/exact_sum.h"

namespace sightglass {

// Sums of the row weights: W, and Σ w² for the effective number of rows W²/Σw².
class WeightSums {
 public:
  void add(const RowBlock& block);
  static auto members() { return std::tuple(&WeightSums::sum_, &WeightSums::squares_); }
  // To twice the precision of a double: variances need it.
  [[nodiscard]] ExactSum::Pair total() const { return sum_.pair(); }
  [[nodiscard]] double effective_rows() const { return sum_.value() * sum_.value() / squares_.value(); }

 private:
  ExactSum sum_, squares_;
};

// The curves of one feature: `points` grid points, then perhaps one more for a missing value, which is no
// part of a curve's mean.
class EffectMoments {
 public:
  EffectMoments() = default;
  EffectMoments(std::size_t points, bool missing, std::vector<std::size_t> outputs);

  // predictions: (points [+ 1]) × block rows, as Evaluator::evaluate fills it; outputs picks its columns.
  void add(const RowBlock& block, MatrixSpan<const double> predictions, const Context& context);
  static auto members() { return std::tuple(&EffectMoments::cells_); }

  struct Point {
    double mean = 0;
    double sd = 0;        // over rows
    double shape_sd = 0;  // over rows, each curve minus its own mean
  };
  [[nodiscard]] Point point(std::size_t point, std::size_t output, const ExactSum::Pair& total_weight) const;
  // Σ(curve shape − mean shape)² / Σ(curve shape)²: 0 if all curves are parallel. Nothing where squares overflow.
  [[nodiscard]] std::optional<double> heterogeneity(std::size_t output, const ExactSum::Pair& total_weight) const;
  // Both of these sums, per unit of weight. Both 0 where curves are flat but for rounding.
  struct ShapeSums {
    double differing = 0, all = 0;
  };
  [[nodiscard]] std::optional<ShapeSums> shape_sums(std::size_t output, const ExactSum::Pair& total_weight) const;

 private:
  struct Cell {
    ExactMoments level, shape;
    static auto members() { return std::tuple(&Cell::level, &Cell::shape); }
  };
  std::size_t points_ = 0;
  std::size_t variants_ = 0;
  std::vector<std::size_t> outputs_;
  std::vector<Cell> cells_;  // [variant][output]
};

}  // namespace sightglass
