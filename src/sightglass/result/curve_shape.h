// A verdict on the shape of a curve.
#pragma once

#include <span>

#include "sightglass/result/result.h"

namespace sightglass {

// A curve that moves by less than this share of the predictions' spread is called constant.
inline constexpr double negligible_range = 0.01;
// R² of a straight line over the grid from which on a curve is called linear.
inline constexpr double linear_r2 = 0.99;
// A curve is called monotone if all its steps against the trend add up to at most this share of its range, or to
// twice its standard error where that is larger, but never to more than the second share.
inline constexpr double against_share = 0.1;
inline constexpr double most_against_share = 0.2;

// What is known of a curve besides its heights; both may be unknown (empty, 0).
struct ShapeContext {
  std::span<const double> se;  // of the curve's shape, per grid point
  double spread = 0;           // sd of the predictions over rows
};

// constant, linear, monotone, or complex.
[[nodiscard]] CurveShape shape_of(std::span<const double> grid, std::span<const double> mean,
                                  const ShapeContext& context = {});
// Of a curve over a numeric axis, with all that it knows: se_shape, and the largest sd as the spread.
[[nodiscard]] CurveShape shape_of(const Curve& curve);

}  // namespace sightglass
