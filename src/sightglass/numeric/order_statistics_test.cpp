#include "sightglass/numeric/order_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace sightglass {
namespace {

using ::testing::ElementsAre;

std::vector<double> search(const std::vector<double>& values, std::vector<std::uint64_t> ranks) {
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  RankSearch search(std::move(ranks), values.size(), *least, *largest);
  while (!search.done()) {
    // Two halves, merged: as two partitions would.
    auto counts = search.empty_counts();
    auto rest = search.empty_counts();
    const std::size_t half = values.size() / 2;
    search.count(std::span(values).first(half), {}, counts);
    search.count(std::span(values).subspan(half), {}, rest);
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

// More values than are collected at once, so that they are counted first; some weigh more than all the rest. Cells are
// enough for evenly spread ones; where one is far away, all others are in the same cell, and digits are counted.
TEST(RankSearch, NarrowsWhatDoesNotFit) {
  std::mt19937_64 random(5);
  for (const double outlier : {1e15, 1e300, 1.7e308}) {
    for (const std::uint64_t heavy : {std::uint64_t{1}, std::uint64_t{1} << 40}) {
      std::vector<std::pair<double, std::uint64_t>> rows(70000);
      std::uint64_t total = 0;
      for (auto& [value, weight] : rows) {
        value = 1e15 + std::round(std::normal_distribution<double>()(random) * 20000);  // alike in their first digits
        weight = random() % 10 == 0 ? heavy : 1 + random() % 3;
        total += weight;
      }
      rows[7].first = outlier;
      rows[8].first = outlier > 1e300 ? -outlier : 1e15;
      std::vector<std::uint64_t> ranks = {0, total - 1};
      for (int i = 0; i < 100; ++i) ranks.push_back(random() % total);
      const auto [least, largest] = std::minmax_element(rows.begin(), rows.end());
      RankSearch search(ranks, rows.size(), least->first, largest->first);
      int passes = 0;
      for (; !search.done(); ++passes) {
        auto counts = search.empty_counts();
        for (const auto& [value, weight] : rows) search.count(std::span(&value, 1), std::span(&weight, 1), counts);
        ByteSink sink;
        counts.save(sink);
        auto loaded = search.empty_counts();
        ByteSource source(sink.bytes());
        loaded.load(source);
        search.advance(loaded);
      }
      if (outlier == 1e15) {
        EXPECT_EQ(passes, 2) << "cells, and the values in some of them";
      } else {
        EXPECT_GT(passes, 2);
      }
      const std::vector<double> found = search.values();
      std::sort(rows.begin(), rows.end());
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        std::uint64_t below = 0;
        std::size_t at = 0;
        while (below + rows[at].second <= ranks[i]) below += rows[at++].second;
        EXPECT_EQ(found[i], rows[at].first);
      }
    }
  }
}

TEST(AscendingOrder, IsAStableSortOfTheFiniteValues) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(ascending_order(std::vector<double>{2, -inf, 0.0, std::nan(""), -0.0, -1e300, 2, 5e-324, inf}),
              ElementsAre(5, 2, 4, 7, 0, 6));
  std::mt19937_64 random(7);
  std::vector<double> values(5000);
  for (const double scale : {1.0, 1e-12, 1e12}) {
    for (double& value : values) value = 1 + scale * std::round(std::normal_distribution<double>()(random) * 1000);
    std::vector<std::uint32_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
    EXPECT_EQ(ascending_order(values), order);
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
