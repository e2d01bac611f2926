#include "sightglass/numeric/largest_first.h"

#include <gtest/gtest.h>

#include <limits>

namespace sightglass {
namespace {

using Numbers = std::vector<double>;
using Places = std::vector<std::size_t>;

TEST(LargestFirst, TiesStayInTheirOrder) {
  EXPECT_EQ(largest_first(Numbers{1, 3, 2}), (Places{1, 2, 0}));
  EXPECT_EQ(largest_first(Numbers{1, 2, 1, 2}), (Places{1, 3, 0, 2}));
  EXPECT_EQ(largest_first(Numbers{}), Places{});
  EXPECT_EQ(largest_first(Numbers{0, 0}), (Places{0, 1}));
}

TEST(LargestFirst, RoundingMakesNoDifference) {
  EXPECT_EQ(largest_first(Numbers{1, 1 + 1e-12, 2}), (Places{2, 0, 1}));
  EXPECT_EQ(largest_first(Numbers{1e-15, 0, -1e-15, 1}), (Places{3, 0, 1, 2}));
  EXPECT_EQ(largest_first(Numbers{-1 - 1e-12, -1}), (Places{0, 1}));
  EXPECT_EQ(largest_first(Numbers{1, 1 + 1e-6}), (Places{1, 0}));
}

TEST(LargestFirst, NumbersMayBeInfinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(largest_first(Numbers{1, infinity, -infinity, infinity}), (Places{1, 3, 0, 2}));
}

}  // namespace
}  // namespace sightglass
