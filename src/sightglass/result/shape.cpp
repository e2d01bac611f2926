#include "sightglass/result/shape.h"

#include <algorithm>
#include <cmath>

namespace sightglass {

Shape shape_of(std::span<const double> grid, std::span<const double> mean) {
  if (mean.size() < 2) return Shape::constant;
  const auto [lowest, highest] = std::minmax_element(mean.begin(), mean.end());
  const double range = *highest - *lowest;
  // Sums of many predictions differ in their last bits where they should be equal.
  const double noise = 1e-9 * std::max(std::abs(*lowest), std::abs(*highest));
  if (!(range > noise)) return Shape::constant;

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
  if (xx > 0 && xy * xy / (xx * yy) >= 0.99) return Shape::linear;

  bool rises = false, falls = false;
  for (std::size_t k = 1; k < mean.size(); ++k) {
    rises = rises || mean[k] - mean[k - 1] > noise;
    falls = falls || mean[k] - mean[k - 1] < -noise;
  }
  return rises && falls ? Shape::complex : Shape::monotone;
}

}  // namespace sightglass
