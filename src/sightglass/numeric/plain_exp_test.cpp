#include "sightglass/numeric/plain_exp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sightglass {
namespace {

TEST(PlainExp, IsTheExponentialFunction) {
  double worst = 0, worst_float = 0;
  for (int i = 0; i <= 700000; ++i) {
    const double x = -0.001 * i;
    worst = std::max(worst, std::abs(plain_exp(x) / std::exp(x) - 1));
    if (x > -87) {
      const auto single = static_cast<float>(x);
      worst_float = std::max(worst_float, std::abs(plain_exp(single) / std::exp(static_cast<double>(single)) - 1));
    }
  }
  EXPECT_LT(worst, 5e-16);
  EXPECT_LT(worst_float, 3e-7);
}

TEST(PlainExp, EndsAndLiterals) {
  EXPECT_EQ(plain_exp(0.0), 1);
  EXPECT_EQ(plain_exp(0.0F), 1);
  EXPECT_DOUBLE_EQ(plain_exp(-1.0), 0.36787944117144233);
  EXPECT_LT(plain_exp(-std::numeric_limits<double>::infinity()), 1e-300);
  EXPECT_GT(plain_exp(-1e9), 0);
}

}  // namespace
}  // namespace sightglass
