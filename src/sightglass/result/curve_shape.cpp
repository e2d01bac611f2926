#include "sightglass/result/curve_shape.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sightglass {

CurveShape shape_of(std::span<const double> grid, std::span<const double> mean, const ShapeContext& context) {
  if (mean.size() < 2) return CurveShape::constant;
  const auto [lowest, highest] = std::minmax_element(mean.begin(), mean.end());
  const double range = *highest - *lowest;
  // Sums of many predictions differ in their last bits where they should be equal.
  const double noise = 1e-9 * std::max(std::abs(*lowest), std::abs(*highest));
  if (!(range > std::max(noise, negligible_range * context.spread))) return CurveShape::constant;

  // In units of the grid's and the curve's own range: nothing overflows.
  const double width = grid.back() - grid.front();
  const auto n = static_cast<double>(mean.size());
  double x_mean = 0, y_mean = 0;
  for (std::size_t k = 0; k < mean.size(); ++k) {
    x_mean += (grid[k] - grid.front()) / width / n;
    y_mean += (mean[k] - *lowest) / range / n;
  }
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t k = 0; k < mean.size(); ++k) {
    const double x = (grid[k] - grid.front()) / width - x_mean;
    const double y = (mean[k] - *lowest) / range - y_mean;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (xx > 0 && xy * xy / (xx * yy) >= linear_r2) return CurveShape::linear;

  double up = 0, down = 0;  // in units of the range
  for (std::size_t k = 1; k < mean.size(); ++k) {
    const double step = mean[k] / range - mean[k - 1] / range;
    (step > 0 ? up : down) += std::abs(step);
  }
  double tolerance = against_share;
  if (!context.se.empty()) {
    // The middle one: the ends of a curve are known worst, and most of it better.
    std::vector<double> se(context.se.begin(), context.se.end());
    const auto middle = se.begin() + static_cast<std::ptrdiff_t>(se.size() / 2);
    std::nth_element(se.begin(), middle, se.end());
    if (std::isfinite(*middle)) tolerance = std::clamp(2 * *middle / range, against_share, most_against_share);
  }
  return std::min(up, down) <= tolerance ? CurveShape::monotone : CurveShape::complex;
}

CurveShape shape_of(const Curve& curve) {
  const double spread = curve.sd.empty() ? 0 : *std::max_element(curve.sd.begin(), curve.sd.end());
  return shape_of(curve.axis.numbers, curve.mean, {.se = curve.se_shape, .spread = spread});
}

}  // namespace sightglass
