#include "sightglass/learn/panels/svm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sightglass {
namespace {

struct Points {
  std::vector<double> x, y, labels, costs;
  [[nodiscard]] SvmPoints view() const { return {{x, y}, labels, costs}; }
};

// A disc in its surroundings, with rows of weight 1, 2 and 3.
Points disc(int size = 24) {
  Points points;
  for (int i = 0; i < size; ++i) {
    points.x.push_back(std::sin(1.7 * i) * 2);
    points.y.push_back(std::cos(2.3 * i) * 2);
    const double radius = points.x.back() * points.x.back() + points.y.back() * points.y.back();
    points.labels.push_back(radius < 4 + std::sin(5.0 * i) ? 1 : -1);
    points.costs.push_back(1 + i % 3);
  }
  return points;
}

double kernel_value(const Points& points, const SvmKernel& kernel, std::size_t a, std::size_t b) {
  if (kernel.linear) return points.x[a] * points.x[b] + points.y[a] * points.y[b];
  const double dx = points.x[a] - points.x[b], dy = points.y[a] - points.y[b];
  return std::exp(-kernel.gamma * (dx * dx + dy * dy));
}

// By how much the solution violates the conditions of an optimum: |1 - y d| where a row is on the margin, and so on.
double violation(const Points& points, const SvmKernel& kernel, const SvmFit& fit) {
  double worst = 0, sum = 0;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    double decision = fit.bias;
    for (std::size_t j = 0; j < points.x.size(); ++j) {
      decision += fit.coefficients[j] * kernel_value(points, kernel, i, j);
    }
    EXPECT_NEAR(decision, fit.decisions[i], 1e-3);
    const double alpha = fit.coefficients[i] * points.labels[i], margin = points.labels[i] * decision - 1;
    EXPECT_GE(alpha, 0);
    EXPECT_LE(alpha, points.costs[i]);
    if (alpha < points.costs[i]) worst = std::max(worst, -margin);
    if (alpha > 0) worst = std::max(worst, margin);
    sum += fit.coefficients[i];
  }
  EXPECT_NEAR(sum, 0, 1e-9);
  return worst;
}

// scikit-learn 1.7: SVC(C=1, gamma=0.5, tol=1e-9).fit(X, y, sample_weight=w).decision_function(X).
TEST(Svm, AsScikitLearn) {
  const Points points = disc();
  const SvmFit fit = train_svm(points.view(), {.linear = false, .gamma = 0.5}, {.tolerance = 1e-7}, Context(1));
  EXPECT_NEAR(fit.bias, -0.5566322, 2e-5);
  const double expected[] = {-1.1250048, -0.9257611, 1.0168824, -1.1163403, 0.3648941, 0.1482718};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(fit.decisions[i], expected[i], 3e-5) << i;
}

TEST(Svm, FulfilsTheConditionsOfAnOptimum) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int size : {2, 9, 40, 203, 1501}) {  // the last is long enough for points to be left alone
    Points points;
    for (int i = 0; i < size; ++i) {
      points.labels.push_back(i % 2 == 0 ? 1 : -1);
      points.x.push_back(normal(random) + points.labels.back());
      points.y.push_back(normal(random));
      points.costs.push_back(0.5 + std::abs(normal(random)));
    }
    for (const SvmKernel& kernel : {SvmKernel{.linear = true}, SvmKernel{.gamma = 0.3}, SvmKernel{.gamma = 8}}) {
      const SvmFit fit = train_svm(points.view(), kernel, {.tolerance = 1e-4}, Context(1));
      EXPECT_LT(violation(points, kernel, fit), 2e-3) << size << " " << kernel.gamma;
    }
  }
}

TEST(Svm, AWeightOfTwoIsTheSameRowTwice) {
  Points weighted = disc(), twice = disc();
  for (std::size_t i = 0; i < weighted.x.size(); ++i) {
    twice.costs[i] = weighted.costs[i] = 1;
  }
  for (const std::size_t i : {3U, 8U}) {
    weighted.costs[i] = 2;
    twice.x.push_back(twice.x[i]);
    twice.y.push_back(twice.y[i]);
    twice.labels.push_back(twice.labels[i]);
    twice.costs.push_back(1);
  }
  const SvmKernel kernel{.gamma = 0.5};
  const SvmFit one = train_svm(weighted.view(), kernel, {.tolerance = 1e-6}, Context(1));
  const SvmFit other = train_svm(twice.view(), kernel, {.tolerance = 1e-6}, Context(1));
  for (std::size_t i = 0; i < weighted.x.size(); ++i) EXPECT_NEAR(one.decisions[i], other.decisions[i], 1e-4);
}

TEST(Svm, RoomForFewRowsChangesNothing) {
  const Points points = disc(200);
  const SvmFit roomy = train_svm(points.view(), {.gamma = 0.5}, {}, Context(1));
  const SvmFit tight = train_svm(points.view(), {.gamma = 0.5}, {.cache_bytes = 0}, Context(1));
  EXPECT_EQ(roomy.coefficients, tight.coefficients);
  EXPECT_EQ(roomy.bias, tight.bias);
}

TEST(Svm, OneKindOnly) {
  Points points = disc();
  points.labels.assign(points.labels.size(), 1);
  const SvmFit fit = train_svm(points.view(), {.gamma = 0.5}, {}, Context(1));
  for (const double coefficient : fit.coefficients) EXPECT_EQ(coefficient, 0);
  EXPECT_TRUE(std::isfinite(fit.bias));
}

TEST(Svm, NoPoints) {
  const SvmFit fit = train_svm({}, {.gamma = 0.5}, {}, Context(1));
  EXPECT_TRUE(fit.coefficients.empty());
  EXPECT_TRUE(fit.decisions.empty());
  EXPECT_EQ(fit.bias, 0);
}

TEST(Svm, SaysWhenStepsRanOut) {
  const Points points = disc(200);
  const SvmFit fit = train_svm(points.view(), {.gamma = 0.5}, {.most_steps = 3}, Context(1));
  EXPECT_GT(fit.gap, SvmLimits{}.tolerance);
  EXPECT_LE(train_svm(points.view(), {.gamma = 0.5}, {}, Context(1)).gap, SvmLimits{}.tolerance);
}

TEST(Svm, CanBeStopped) {
  Context context(1);
  context.cancel();
  const Points points = disc();
  EXPECT_ANY_THROW(static_cast<void>(train_svm(points.view(), {}, {}, context)));
}

}  // namespace
}  // namespace sightglass
