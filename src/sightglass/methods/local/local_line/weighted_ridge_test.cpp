#include "sightglass/methods/local/local_line/weighted_ridge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sightglass {
namespace {

const ForEach in_turn = [](std::string_view, std::size_t count, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = 0; i < count; ++i) body(i);
};

struct Rows {
  std::size_t rows = 0, features = 0;
  std::vector<double> columns, weights;
  Matrix y;
};

Rows random_rows(std::size_t rows, std::size_t features, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Rows made{.rows = rows, .features = features, .y = Matrix(rows, 2)};
  made.columns.resize(rows * features);
  for (double& x : made.columns) x = static_cast<double>(random() % 2);
  for (std::size_t i = 0; i < rows; ++i) {
    made.weights.push_back(0.1 + static_cast<double>(random() % 10));
    for (std::size_t k = 0; k < 2; ++k) {
      double sum = normal(random);
      for (std::size_t j = 0; j < features; ++j)
        sum += (k == 0 ? 1.0 : -2.0) / static_cast<double>(j + 1) * made.columns[j * rows + i];
      made.y.span()(i, k) = sum;
    }
  }
  return made;
}

WeightedMoments moments_of(const Rows& rows) {
  return weighted_moments(rows.columns, rows.features, rows.weights, rows.y.span(), in_turn);
}

// The normal equations with an intercept that is not penalised, by elimination.
std::vector<double> plain_ridge(const Rows& rows, std::size_t output, const std::vector<std::size_t>& features,
                                double alpha) {
  const std::size_t size = features.size() + 1;
  std::vector<std::vector<double>> a(size, std::vector<double>(size + 1));
  for (std::size_t i = 0; i < rows.rows; ++i) {
    std::vector<double> x{1};
    for (const std::size_t j : features) x.push_back(rows.columns[j * rows.rows + i]);
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t k = 0; k < size; ++k) a[j][k] += rows.weights[i] * x[j] * x[k];
      a[j][size] += rows.weights[i] * x[j] * rows.y(i, output);
    }
  }
  for (std::size_t j = 1; j < size; ++j) a[j][j] += alpha;
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t other = 0; other < size; ++other) {
      if (other == j) continue;
      const double factor = a[other][j] / a[j][j];
      for (std::size_t k = 0; k <= size; ++k) a[other][k] -= factor * a[j][k];
    }
  }
  std::vector<double> found;
  for (std::size_t j = 0; j < size; ++j) found.push_back(a[j][size] / a[j][j]);
  return found;
}

double plain_r2(const Rows& rows, std::size_t output, const std::vector<std::size_t>& features,
                const std::vector<double>& line) {
  double weight = 0, mean = 0, around = 0, left = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    weight += rows.weights[i];
    mean += rows.weights[i] * rows.y(i, output);
  }
  mean /= weight;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    double said = line[0];
    for (std::size_t k = 0; k < features.size(); ++k) said += line[k + 1] * rows.columns[features[k] * rows.rows + i];
    around += rows.weights[i] * std::pow(rows.y(i, output) - mean, 2);
    left += rows.weights[i] * std::pow(rows.y(i, output) - said, 2);
  }
  return 1 - left / around;
}

TEST(WeightedRidge, ALineByHand) {
  // x: 0 0 1 1, y: 1 1 3 5, weights 1 1 1 1: without a penalty 1 + 3 x; Σ(x − ½)² = 1, so α = 1 halves the slope.
  const std::vector<double> x{0, 0, 1, 1}, weights{1, 1, 1, 1};
  Matrix y(4, 1);
  for (std::size_t i = 0; i < 4; ++i) y.span()(i, 0) = std::vector<double>{1, 1, 3, 5}[i];
  const WeightedMoments moments = weighted_moments(x, 1, weights, y.span(), in_turn);
  const WeightedLine line = weighted_ridge(moments, 0, {0}, 0);
  EXPECT_DOUBLE_EQ(line.intercept, 1);
  EXPECT_DOUBLE_EQ(line.coefficients[0], 3);
  EXPECT_DOUBLE_EQ(line.r2, 9.0 / 11);
  const WeightedLine shrunk = weighted_ridge(moments, 0, {0}, 1);
  EXPECT_DOUBLE_EQ(shrunk.coefficients[0], 1.5);
  EXPECT_DOUBLE_EQ(shrunk.intercept, 1.75);
}

TEST(WeightedRidge, EqualsTheNormalEquations) {
  const Rows rows = random_rows(203, 9, 1);
  const WeightedMoments moments = moments_of(rows);
  for (const double alpha : {0.0, 0.01, 1.0, 30.0}) {
    for (const std::vector<std::size_t>& features :
         {std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}, std::vector<std::size_t>{2, 7}}) {
      for (const std::size_t output : {0, 1}) {
        const WeightedLine line = weighted_ridge(moments, output, features, alpha);
        const std::vector<double> plain = plain_ridge(rows, output, features, alpha);
        EXPECT_NEAR(line.intercept, plain[0], 1e-10);
        for (std::size_t k = 0; k < features.size(); ++k) EXPECT_NEAR(line.coefficients[k], plain[k + 1], 1e-10);
        EXPECT_NEAR(line.r2, plain_r2(rows, output, features, plain), 1e-10);
      }
    }
  }
}

TEST(WeightedRidge, HalvesMakeTheWhole) {
  const Rows rows = random_rows(60, 5, 2);
  const WeightedMoments all = moments_of(rows);
  WeightedMoments halves[2];
  for (const std::size_t half : {0, 1}) {
    Rows part{.rows = 30, .features = 5, .y = Matrix(30, 2)};
    for (std::size_t j = 0; j < 5; ++j) {
      for (std::size_t i = 0; i < 30; ++i) part.columns.push_back(rows.columns[j * 60 + half * 30 + i]);
    }
    for (std::size_t i = 0; i < 30; ++i) {
      part.weights.push_back(rows.weights[half * 30 + i]);
      for (const std::size_t k : {0, 1}) part.y.span()(i, k) = rows.y(half * 30 + i, k);
    }
    halves[half] = moments_of(part);
  }
  const WeightedMoments both = merged(halves[0], halves[1]);
  EXPECT_NEAR(both.weight, all.weight, 1e-9);
  for (std::size_t i = 0; i < all.products.size(); ++i) EXPECT_NEAR(both.products[i], all.products[i], 1e-9);
  for (std::size_t i = 0; i < all.with.size(); ++i) EXPECT_NEAR(both.with[i], all.with[i], 1e-9);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(both.squares[i], all.squares[i], 1e-9);
}

TEST(WeightedRidge, ForwardSelectionTakesTheBestOfAllLeft) {
  const Rows rows = random_rows(80, 6, 3);
  const WeightedMoments moments = moments_of(rows);
  std::vector<std::size_t> wanted;
  for (std::size_t step = 0; step < 4; ++step) {
    double best = -1;
    std::size_t chosen = 0;
    for (std::size_t j = 0; j < 6; ++j) {
      if (std::find(wanted.begin(), wanted.end(), j) != wanted.end()) continue;
      std::vector<std::size_t> features = wanted;
      features.push_back(j);
      const double r2 = plain_r2(rows, 1, features, plain_ridge(rows, 1, features, 0));
      if (r2 > best) {
        best = r2;
        chosen = j;
      }
    }
    wanted.push_back(chosen);
  }
  EXPECT_EQ(forward_selection(moments, 1, 4), wanted);
}

TEST(WeightedRidge, HighestWeights) {
  const WeightedMoments moments = moments_of(random_rows(500, 5, 4));
  EXPECT_EQ(highest_weights(moments, 1, 2), (std::vector<std::size_t>{0, 1}));
  const std::vector<double> scale{0, 1, 1, 1, 9};
  EXPECT_EQ(highest_weights(moments, 1, 1, scale), (std::vector<std::size_t>{4}));
  EXPECT_EQ(highest_weights(moments, 1, 99).size(), 5U);
}

TEST(WeightedRidge, FeaturesThatRepeatOrDoNotMove) {
  Rows rows = random_rows(50, 3, 5);
  for (std::size_t i = 0; i < 50; ++i) {
    rows.columns[50 + i] = rows.columns[i];
    rows.columns[100 + i] = 1;
  }
  const WeightedMoments moments = moments_of(rows);
  const WeightedLine line = weighted_ridge(moments, 0, {0, 1, 2}, 0);
  EXPECT_NEAR(line.coefficients[0], plain_ridge(rows, 0, {0}, 0)[1], 1e-10);
  EXPECT_EQ(line.coefficients[1], 0);
  EXPECT_EQ(line.coefficients[2], 0);
  EXPECT_EQ(forward_selection(moments, 0, 3).size(), 1U);
}

TEST(WeightedRidge, AnOutputThatDoesNotMove) {
  Rows rows = random_rows(50, 3, 6);
  for (std::size_t i = 0; i < 50; ++i) rows.y.span()(i, 0) = 0.1;
  const WeightedLine line = weighted_ridge(moments_of(rows), 0, {0, 1, 2}, 0);
  EXPECT_EQ(line.coefficients, (std::vector<double>{0, 0, 0}));
  EXPECT_NEAR(line.intercept, 0.1, 1e-15);
  EXPECT_EQ(line.r2, 1);
}

// Over many draws the spread of the coefficients is what the standard errors say.
TEST(WeightedRidge, StandardErrorsAreTheSpreadOverDraws) {
  double sum = 0, square = 0, said = 0;
  constexpr std::size_t draws = 300;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const Rows rows = random_rows(200, 3, 100 + draw);
    const WeightedMoments moments = moments_of(rows);
    const WeightedLine line = weighted_ridge(moments, 0, {0, 1, 2}, 1);
    std::vector<double> y;
    for (std::size_t i = 0; i < rows.rows; ++i) y.push_back(rows.y(i, 0));
    said += standard_errors(moments, line, rows.columns, rows.weights, {}, y, 1)[1] / draws;
    sum += line.coefficients[1] / draws;
    square += line.coefficients[1] * line.coefficients[1] / draws;
  }
  EXPECT_NEAR(said, std::sqrt(square - sum * sum), 0.1 * said);
}

}  // namespace
}  // namespace sightglass
