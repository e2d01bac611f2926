#include "sightglass/model/learned/neighbors/neighbor_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <random>

#include "sightglass/numeric/tied.h"

namespace sightglass {
namespace {

struct MixedRows {
  NeighborStructure structure;
  std::vector<bool> categorical{false, false, true, false, false};
  std::vector<std::vector<double>> queries;
  std::vector<double> middles;  // of each feature's range

  MixedRows(std::size_t rows, std::size_t asked, bool missing, bool weighted, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const auto row = [&](std::vector<std::vector<double>>& into, bool unseen) {
      const auto maybe = [&](double value) { return missing && random() % 5 == 0 ? NAN : value; };
      into[0].push_back(maybe(1000 + normal(random)));  // far from 0: float has few digits left for differences
      into[1].push_back(maybe(static_cast<double>(random() % 6)));
      into[2].push_back(maybe(unseen && random() % 9 == 0 ? -1 : static_cast<double>(random() % 3)));
      into[3].push_back(5);  // constant
      into[4].push_back(maybe(std::exp(3 * normal(random))));
    };
    structure.values.resize(5);
    queries.resize(5);
    for (std::size_t i = 0; i < rows; ++i) {
      row(structure.values, false);
      structure.outcome.push_back(static_cast<double>(i % 7));
      if (weighted) structure.weights.push_back(0.5 + static_cast<double>(random() % 4));
    }
    for (std::size_t i = 0; i < asked; ++i) row(queries, true);
    find_ranges();
  }
  void find_ranges() {
    structure.ranges.clear();
    middles.clear();
    for (std::size_t j = 0; j < 5; ++j) {
      double low = INFINITY, high = -INFINITY;
      for (const double value : structure.values[j]) {
        if (std::isnan(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
      structure.ranges.push_back(categorical[j] ? 1 : high > low ? high - low : 0);
      middles.push_back(low / 2 + high / 2);
    }
  }
  [[nodiscard]] bool is_there(std::size_t j, double value) const {
    if (categorical[j] || std::isnan(value)) return !std::isnan(value);
    return std::abs(value - middles[j]) / structure.ranges[j] <= 1e15;
  }
  // As structure.h says it, over all rows.
  [[nodiscard]] std::vector<Neighbor> plain(std::size_t query, double k, std::int64_t without) const {
    std::vector<Neighbor> all;
    for (std::uint32_t row = 0; row < structure.outcome.size(); ++row) {
      if (static_cast<std::int64_t>(row) == without) continue;
      double sum = 0, both = 0;
      bool known = false;
      for (std::size_t j = 0; j < 5; ++j) {
        const double a = queries[j][query], b = structure.values[j][row];
        if (structure.ranges[j] == 0 || !is_there(j, a)) continue;
        known = known || !categorical[j] || a >= 0;
        if (std::isnan(b)) continue;
        both += 1;
        sum += categorical[j] ? (a == b ? 0 : 1) : std::abs(a - b) / structure.ranges[j];
      }
      if (!known || both == 0) continue;
      all.push_back({row, to_40_digits(sum / both), structure.weights.empty() ? 1 : structure.weights[row]});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Neighbor& a, const Neighbor& b) { return a.distance < b.distance; });
    std::vector<Neighbor> taken;
    for (Neighbor each : all) {
      if (!(k > 0)) break;
      each.weight = std::min(each.weight, k);
      k -= each.weight;
      taken.push_back(each);
    }
    return taken;
  }
};

void expect_as_plain(const MixedRows& data, double k) {
  const Context context(2);
  const auto found = NeighborSearch(data.structure, data.categorical).nearest(data.queries, k, {}, context);
  for (std::size_t q = 0; q < found.size(); ++q) {
    const auto expected = data.plain(q, k, -1);
    ASSERT_EQ(found[q].size(), expected.size()) << k << " " << q;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found[q][i].row, expected[i].row) << k << " " << q << " " << i;
      ASSERT_EQ(found[q][i].distance, expected[i].distance);
      ASSERT_EQ(found[q][i].weight, expected[i].weight);
    }
  }
}

TEST(NeighborSearch, FindsWhatPlainLoopsFind) {
  for (const bool missing : {false, true}) {
    for (const bool weighted : {false, true}) {
      for (const std::size_t rows : {3U, 256U, 1000U}) {
        SCOPED_TRACE(rows);
        const MixedRows data(rows, 70, missing, weighted, rows + (missing ? 1 : 0));
        for (const double k : {1.0, 2.5, 10.0, 1e6}) expect_as_plain(data, k);
      }
    }
  }
}

// Of rows that are equally far the first are taken, however many there are.
TEST(NeighborSearch, ManyRowsMayBeEquallyFar) {
  for (const bool missing : {false, true}) {
    MixedRows data(1500, 40, missing, missing, 8);
    for (auto* values : {&data.structure.values, &data.queries}) {
      for (double& each : (*values)[0]) each = each > 1000.5 ? 1 : 0;
      for (const std::size_t j : {1U, 4U}) std::fill((*values)[j].begin(), (*values)[j].end(), 3.0);
    }
    data.find_ranges();
    for (const double k : {1.0, 7.0, 300.0}) expect_as_plain(data, k);
  }
}

TEST(NeighborSearch, NumbersMayBeFarFromZeroAndQueriesFromAllRows) {
  for (const bool missing : {false, true}) {
    MixedRows data(700, 60, missing, false, 9);
    for (auto* values : {&data.structure.values, &data.queries}) {
      for (double& each : (*values)[0]) each += 1.7e9;
      for (double& each : (*values)[4]) each *= 1e-310;  // not even the inverse of the range is finite
    }
    data.find_ranges();
    const double far[] = {INFINITY, -INFINITY, 1e39, -1e300, 1e12, 1e17, 1.7e9 + 2e7};
    for (std::size_t q = 0; q < std::size(far); ++q) data.queries[q % 2 == 0 ? 0 : 1][q] = far[q];
    for (const double k : {1.0, 5.0, 100.0}) expect_as_plain(data, k);
  }
}

TEST(NeighborSearch, RoundingDecidesNoTies) {
  NeighborStructure structure;
  structure.outcome = {1, 2, 3};
  structure.ranges = {1, 1, 1};
  const auto away = [](double first, double second, double third) { return std::vector<double>{first, second, third}; };
  const std::vector<double> rows[] = {away(0.1, 0.2, 0.3), away(0.3, 0.2, 0.1), away(1, 1, 1)};
  structure.values.resize(3);
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < 3; ++j) structure.values[j].push_back(row[j]);
  }
  ASSERT_NE(0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1);
  for (const bool turned : {false, true}) {
    if (turned) {
      for (auto& column : structure.values) std::swap(column[0], column[1]);
    }
    const auto found = NeighborSearch(structure, {false, false, false})
                           .nearest(std::vector<std::vector<double>>{{0}, {0}, {0}}, 2, {}, Context(1));
    ASSERT_EQ(found[0].size(), 2U);
    EXPECT_EQ(found[0][0].row, 0U);
    EXPECT_EQ(found[0][1].row, 1U);
    EXPECT_EQ(found[0][0].distance, found[0][1].distance);
  }
}

TEST(NeighborSearch, RowsThatShareNothingAreNoNeighbors) {
  NeighborStructure structure;
  structure.outcome = {1, 2, 3};
  structure.ranges = {2, 1};
  structure.values = {{1, NAN, 3}, {0, 1, NAN}};
  const NeighborSearch search(structure, {false, true});
  // Nothing at all; an unseen level alone; infinite; finite, but as far from all; a number that two rows have.
  const std::vector<std::vector<double>> queries{{NAN, NAN, INFINITY, -1e300, 1}, {NAN, -1, NAN, NAN, NAN}};
  const auto found = search.nearest(queries, 3, {}, Context(1));
  for (std::size_t q = 0; q < 4; ++q) EXPECT_TRUE(found[q].empty()) << q;
  ASSERT_EQ(found[4].size(), 2U);
  EXPECT_EQ(found[4][0].row, 0U);
  EXPECT_EQ(found[4][1].row, 2U);
  EXPECT_EQ(found[4][1].distance, 1);
}

// Neither costs more than twenty times what numbers between 0 and 1 do; once it was hundreds of times.
TEST(NeighborSearch, TiesAndNumbersFarFromZeroTakeLittleLonger) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform;
  const Context context(1);
  const auto seconds = [&](bool category, double offset) {
    NeighborStructure structure;
    structure.values.resize(1);
    for (std::size_t i = 0; i < 20000; ++i) {
      structure.values[0].push_back(category ? static_cast<double>(random() % 2) : offset + uniform(random));
      structure.outcome.push_back(0);
    }
    const auto [low, high] = std::minmax_element(structure.values[0].begin(), structure.values[0].end());
    structure.ranges = {*high - *low};
    const NeighborSearch search(structure, {category});
    const std::vector<std::vector<double>> queries{{structure.values[0].begin(), structure.values[0].begin() + 400}};
    const std::clock_t begin = std::clock();
    (void)search.nearest(queries, 50, {}, context);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double usual = seconds(false, 0);
  EXPECT_LT(seconds(false, 1.7e9), 20 * usual);
  EXPECT_LT(seconds(true, 0), 20 * usual);
}

TEST(NeighborSearch, LeavesOutTheRowItself) {
  const Context context(1);
  MixedRows data(300, 0, true, true, 4);
  std::vector<std::uint32_t> own;
  data.queries = data.structure.values;
  for (std::uint32_t row = 0; row < 300; ++row) own.push_back(row);
  const NeighborSearch search(data.structure, data.categorical);
  const auto found = search.nearest(data.queries, 4, own, context);
  for (std::size_t q = 0; q < 300; ++q) {
    const auto expected = data.plain(q, 4, static_cast<std::int64_t>(q));
    ASSERT_EQ(found[q].size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(found[q][i].row, expected[i].row);
  }
}

}  // namespace
}  // namespace sightglass
