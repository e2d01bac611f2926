#include "sightglass/model/derived/number_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sightglass {
namespace {

TEST(NumberSet, RanksAscendWithNumbersWithoutGaps) {
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(rank_of(0.0), 0);
  EXPECT_EQ(rank_of(-0.0), 0);
  EXPECT_EQ(rank_of(smallest), 1);
  EXPECT_EQ(rank_of(-smallest), -1);
  for (const double number : std::vector<double>{-INFINITY, -1e300, -1, 1, 0.3, 1e-310, 1e308}) {
    EXPECT_EQ(number_at(rank_of(number)), number);
    EXPECT_EQ(rank_of(std::nextafter(number, INFINITY)), rank_of(number) + 1);
  }
}

TEST(NumberSet, IntersectionsAndDifferences) {
  const NumberSet a = NumberSet::of({{30, 40}, {0, 10}, {11, 20}}, true);
  EXPECT_EQ(a, (NumberSet{.intervals = {{0, 20}, {30, 40}}, .missing = true}));
  const NumberSet b = NumberSet::of({{5, 6}, {15, 35}}, false);
  EXPECT_EQ(intersection(a, b), (NumberSet{.intervals = {{5, 6}, {15, 20}, {30, 35}}, .missing = false}));
  EXPECT_EQ(intersection(b, a), intersection(a, b));
  EXPECT_EQ(difference(a, b), (NumberSet{.intervals = {{0, 4}, {7, 14}, {36, 40}}, .missing = true}));
  EXPECT_EQ(difference(b, a), (NumberSet{.intervals = {{21, 29}}, .missing = false}));
  EXPECT_TRUE(difference(a, a).empty());
  EXPECT_TRUE(a.contains(NAN));
  EXPECT_FALSE(b.contains(NAN));
  EXPECT_TRUE(NumberSet::all().contains(-INFINITY));
}

}  // namespace
}  // namespace sightglass
