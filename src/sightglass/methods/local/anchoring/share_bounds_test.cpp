#include "sightglass/methods/local/anchoring/share_bounds.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sightglass {
namespace {

TEST(ShareBounds, ClosedFormsWhereAllOrNoneAreGood) {
  // n log(1/p) = level.
  EXPECT_DOUBLE_EQ(lower_share(20, 20, 3), std::exp(-3.0 / 20));
  EXPECT_EQ(upper_share(20, 20, 3), 1);
  EXPECT_DOUBLE_EQ(upper_share(0, 20, 3), 1 - std::exp(-3.0 / 20));
  EXPECT_EQ(lower_share(0, 20, 3), 0);
  EXPECT_EQ(lower_share(0, 0, 3), 0);
  EXPECT_EQ(upper_share(0, 0, 3), 1);
}

TEST(ShareBounds, AreWhereTheDivergenceReachesTheLevel) {
  const auto divergence = [](double p, double q) {
    return p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q));
  };
  for (const double good : {1.0, 30.0, 77.5, 99.0}) {
    const double low = lower_share(good, 100, 2.5), high = upper_share(good, 100, 2.5);
    EXPECT_LT(low, good / 100);
    EXPECT_GT(high, good / 100);
    EXPECT_NEAR(100 * divergence(good / 100, low), 2.5, 1e-10);
    EXPECT_NEAR(100 * divergence(good / 100, high), 2.5, 1e-10);
    for (const double bound : {0.0, good / 100, high - 1e-9, high + 1e-9, 0.999999, 1.0})
      EXPECT_EQ(upper_share_above(good, 100, 2.5, bound), high > bound) << good << " " << bound;
  }
}

// Of coins with a known share the lower bound is above it at most exp(−level) of the time: exact, by the binomial.
TEST(ShareBounds, AreWrongNoMoreOftenThanPromised) {
  const double level = std::log(20.0);
  for (const double truth : {0.5, 0.9, 0.97}) {
    const int n = 60;
    double wrong = 0, choose = 1;
    for (int good = 0; good <= n; ++good) {
      if (good > 0) choose *= static_cast<double>(n - good + 1) / good;
      if (lower_share(good, n, level) > truth) wrong += choose * std::pow(truth, good) * std::pow(1 - truth, n - good);
    }
    EXPECT_LE(wrong, 0.05) << truth;
  }
}

}  // namespace
}  // namespace sightglass
