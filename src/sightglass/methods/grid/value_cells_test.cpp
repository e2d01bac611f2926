#include "sightglass/methods/grid/value_cells.h"

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

TEST(ValueCells, BordersOfDecimalsAndOfLargeNumbers) {
  const auto near = [](const std::vector<double>& values, std::size_t point) {
    const ValueCells cells({values[point]}, values.front(), values.back(), {});
    std::vector<std::uint64_t> counts(cells.size());
    for (const double value : values) ++counts[cells.of(value)];
    return cells.near_points(counts)[0];
  };
  // From 0 to 2 by hundredths: five to either side.
  std::vector<double> decimals;
  for (int i = 0; i <= 200; ++i) decimals.push_back(i / 100.0);
  for (std::size_t point = 5; point + 5 < decimals.size(); ++point) EXPECT_EQ(near(decimals, point), 11U) << point;
  // 2.5 % of 199 is 4.975: four to either side, though 1e15 + 4.975 is written as 1e15 + 5.
  std::vector<double> large;
  for (int i = 0; i < 200; ++i) large.push_back(1e15 + i);
  for (std::size_t point = 5; point + 5 < large.size(); ++point) EXPECT_EQ(near(large, point), 9U) << point;
}

TEST(ValueCells, OfNothing) {
  const ValueCells cells;
  EXPECT_EQ(cells.of(3), 0U);
  EXPECT_TRUE(cells.near_points(std::vector<std::uint64_t>{7}).empty());
}

}  // namespace
}  // namespace sightglass
