#include "sightglass/result/curve_shape.h"

#include <gtest/gtest.h>

namespace sightglass {
namespace {

CurveShape shape(std::vector<double> mean) {
  std::vector<double> grid;
  for (std::size_t k = 0; k < mean.size(); ++k) grid.push_back(static_cast<double>(k));
  return shape_of(grid, mean);
}

TEST(CurveShape, Verdicts) {
  EXPECT_EQ(shape({3}), CurveShape::constant);
  EXPECT_EQ(shape({3, 3 + 1e-13, 3}), CurveShape::constant);
  EXPECT_EQ(shape({0, 1, 2, 3.05}), CurveShape::linear);
  EXPECT_EQ(shape({5, 4, 3}), CurveShape::linear);
  EXPECT_EQ(shape({0, 0, 0, 9, 9}), CurveShape::monotone);
  EXPECT_EQ(shape({0, 9, 0}), CurveShape::complex);
  EXPECT_EQ(shape({1e300, 2e300, 3e300}), CurveShape::linear);
}

TEST(CurveShape, SmallStepsAgainstTheTrendDoNotCount) {
  EXPECT_EQ(shape({0, 0, 50, 48, 100}), CurveShape::monotone);  // 2 % of the range
  EXPECT_EQ(shape({0, 0, 50, 36, 100}), CurveShape::complex);   // 14 %
  EXPECT_EQ(shape({100, 36, 50, 0, 0}), CurveShape::complex);   // the same falling
  EXPECT_EQ(shape({100, 48, 50, 0, 0}), CurveShape::monotone);
  // Many small ones add up.
  EXPECT_EQ(shape({0, 30, 26, 30, 26, 30, 26, 30, 100, 100}), CurveShape::complex);
  EXPECT_EQ(shape({0, 4e307, 3.9e307, 1e308, 1e308}), CurveShape::monotone);
}

TEST(CurveShape, WhatCannotBeToldFromNoiseIsNoShape) {
  const std::vector<double> grid{0, 1, 2, 3, 4}, mean{0, 0, 50, 36, 100};
  const std::vector<double> se{8, 8, 8, 8, 8}, large{500, 500, 500, 500, 500}, small{1, 1, 1, 1, 90};
  EXPECT_EQ(shape_of(grid, mean, {.se = se}), CurveShape::monotone);
  EXPECT_EQ(shape_of(grid, mean, {.se = small}), CurveShape::complex);
  // However little is known, a curve that falls by a third is not monotone.
  EXPECT_EQ(shape_of(grid, std::vector<double>{0, 0, 70, 37, 100}, {.se = large}), CurveShape::complex);
  EXPECT_EQ(shape_of(grid, mean, {.spread = 1000}), CurveShape::complex);
  EXPECT_EQ(shape_of(grid, mean, {.spread = 10100}), CurveShape::constant);
}

}  // namespace
}  // namespace sightglass
