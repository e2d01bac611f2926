#include "sightglass/learn/prototypes/mmd_critic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/learn/prototypes/class_prototypes.h"
#include "sightglass/learn/prototypes/kernel_tiles.h"

namespace sightglass {
namespace {

// Numbers, one of them with gaps and one constant, and a category with gaps.
struct MixedData {
  std::vector<std::vector<double>> columns;
  std::vector<double> weights;
  std::vector<std::uint32_t> rows;

  explicit MixedData(std::size_t size, std::uint64_t seed = 7, bool weighted = true) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    columns.resize(5);
    for (std::size_t i = 0; i < size; ++i) {
      const double group = static_cast<double>(random() % 3);
      columns[0].push_back(normal(random) * 100 + 300 * group);
      columns[1].push_back(random() % 6 == 0 ? NAN : normal(random) - group);
      columns[2].push_back(4.5);
      columns[3].push_back(random() % 9 == 0 ? NAN : static_cast<double>(random() % 4));
      columns[4].push_back(normal(random) * 1e-3);
      weights.push_back(weighted ? static_cast<double>(1 + random() % 3) : 1);
    }
    rows.resize(size);
    std::iota(rows.begin(), rows.end(), 0U);
  }
  [[nodiscard]] std::vector<PointColumn> points() const {
    std::vector<PointColumn> made;
    for (std::size_t j = 0; j < columns.size(); ++j) made.push_back({.categorical = j == 3, .values = columns[j]});
    return made;
  }
  [[nodiscard]] ScaledRows scaled() const {
    return {points(), column_scales(points(), weights), rows, weights, Context(1)};
  }
  // As the header of scaled_rows.h says it.
  [[nodiscard]] double square(std::size_t a, std::size_t b) const {
    double sum = 0;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double x = columns[j][a], z = columns[j][b];
      if (j == 3) {
        sum += x == z || (std::isnan(x) && std::isnan(z)) ? 0 : 2;
        continue;
      }
      double weight = 0, mean = 0, variance = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (std::isnan(columns[j][i])) continue;
        weight += weights[i];
        mean += weights[i] * columns[j][i];
      }
      mean /= weight;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!std::isnan(columns[j][i])) variance += weights[i] * std::pow(columns[j][i] - mean, 2) / weight;
      }
      if (variance < 1e-20) continue;
      const double p = std::isnan(x) ? 0 : (x - mean) / std::sqrt(variance);
      const double q = std::isnan(z) ? 0 : (z - mean) / std::sqrt(variance);
      sum += (p - q) * (p - q) + (std::isnan(x) != std::isnan(z) ? 1 : 0);
    }
    return sum;
  }
};

using Dense = std::vector<std::vector<double>>;

Dense dense_kernel(const ScaledRows& rows, double gamma) {
  Dense kernel(rows.size(), std::vector<double>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j)
      kernel[i][j] = std::exp(-gamma * rows.squared_distance(rows.first_row(i), rows.first_row(j)));
  }
  return kernel;
}

// The formula as it stands.
double dense_mmd2(const Dense& kernel, const std::vector<double>& weights, const std::vector<std::size_t>& chosen) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto m = static_cast<double>(chosen.size());
  double among = 0, between = 0, all = 0;
  for (const std::size_t a : chosen) {
    for (const std::size_t b : chosen) among += kernel[a][b];
    for (std::size_t i = 0; i < weights.size(); ++i) between += weights[i] * kernel[a][i];
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < weights.size(); ++j) all += weights[i] * weights[j] * kernel[i][j];
  }
  return among / (m * m) - 2 * between / (m * total) + all / (total * total);
}

double log_determinant(const Dense& kernel, const std::vector<std::size_t>& chosen) {
  Dense matrix;
  for (const std::size_t a : chosen) {
    matrix.emplace_back();
    for (const std::size_t b : chosen) matrix.back().push_back(kernel[a][b]);
  }
  double sum = 0;
  for (std::size_t k = 0; k < matrix.size(); ++k) {
    sum += std::log(matrix[k][k]);
    for (std::size_t i = k + 1; i < matrix.size(); ++i) {
      const double share = matrix[i][k] / matrix[k][k];
      for (std::size_t j = k; j < matrix.size(); ++j) matrix[i][j] -= share * matrix[k][j];
    }
  }
  return sum;
}

TEST(ScaledRows, DistancesAreThoseOfTheDefinition) {
  const MixedData data(60);
  const ScaledRows rows = data.scaled();
  ASSERT_EQ(rows.size(), 60U);
  std::vector<double> squares(rows.size());
  for (std::uint32_t i = 0; i < 60; ++i) {
    rows.squared_distances(i, 0, squares);
    for (std::uint32_t j = 0; j < 60; ++j) {
      EXPECT_NEAR(squares[j], data.square(i, j), 1e-12);
      EXPECT_NEAR(rows.squared_distance(i, j), data.square(i, j), 1e-12);
    }
  }
}

TEST(ScaledRows, EqualRowsAreOnePoint) {
  MixedData data(40, 1, false);
  MixedData twice = data;
  for (auto& column : twice.columns) {
    const std::vector<double> once = column;
    column.insert(column.end(), once.begin(), once.end());
  }
  twice.weights.resize(80, 1.0);
  twice.rows.resize(80);
  std::iota(twice.rows.begin(), twice.rows.end(), 0U);
  const ScaledRows rows = twice.scaled();
  ASSERT_EQ(rows.size(), 40U);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(rows.first_row(i), i);
    EXPECT_EQ(rows.weight(i), 2);
  }
  // Zeros of either sign are one value.
  const std::vector<double> zeros{0.0, -0.0, NAN, std::nan("7"), 1.0}, weights(5, 1.0);
  const std::vector<std::uint32_t> all{0, 1, 2, 3, 4};
  const std::vector<PointColumn> column{{.categorical = false, .values = zeros}};
  EXPECT_EQ(ScaledRows(column, column_scales(column, weights), all, weights, Context(1)).size(), 3U);
}

TEST(ScaledRows, HugeAndInfiniteNumbersStayFinite) {
  const std::vector<double> numbers{-1e308, 1e308, INFINITY, -INFINITY, 0}, weights(5, 1.0);
  const std::vector<std::uint32_t> all{0, 1, 2, 3, 4};
  const std::vector<PointColumn> column{{.categorical = false, .values = numbers}};
  const ScaledRows rows(column, column_scales(column, weights), all, weights, Context(1));
  EXPECT_NEAR(rows.squared_distance(0, 1), 5, 1e-12);  // ±1 of sd √(4/5)
  EXPECT_EQ(rows.squared_distance(1, 2), 0);
}

TEST(ScaledRows, MedianOfDistancesBetweenDifferentPoints) {
  const std::vector<double> numbers{0, 0, 0, 1, 3}, weights(5, 1.0);
  const std::vector<std::uint32_t> all{0, 1, 2, 3, 4};
  const std::vector<PointColumn> column{{.categorical = false, .values = numbers}};
  const std::vector<ColumnScale> unit{{.mean = 0, .sd = 1, .inverse = 1, .low = 0, .high = 3}};
  Context context(1);
  // 0 and 1 (three times), 0 and 3 (three times), 1 and 3: in order 1, 1, 1, 2, 3, 3, 3.
  EXPECT_EQ(median_distance(ScaledRows(column, unit, all, weights, Context(1)), 1000, 0, context), 2);
  const std::vector<double> same(5, 1.0);
  const std::vector<PointColumn> constant{{.categorical = false, .values = same}};
  EXPECT_EQ(median_distance(ScaledRows(constant, column_scales(constant, weights), all, weights, Context(1)), 1000, 0,
                            context),
            0);
}

// Greedy by the formula itself: all that is to be found by looking at every row anew.
struct DenseChoice {
  std::vector<std::size_t> prototypes, criticisms;
  std::vector<double> discrepancy, witness, objective;

  DenseChoice(const ScaledRows& rows, double gamma, std::size_t wanted, std::size_t critics) {
    const Dense kernel = dense_kernel(rows, gamma);
    const double total = rows.total_weight();
    std::vector<double> mean(rows.size(), 0.0);
    double all = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows.size(); ++j) mean[i] += rows.weight(j) * kernel[i][j] / total;
      all += rows.weight(i) * mean[i] / total;
    }
    const auto free = [&](std::size_t i) {
      return std::find(prototypes.begin(), prototypes.end(), i) == prototypes.end() &&
             std::find(criticisms.begin(), criticisms.end(), i) == criticisms.end();
    };
    const auto take_best = [&](std::vector<std::size_t>& chosen, auto value) {
      double best = -INFINITY;
      std::size_t at = rows.size();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!free(i)) continue;
        chosen.push_back(i);
        const double found = value(chosen);
        chosen.pop_back();
        if (found <= best + 1e-12) continue;
        best = found;
        at = i;
      }
      if (at == rows.size()) return false;
      chosen.push_back(at);
      return true;
    };
    const auto mmd2 = [&](const std::vector<std::size_t>& chosen) {
      const auto m = static_cast<double>(chosen.size());
      double among = 0, between = 0;
      for (const std::size_t a : chosen) {
        for (const std::size_t b : chosen) among += kernel[a][b];
        between += mean[a];
      }
      return among / (m * m) - 2 * between / m + all;
    };
    while (prototypes.size() < wanted && take_best(prototypes, [&](const auto& chosen) { return -mmd2(chosen); }))
      discrepancy.push_back(dense_mmd2(kernel, rows.weights(), prototypes));
    const auto witness_of = [&](std::size_t i) {
      double near = 0;
      for (const std::size_t z : prototypes) near += kernel[i][z];
      return mean[i] - near / static_cast<double>(prototypes.size());
    };
    const auto score = [&](const std::vector<std::size_t>& chosen) {
      double value = log_determinant(kernel, chosen);
      for (const std::size_t c : chosen) value += std::abs(witness_of(c));
      return value;
    };
    while (criticisms.size() < critics && take_best(criticisms, score)) {
      witness.push_back(witness_of(criticisms.back()));
      objective.push_back(score(criticisms));
    }
  }
};

void expect_as_dense(const ScaledRows& rows, double gamma, std::size_t wanted, std::size_t critics) {
  Context context(2);
  const DenseChoice expected(rows, gamma, wanted, critics);
  auto means = kernel_means(rows, gamma, context);
  const Prototypes found = choose_prototypes(rows, means[1], wanted, context);
  const Criticisms against = choose_criticisms(rows, means[1], found, critics, context);
  EXPECT_EQ(found.points, expected.prototypes);
  EXPECT_EQ(against.points, expected.criticisms);
  ASSERT_EQ(found.discrepancy.size(), expected.discrepancy.size());
  for (std::size_t i = 0; i < found.discrepancy.size(); ++i)
    EXPECT_NEAR(found.discrepancy[i], expected.discrepancy[i], 1e-9) << i;
  EXPECT_NEAR(discrepancy_of(rows, means[1], found.points, context), found.discrepancy.back(), 1e-12);
  ASSERT_EQ(against.witness.size(), expected.witness.size());
  for (std::size_t i = 0; i < against.witness.size(); ++i) {
    EXPECT_NEAR(against.witness[i], expected.witness[i], 1e-12) << i;
    EXPECT_NEAR(against.objective[i], expected.objective[i], 1e-9) << i;
  }
}

TEST(MmdCritic, EqualsTheDenseFormulaAndItsGreedyChoices) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const MixedData data(300, seed, seed != 2);
    for (const double gamma : {0.02, 0.2, 3.0}) {
      SCOPED_TRACE(::testing::Message() << seed << " " << gamma);
      expect_as_dense(data.scaled(), gamma, 30, 10);
    }
  }
  expect_as_dense(MixedData(500, 4).scaled(), 0.15, 12, 4);
}

// Few values each, so that many rows are equal or equally far from all others, and the lower of two must be taken.
TEST(MmdCritic, TiesAreBrokenAsByTheDenseFormula) {
  for (const std::uint64_t seed : {11U, 12U, 13U, 14U}) {
    std::mt19937_64 random(seed);
    std::vector<std::vector<double>> values(3);
    std::vector<double> weights;
    for (std::size_t i = 0; i < 120; ++i) {
      values[0].push_back(static_cast<double>(random() % 3));
      values[1].push_back(random() % 4 == 0 ? NAN : static_cast<double>(random() % 2));
      values[2].push_back(random() % 5 == 0 ? NAN : static_cast<double>(random() % 4));
      weights.push_back(seed % 2 == 0 ? 1 : static_cast<double>(random() % 3));  // some rows count nothing
    }
    // Mirrored, so that both ends of a column score alike.
    for (std::size_t i = 0; i < 120; ++i) {
      for (std::size_t j = 0; j < 3; ++j) values[j].push_back(j == 0 ? 2 - values[j][i] : values[j][i]);
      weights.push_back(weights[i]);
    }
    std::vector<std::uint32_t> all(weights.size());
    std::iota(all.begin(), all.end(), 0U);
    const std::vector<PointColumn> columns{
        {.values = values[0]}, {.values = values[1]}, {.categorical = true, .values = values[2]}};
    const ScaledRows rows(columns, column_scales(columns, weights), all, weights, Context(1));
    ASSERT_LT(rows.size(), 46U);
    SCOPED_TRACE(seed);
    expect_as_dense(rows, 0.25, 20, 8);
  }
}

TEST(MmdCritic, TilesEqualSumsInDouble) {
  Context context(2);
  const MixedData weighted(1500), alike(1500, 7, false);
  // By products and, where γ is large, by differences.
  for (const auto& [data, gamma] : {std::pair(&weighted, 0.02),
                                    {&alike, 0.1},
                                    {&alike, 0.5},
                                    {&weighted, 50.0},
                                    {&weighted, 1e4},
                                    {&alike, 1e30}}) {
    const ScaledRows rows = data->scaled();
    const auto [means, errors] = kernel_means_by_tiles(rows, gamma, context);
    double off = 0;
    for (std::size_t s = 0; s < swept.size(); ++s) {
      for (std::size_t i = 0; i < rows.size(); i += 13) {
        const std::vector<double> kernel = kernel_row(rows, i, gamma * swept[s], context);
        double sum = 0;
        for (std::size_t j = 0; j < rows.size(); ++j) sum += rows.weight(j) * kernel[j];
        const double exact = sum / rows.total_weight();
        EXPECT_NEAR(means[s][i], exact, errors[s][i]) << gamma << " " << s << " " << i;
        off = std::max(off, std::abs(means[s][i] / exact - 1));
      }
    }
    EXPECT_LT(off, 2e-6);
  }
}

// Means that are no numbers choose nothing.
TEST(MmdCritic, StopsWhereNoRowIsBetterThanOthers) {
  Context context(1);
  const MixedData data(20);
  const ScaledRows rows = data.scaled();
  KernelMean none(rows, 1, std::vector<double>(rows.size(), NAN), {});
  EXPECT_TRUE(choose_prototypes(rows, none, 3, context).points.empty());
}

TEST(MmdCritic, EveryPartCanBeStopped) {
  Context context(1), stopped(2);
  stopped.cancel();
  const MixedData data(50);
  const ScaledRows rows = data.scaled();
  KernelMean mean = kernel_mean(rows, 1, context);
  EXPECT_THROW(
      (void)ScaledRows(data.points(), column_scales(data.points(), data.weights), data.rows, data.weights, stopped),
      Cancelled);
  EXPECT_THROW((void)discrepancy_of(rows, mean, {1, 2, 3}, stopped), Cancelled);
  NearestPrototypes nearest(rows);
  EXPECT_THROW(nearest.add(1, stopped), Cancelled);
}

TEST(ClassPrototypes, TheRestGoesToTheLargestClasses) {
  const std::vector<std::size_t> many(3, 100);
  EXPECT_EQ(divided(8, std::vector<double>{2, 5, 3}, many), (std::vector<std::size_t>{2, 3, 3}));
  EXPECT_EQ(divided(7, std::vector<double>{1, 1, 1}, many), (std::vector<std::size_t>{3, 2, 2}));
  EXPECT_EQ(divided(1, std::vector<double>{1, 4}, many), (std::vector<std::size_t>{0, 1}));
  // A class of two different rows passes the rest on.
  const std::vector<std::size_t> few{2, 100, 100};
  EXPECT_EQ(divided(30, std::vector<double>{1, 5, 3}, few), (std::vector<std::size_t>{2, 14, 14}));
  EXPECT_EQ(divided(31, std::vector<double>{1, 5, 9}, few), (std::vector<std::size_t>{2, 14, 15}));
  EXPECT_EQ(divided(9, std::vector<double>{1, 1, 1}, std::vector<std::size_t>{1, 2, 3}),
            (std::vector<std::size_t>{1, 2, 3}));
}

TEST(ClassPrototypes, NearestAsByPlainLoops) {
  Context context(2);
  const MixedData data(5000, 6);
  const ScaledRows rows = data.scaled();
  const std::vector<std::uint32_t> chosen{17, 4000, 17, 230};  // of two that are equal the first
  NearestPrototypes nearest(rows);
  for (const std::uint32_t row : chosen) nearest.add(row, context);
  std::vector<double> expected(chosen.size(), 0.0);
  for (std::size_t point = 0; point < rows.size(); ++point) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < chosen.size(); ++i) {
      if (rows.squared_distance(rows.first_row(point), chosen[i]) <
          rows.squared_distance(rows.first_row(point), chosen[best]))
        best = i;
    }
    ASSERT_EQ(nearest.nearest()[point], best) << point;
    expected[best] += rows.weight(point);
  }
  EXPECT_EQ(nearest.stand_for(), expected);
  EXPECT_EQ(expected[2], 0);
}

// The rows at 1 are as far from the prototype at 2, which is chosen first, as from that at 0.
TEST(ClassPrototypes, TiesGoToTheLowerRow) {
  Context context(1);
  const std::vector<double> values{0, 3, 2, 1, 0, 2, 1, 3}, weights(8, 1.0);
  const std::vector<PointColumn> columns{{.categorical = false, .values = values}};
  const std::vector<std::uint32_t> every{0, 1, 2, 3, 4, 5, 6, 7};
  const ScaledRows rows(columns, column_scales(columns, weights), every, weights, context);
  NearestPrototypes nearest(rows);
  nearest.add(2, context);
  nearest.add(0, context);
  EXPECT_EQ(nearest.stand_for(), (std::vector<double>{4, 4}));
}

TEST(ClassPrototypes, GammaIsFiniteThriceOver) {
  Context context(1);
  const MixedData data(30);
  const ScaledRows rows = data.scaled();
  EXPECT_EQ(kernel_gamma(rows, 5e307, 0, context), 5e307);
  const double median = median_distance(rows, 1000, 0, context);
  EXPECT_EQ(kernel_gamma(rows, std::nullopt, 0, context), 1 / (2 * median * median));
  for (const double gamma : {1e308, HUGE_VAL, 0.0, -1.0, std::nan("")})
    EXPECT_THROW((void)kernel_gamma(rows, gamma, 0, context), Error) << gamma;
}

TEST(ClassPrototypes, DistancesThatAreNoNumbersAreAFaultOfTheData) {
  Context context(1);
  const std::vector<double> values{1e-320, 3e-320, 2e-320}, weights(3, 1.0);
  const std::vector<PointColumn> columns{{.categorical = false, .values = values}};
  const std::vector<std::uint32_t> every{0, 1, 2};
  const ScaledRows rows(columns, column_scales(columns, weights), every, weights, context);
  try {
    (void)kernel_gamma(rows, std::nullopt, 0, context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
  }
}

TEST(MmdCritic, AnyGammaIsLegalInTiles) {
  Context context(2);
  const MixedData data(1100, 3, false);
  const ScaledRows rows = data.scaled();
  for (const double gamma : {1e-300, 1e300}) {
    const TileMeans found = kernel_means_by_tiles(rows, gamma, context);
    for (const auto& means : found.means) {
      for (const double mean : means) EXPECT_NEAR(mean, gamma < 1 ? 1 : 1.0 / 1100, 1e-6);
    }
  }
}

TEST(MmdCritic, ManyRowsAreChosenAsInDouble) {
  Context context(2);
  for (const std::uint64_t seed : {4U, 5U}) {
    const MixedData data(1600, seed);
    const ScaledRows rows = data.scaled();
    const double gamma = 0.15;
    std::vector<double> exact(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<double> kernel = kernel_row(rows, i, gamma, context);
      for (std::size_t j = 0; j < rows.size(); ++j) exact[i] += rows.weight(j) * kernel[j] / rows.total_weight();
    }
    KernelMean plain(rows, gamma, exact, {});
    auto means = kernel_means(rows, gamma, context);
    EXPECT_GT(means[1].error(0), 0);
    const Prototypes expected = choose_prototypes(rows, plain, 30, context);
    const Prototypes found = choose_prototypes(rows, means[1], 30, context);
    EXPECT_EQ(found.points, expected.points);
    for (std::size_t i = 0; i < 30; ++i)
      EXPECT_NEAR(found.discrepancy[i] / expected.discrepancy[i], 1, 1e-6) << seed << " " << i;
    EXPECT_EQ(choose_criticisms(rows, means[1], found, 10, context).points,
              choose_criticisms(rows, plain, expected, 10, context).points);
    EXPECT_EQ(means[1].error(found.points[0]), 0);
  }
}

TEST(MmdCritic, AnyThreadsGiveTheSameBytes) {
  const MixedData data(2000);
  const ScaledRows rows = data.scaled();
  Context one(1), three(3);
  EXPECT_EQ(kernel_means_by_tiles(rows, 0.3, one).means, kernel_means_by_tiles(rows, 0.3, three).means);
}

TEST(MmdCritic, FewPointsAreAllThereIs) {
  Context context(1);
  const std::vector<double> numbers{1, 1, 2}, weights(3, 1.0);
  const std::vector<std::uint32_t> all{0, 1, 2};
  const std::vector<PointColumn> column{{.categorical = false, .values = numbers}};
  const ScaledRows rows(column, column_scales(column, weights), all, weights, Context(1));
  auto means = kernel_means(rows, 1, context);
  const Prototypes found = choose_prototypes(rows, means[1], 5, context);
  EXPECT_EQ(found.points, (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(choose_criticisms(rows, means[1], found, 3, context).points.empty());
}

}  // namespace
}  // namespace sightglass
