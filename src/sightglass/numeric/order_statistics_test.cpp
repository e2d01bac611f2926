#include "sightglass/numeric/order_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace sightglass {
namespace {

using ::testing::ElementsAre;

std::vector<double> search(const std::vector<double>& values, std::vector<std::uint64_t> ranks) {
  RankSearch search(std::move(ranks));
  while (!search.done()) {
    // Two halves, merged: as two partitions would.
    auto counts = search.empty_counts();
    auto rest = search.empty_counts();
    for (std::size_t i = 0; i < values.size(); ++i) search.count(values[i], 1, i % 2 == 0 ? counts : rest);
    counts.merge(rest);
    search.advance(counts);
  }
  return search.values();
}

TEST(RankSearch, FindsTiesSignsAndTinyDifferences) {
  EXPECT_THAT(search({3, 1, 2, 2, 2}, {0, 1, 3, 4}), ElementsAre(1, 2, 2, 3));
  EXPECT_THAT(search({-1, -5e-324, 0.0, -0.0, 5e-324, 1e308, -1e308}, {0, 1, 2, 3, 4, 5, 6}),
              ElementsAre(-1e308, -1, -5e-324, 0.0, 0.0, 5e-324, 1e308));
  EXPECT_THAT(search({1.0, std::nextafter(1.0, 2.0)}, {1, 0}), ElementsAre(std::nextafter(1.0, 2.0), 1.0));
}

TEST(RankSearch, EqualsSorting) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> values(1 + random() % 2000);
    for (double& value : values)
      value = std::round(std::normal_distribution<double>()(random) * (trial % 2 ? 10 : 1e6)) / 7;
    std::vector<std::uint64_t> ranks;
    for (int i = 0; i < 64; ++i) ranks.push_back(random() % values.size());
    const auto found = search(values, ranks);
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < ranks.size(); ++i) EXPECT_EQ(found[i], values[ranks[i]]);
  }
}

TEST(QuantileRank, IsTheTypeOneQuantile) {
  EXPECT_EQ(quantile_rank(10, 0, 4), 0U);
  EXPECT_EQ(quantile_rank(10, 1, 4), 2U);  // ⌈2.5⌉ = 3rd
  EXPECT_EQ(quantile_rank(10, 2, 4), 4U);  // ⌈5⌉ = 5th
  EXPECT_EQ(quantile_rank(10, 4, 4), 9U);
  EXPECT_EQ(quantile_rank(std::uint64_t{1} << 62, 40, 40), (std::uint64_t{1} << 62) - 1);
}

TEST(DistinctValues, StopsCountingAboveTheLimit) {
  DistinctValues few(3);
  for (const double value : {2.0, 1.0, 2.0, -0.0, 0.0}) few.add(value);
  EXPECT_THAT(few.values(), ElementsAre(0, 1, 2));
  DistinctValues more(3);
  more.add(7);
  few.merge(more);
  EXPECT_TRUE(few.overflowed());
}

}  // namespace
}  // namespace sightglass
