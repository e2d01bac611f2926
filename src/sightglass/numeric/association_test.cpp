#include "sightglass/numeric/association.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

namespace sightglass {
namespace {

using WeightUnits = std::vector<std::uint64_t>;

// Midranks by counting, rows one by one, weights as repeated rows.
double brute_spearman(const std::vector<double>& x, const std::vector<double>& y, const WeightUnits& units) {
  std::vector<double> a, b;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    for (std::uint64_t k = 0; k < units[i]; ++k) {
      a.push_back(x[i]);
      b.push_back(y[i]);
    }
  }
  const auto ranks = [](const std::vector<double>& values) {
    std::vector<double> all;
    for (const double value : values) {
      double rank = 0.5;
      for (const double other : values) rank += other < value ? 1 : other == value ? 0.5 : 0;
      all.push_back(rank);
    }
    return all;
  };
  const auto ra = ranks(a), rb = ranks(b);
  const auto n = static_cast<double>(ra.size());
  const double ma = std::accumulate(ra.begin(), ra.end(), 0.0) / n, mb = std::accumulate(rb.begin(), rb.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < ra.size(); ++i) {
    ab += (ra[i] - ma) * (rb[i] - mb);
    aa += (ra[i] - ma) * (ra[i] - ma);
    bb += (rb[i] - mb) * (rb[i] - mb);
  }
  return aa > 0 && bb > 0 ? std::abs(ab / std::sqrt(aa * bb)) : 0;
}

TEST(Association, SpearmanIsTheCorrelationOfMidranksWithTiesAndMissingValuesAndWeights) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<double> x, y;
    WeightUnits units;
    for (int i = 0; i < 60; ++i) {
      const double common = normal(random);
      x.push_back(random() % 9 == 0 ? NAN : std::round(2 * (common + normal(random))));
      y.push_back(random() % 11 == 0 ? INFINITY : common + trial * 0.1 * normal(random));
      units.push_back(trial % 2 == 0 ? 1 : random() % 4);
    }
    const UnitWeights weights(units);
    const auto found = spearman(NumericColumn(x, weights), NumericColumn(y, weights), weights);
    EXPECT_NEAR(found.value, brute_spearman(x, y, units), 1e-12);
    EXPECT_LE(found.lower, found.value);
    // Weights too large for plain doubles go another way to the same number.
    WeightUnits large;
    for (const std::uint64_t unit : units) large.push_back(unit * 1'000'000'007);
    const UnitWeights heavy(large);
    EXPECT_NEAR(spearman(NumericColumn(x, heavy), NumericColumn(y, heavy), heavy).value, found.value, 1e-12);
  }
}

TEST(Association, OrderOfRowsChangesNothing) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  std::vector<double> x, y;
  std::vector<std::uint32_t> levels, others;
  WeightUnits units;
  for (int i = 0; i < 500; ++i) {
    x.push_back(normal(random) * 1e10);
    y.push_back(random() % 5 == 0 ? NAN : x.back() + normal(random) * 1e10);
    levels.push_back(static_cast<std::uint32_t>(random() % 7));
    others.push_back((levels.back() + (random() % 3 == 0 ? 1 : 0)) % 7);
    units.push_back(random() % 1'000'000'000);
  }
  const auto all = [&] {
    const UnitWeights weights(units, 1e-9);
    std::vector<double> numbers;
    for (const Association& found : {spearman(NumericColumn(x, weights), NumericColumn(y, weights), weights),
                                     correlation_ratio({levels, 7}, NumericColumn(y, weights), weights),
                                     cramers_v({levels, 7}, {others, 7}, weights)}) {
      numbers.insert(numbers.end(), {found.value, found.lower, found.effective_rows});
    }
    return numbers;
  };
  const auto before = all();
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  const auto permute = [&](auto& values) {
    const auto old = values;
    for (std::size_t i = 0; i < order.size(); ++i) values[i] = old[order[i]];
  };
  permute(x);
  permute(y);
  permute(levels);
  permute(others);
  permute(units);
  EXPECT_EQ(all(), before);
}

// η² of rows that are repeated by weight, from group means; then less (K−1)/(n−K) of what is left.
TEST(Association, CorrelationRatioIsAsItsFormula) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<std::uint32_t> levels;
    std::vector<double> values;
    WeightUnits units;
    std::map<std::uint32_t, std::vector<double>> groups;
    std::vector<double> all;
    for (int i = 0; i < 80; ++i) {
      levels.push_back(static_cast<std::uint32_t>(random() % 6));
      values.push_back(random() % 10 == 0 ? NAN : 1e6 + levels.back() * 0.2 * trial + normal(random));
      units.push_back(trial % 2 == 0 ? 1 : random() % 4);
      for (std::uint64_t k = 0; k < units.back() && std::isfinite(values.back()); ++k) {
        groups[levels.back()].push_back(values.back());
        all.push_back(values.back());
      }
    }
    const auto mean = [](const std::vector<double>& v) {
      return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
    };
    double between = 0, total = 0;
    for (const auto& [level, members] : groups) {
      between += static_cast<double>(members.size()) * std::pow(mean(members) - mean(all), 2);
    }
    for (const double value : all) total += std::pow(value - mean(all), 2);
    const auto n = static_cast<double>(all.size()), k = static_cast<double>(groups.size());
    const double epsilon2 = std::max(0.0, 1 - (1 - between / total) * (n - 1) / (n - k));
    const auto found = correlation_ratio({levels, 9}, NumericColumn(values, UnitWeights(units)), UnitWeights(units));
    EXPECT_NEAR(found.value, std::sqrt(epsilon2), 1e-7);
    EXPECT_LE(found.lower, found.value);
  }
}

TEST(Association, CramersVIsAsItsFormulaWithManyLevelsToo) {
  std::mt19937_64 random(4);
  for (const std::size_t levels : {2U, 5U, 700U}) {
    for (const bool tied : {true, false}) {
      std::vector<std::uint32_t> a, b;
      WeightUnits units;
      std::map<std::pair<std::uint32_t, std::uint32_t>, double> counts;
      std::map<std::uint32_t, double> rows, columns;
      double n = 0;
      for (int i = 0; i < 3000; ++i) {
        a.push_back(static_cast<std::uint32_t>(random() % levels));
        b.push_back(tied && random() % 2 == 0 ? a.back() : static_cast<std::uint32_t>(random() % levels));
        units.push_back(random() % 3);
        const auto weight = static_cast<double>(units.back());
        if (weight == 0) continue;
        counts[{a.back(), b.back()}] += weight;
        rows[a.back()] += weight;
        columns[b.back()] += weight;
        n += weight;
      }
      double chi2 = 0;
      for (const auto& [i, row] : rows) {
        for (const auto& [j, column] : columns) {
          const double expected = row * column / n;
          const auto at = counts.find({i, j});
          chi2 += std::pow((at == counts.end() ? 0 : at->second) - expected, 2) / expected;
        }
      }
      const auto r = static_cast<double>(rows.size()), c = static_cast<double>(columns.size());
      const double phi2 = std::max(0.0, chi2 / n - (r - 1) * (c - 1) / (n - 1));
      const double r1 = r - (r - 1) * (r - 1) / (n - 1), c1 = c - (c - 1) * (c - 1) / (n - 1);
      const double expected = std::sqrt(phi2 / std::min(r1 - 1, c1 - 1));
      EXPECT_NEAR(cramers_v({a, levels}, {b, levels}, UnitWeights(units)).value, expected, 1e-9) << levels << tied;
    }
  }
}

// One row in which both are missing makes V 0.7, and says nothing; levels of more rows that always come together do.
TEST(Association, AFewRowsOfOneCellProveNothing) {
  std::vector<std::uint32_t> a, b, pairs;
  for (std::uint32_t row = 0; row < 3000; ++row) {
    a.push_back(row % 2);
    b.push_back(row / 2 % 2);
    pairs.push_back(row / 600);
  }
  a[17] = b[17] = 2;
  const WeightUnits units(3000, 100);
  const auto blank = cramers_v({a, 3}, {b, 3}, UnitWeights(units));
  EXPECT_NEAR(blank.value, std::sqrt(0.5), 0.01);
  EXPECT_LT(blank.lower, 0.1);
  const auto same = cramers_v({pairs, 5}, {pairs, 5}, UnitWeights(units));
  EXPECT_GT(same.lower, 0.8);
}

TEST(Association, TwoLevelsAreACorrelation) {
  // φ of a 2×2 table, and its interval by Fisher's z.
  const std::vector<std::uint32_t> a{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, b{0, 0, 0, 0, 0, 1, 1, 1, 1, 0};
  const WeightUnits units(10, 100);
  const auto found = cramers_v({a, 2}, {b, 2}, UnitWeights(units));
  EXPECT_NEAR(found.value, (5.0 * 3 - 1 * 1) / 24, 2e-3);  // less a little for bias
  EXPECT_DOUBLE_EQ(found.effective_rows, 10);
  EXPECT_DOUBLE_EQ(association_lower_bound(0.9, 103, 1), std::tanh(std::atanh(0.9) - 0.196));
  EXPECT_EQ(association_lower_bound(1, 3, 1), 0);
  EXPECT_LT(association_lower_bound(1, 4, 1), 0.6);
}

TEST(Association, ConstantsAndNothingAndExtremesAreNoAssociation) {
  const WeightUnits units(4, 1);
  const UnitWeights weights(units);
  const std::vector<double> same(4, 2.5), none(4, NAN), rising{1, 2, 3, 4}, huge{-1.7e308, -1e300, 1e300, 1.7e308},
      tiny{1e-300, 2e-300, 3e-300, 4e-300};
  const std::vector<std::uint32_t> one(4, 0), two{0, 0, 1, 1};
  for (const auto* odd : {&same, &none}) {
    EXPECT_EQ(spearman(NumericColumn(*odd, weights), NumericColumn(rising, weights), weights).value, 0);
    EXPECT_EQ(correlation_ratio({two, 2}, NumericColumn(*odd, weights), weights).value, 0);
  }
  EXPECT_EQ(correlation_ratio({one, 1}, NumericColumn(rising, weights), weights).value, 0);
  EXPECT_EQ(cramers_v({one, 1}, {two, 2}, weights).value, 0);
  EXPECT_EQ(spearman(NumericColumn(huge, weights), NumericColumn(tiny, weights), weights).value, 1);
  for (const auto* extreme : {&huge, &tiny}) {
    const double value = correlation_ratio({two, 2}, NumericColumn(*extreme, weights), weights).value;
    EXPECT_GT(value, 0.5);
    EXPECT_LE(value, 1);
  }
  const WeightUnits nothing(4, 0);
  const UnitWeights weightless(nothing);
  EXPECT_EQ(cramers_v({two, 2}, {two, 2}, weightless).value, 0);
  EXPECT_EQ(correlation_ratio({two, 2}, NumericColumn(rising, weightless), weightless).value, 0);
}

}  // namespace
}  // namespace sightglass
