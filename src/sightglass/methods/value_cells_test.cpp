#include "sightglass/methods/value_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sightglass {
namespace {

TEST(ValueCells, CountWhatIsNearAndWhatIsInBins) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    // Values on a grid of eighths, so that many lie exactly on borders.
    const auto draw = [&] { return static_cast<double>(random() % 101) / 8; };
    std::vector<double> values(200), points(random() % 12);
    std::generate(values.begin(), values.end(), draw);
    std::generate(points.begin(), points.end(), draw);
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const std::vector<double> edges = {*low, 3, 4.5, *high};
    const ValueCells cells(points, *low, *high, edges);
    std::vector<std::uint64_t> counts(cells.size());
    for (const double value : values) ++counts[cells.of(value)];
    const double reach = 0.025 * (*high - *low);
    std::vector<std::uint64_t> near(points.size()), bins(3);
    for (const double value : values) {
      for (std::size_t k = 0; k < points.size(); ++k)
        near[k] += value >= points[k] - reach && value <= points[k] + reach ? 1 : 0;
      ++bins[value < 3 ? 0 : value < 4.5 ? 1 : 2];
    }
    EXPECT_EQ(cells.near_points(counts), near);
    EXPECT_EQ(cells.in_bins(counts), bins);
  }
}

TEST(ValueCells, OfNothing) {
  const ValueCells cells;
  EXPECT_EQ(cells.of(3), 0U);
  EXPECT_TRUE(cells.near_points(std::vector<std::uint64_t>{7}).empty());
}

}  // namespace
}  // namespace sightglass
