#include "sightglass/learn/linear/coordinate_descent.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sightglass/base/random.h"
#include "sightglass/learn/linear/cholesky.h"

namespace sightglass {
namespace {

double uniform(std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(random_bits(7, stream, index) >> 11) * 0x1p-53 - 0.5;
}

// Columns that share a part, so that they go together.
LeastSquares random_problem(std::size_t rows, std::size_t terms, std::uint64_t stream) {
  std::vector<double> x(rows * terms), y(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const double shared = uniform(stream, r);
    y[r] = uniform(stream + 1, r);
    for (std::size_t j = 0; j < terms; ++j) {
      x[r * terms + j] = uniform(stream + 2, r * terms + j) + shared;
      y[r] += j % 3 == 0 ? x[r * terms + j] / static_cast<double>(j + 1) : 0;
    }
  }
  LeastSquares problem{.terms = terms,
                       .products = std::vector<double>(terms * terms),
                       .target = std::vector<double>(terms),
                       .penalty = std::vector<double>(terms, 1.0)};
  const auto n = static_cast<double>(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    problem.target_square += y[r] * y[r] / n;
    for (std::size_t i = 0; i < terms; ++i) {
      problem.target[i] += x[r * terms + i] * y[r] / n;
      for (std::size_t j = 0; j < terms; ++j)
        problem.products[i * terms + j] += x[r * terms + i] * x[r * terms + j] / n;
    }
  }
  return problem;
}

std::vector<double> gradient_of(const LeastSquares& problem, const std::vector<double>& b) {
  std::vector<double> gradient = problem.target;
  for (std::size_t i = 0; i < problem.terms; ++i) {
    for (std::size_t j = 0; j < problem.terms; ++j) gradient[i] -= problem.products[i * problem.terms + j] * b[j];
  }
  return gradient;
}

TEST(CoordinateDescent, OneTermIsShrunk) {
  const LeastSquares problem{.terms = 1, .products = {2}, .target = {3}, .target_square = 5, .penalty = {1}};
  CoordinateDescent descent(problem);
  EXPECT_TRUE(descent.solve({.lambda = 1}, 1e-15));
  EXPECT_NEAR(descent.coefficients()[0], 1, 1e-15);  // (3 − 1) / 2
  EXPECT_NEAR(descent.mean_square(), 5 - 2 * 3 + 2, 1e-15);
  EXPECT_TRUE(descent.solve({.lambda = 2, .l1_ratio = 0.5}, 1e-15));
  EXPECT_NEAR(descent.coefficients()[0], 2.0 / 3, 1e-15);  // (3 − 1) / (2 + 1)
  EXPECT_TRUE(descent.solve({.lambda = 3}, 1e-15));
  EXPECT_EQ(descent.coefficients()[0], 0);
  EXPECT_EQ(largest_lambda(problem, problem.target, 1), 3);
}

TEST(CoordinateDescent, MeetsTheConditionsOfTheMinimum) {
  for (const double l1_ratio : {1.0, 0.5, 0.1}) {
    LeastSquares problem = random_problem(200, 30, 10);
    problem.penalty[4] = 0;
    problem.penalty[5] = 2.5;
    CoordinateDescent descent(problem);
    for (const double lambda : penalty_sequence(largest_lambda(problem, problem.target, l1_ratio), 1e-3, 20)) {
      ASSERT_TRUE(descent.solve({lambda, l1_ratio}, 1e-14 * problem.target_square));
      const auto gradient = gradient_of(problem, descent.coefficients());
      for (std::size_t j = 0; j < problem.terms; ++j) {
        const double b = descent.coefficients()[j], p = problem.penalty[j] * lambda;
        if (b == 0) {
          EXPECT_LE(std::abs(gradient[j]), p * l1_ratio * (1 + 1e-6));
        } else {
          EXPECT_NEAR(gradient[j] - p * (1 - l1_ratio) * b, std::copysign(p * l1_ratio, b), 1e-6);
        }
      }
    }
  }
}

TEST(CoordinateDescent, GroupsAreInTheModelTogether) {
  LeastSquares problem = random_problem(300, 24, 20);
  problem.units = {0, 1, 2, 6, 12, 13, 24};
  for (std::size_t u = 0; u + 1 < problem.units.size(); ++u) {
    for (std::size_t j = problem.units[u]; j < problem.units[u + 1]; ++j) {
      problem.penalty[j] = std::sqrt(problem.units[u + 1] - problem.units[u]);
    }
  }
  CoordinateDescent descent(problem);
  std::size_t together = 0, gone = 0;
  for (const double lambda : penalty_sequence(largest_lambda(problem, problem.target, 0.9), 1e-2, 12)) {
    ASSERT_TRUE(descent.solve({lambda, 0.9}, 1e-13 * problem.target_square));
    const auto gradient = gradient_of(problem, descent.coefficients());
    for (std::size_t u = 0; u + 1 < problem.units.size(); ++u) {
      double own = 0, slope = 0, p = problem.penalty[problem.units[u]] * lambda;
      for (std::size_t j = problem.units[u]; j < problem.units[u + 1]; ++j) {
        own += descent.coefficients()[j] * descent.coefficients()[j];
        slope += gradient[j] * gradient[j];
      }
      if (own == 0) {
        ++gone;
        EXPECT_LE(std::sqrt(slope), 0.9 * p * (1 + 1e-6));
        continue;
      }
      ++together;
      for (std::size_t j = problem.units[u]; j < problem.units[u + 1]; ++j) {
        const double b = descent.coefficients()[j];
        EXPECT_NE(b, 0);
        EXPECT_NEAR(gradient[j], 0.9 * p * b / std::sqrt(own) + 0.1 * p * b, 1e-5);
      }
    }
  }
  EXPECT_GT(together, 10U);
  EXPECT_GT(gone, 5U);
}

TEST(CoordinateDescent, EqualColumnsDoNotHang) {
  // Twice the same column, one of zeros, one that is the sum of two others.
  const std::vector<double> g = {1, 1, 0, 2, 1, 1, 0, 2, 0, 0, 0, 0, 2, 2, 0, 4};
  const LeastSquares problem{
      .terms = 4, .products = g, .target = {1, 1, 0, 2}, .target_square = 1.5, .penalty = {1, 1, 1, 1}};
  for (const double l1_ratio : {1.0, 0.5, 0.0}) {
    CoordinateDescent descent(problem);
    for (const double lambda : {0.5, 0.01, 0.0}) {
      EXPECT_TRUE(descent.solve({lambda, l1_ratio}, 1e-8)) << lambda << " " << l1_ratio;
      EXPECT_EQ(descent.coefficients()[2], 0);
    }
    EXPECT_NEAR(descent.mean_square(), 0.5, 1e-6);
  }
}

TEST(CoordinateDescent, GoesOnFromElsewhere) {
  const LeastSquares problem = random_problem(100, 12, 30);
  CoordinateDescent straight(problem), elsewhere(problem);
  straight.solve({0.01}, 1e-15);
  elsewhere.start_from(std::vector<double>(12, 1.0));
  elsewhere.solve({0.01}, 1e-15);
  for (std::size_t j = 0; j < 12; ++j) EXPECT_NEAR(straight.coefficients()[j], elsewhere.coefficients()[j], 1e-7);
}

TEST(Cholesky, LeavesOutWhatFollowsFromOthers) {
  // The third row is the sum of the first two.
  std::vector<double> matrix = {4, 2, 6, 2, 3, 5, 6, 5, 11};
  EXPECT_EQ(cholesky(matrix, 3, 1e-10), (std::vector<std::uint32_t>{2}));
  std::vector<double> right = {2, 5, 7};
  cholesky_solve(matrix, 3, right);
  EXPECT_NEAR(right[0], -0.5, 1e-15);
  EXPECT_NEAR(right[1], 2, 1e-15);
  EXPECT_EQ(right[2], 0);
  const auto inverse = cholesky_inverse(matrix, 3);
  EXPECT_NEAR(inverse[0], 3.0 / 8, 1e-15);
  EXPECT_NEAR(inverse[1], -2.0 / 8, 1e-15);
  EXPECT_NEAR(inverse[4], 4.0 / 8, 1e-15);
  EXPECT_EQ(inverse[8], 0);
}

}  // namespace
}  // namespace sightglass
