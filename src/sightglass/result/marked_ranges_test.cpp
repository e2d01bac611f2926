#include "sightglass/result/marked_ranges.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sightglass {
namespace {

TEST(MarkedRanges, ReachHalfWayToTheirNeighbours) {
  const auto ranges = marked_ranges({0, 1, 2, 4, 8, 16}, {0, 2, 3, 5});
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_EQ(ranges[0].low, 0);
  EXPECT_EQ(ranges[0].high, 0.5);
  EXPECT_TRUE(ranges[0].from_start);
  EXPECT_FALSE(ranges[0].to_end);
  EXPECT_EQ(ranges[1].low, 1.5);
  EXPECT_EQ(ranges[1].high, 6);
  EXPECT_FALSE(ranges[1].from_start || ranges[1].to_end);
  EXPECT_EQ(ranges[2].low, 12);
  EXPECT_EQ(ranges[2].high, 16);
  EXPECT_TRUE(ranges[2].to_end);
}

TEST(MarkedRanges, EndWithTheGrid) {
  const auto ranges = marked_ranges({3}, {0});
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].low, 3);
  EXPECT_EQ(ranges[0].high, 3);
  EXPECT_TRUE(ranges[0].from_start && ranges[0].to_end);
  EXPECT_TRUE(marked_ranges({}, {0}).empty());
  EXPECT_TRUE(marked_ranges({1, 2}, {7}).empty());
}

TEST(MarkedRanges, InfiniteGridPointsAreNotInAnyRange) {
  const auto ranges = marked_ranges({-INFINITY, -1.5e308, 1.5e308, INFINITY}, {0, 1, 2, 3});
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].low, -1.5e308);
  EXPECT_EQ(ranges[0].high, 1.5e308);
  EXPECT_TRUE(ranges[0].from_start && ranges[0].to_end);
}

}  // namespace
}  // namespace sightglass
