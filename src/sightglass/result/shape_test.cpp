#include "sightglass/result/shape.h"

#include <gtest/gtest.h>

namespace sightglass {
namespace {

Shape shape(std::vector<double> mean) {
  std::vector<double> grid;
  for (std::size_t k = 0; k < mean.size(); ++k) grid.push_back(static_cast<double>(k));
  return shape_of(grid, mean);
}

TEST(Shape, Verdicts) {
  EXPECT_EQ(shape({3}), Shape::constant);
  EXPECT_EQ(shape({3, 3 + 1e-13, 3}), Shape::constant);
  EXPECT_EQ(shape({0, 1, 2, 3.05}), Shape::linear);
  EXPECT_EQ(shape({5, 4, 3}), Shape::linear);
  EXPECT_EQ(shape({0, 0, 0, 9, 9}), Shape::monotone);
  EXPECT_EQ(shape({0, 9, 0}), Shape::complex);
  EXPECT_EQ(shape({1e300, 2e300, 3e300}), Shape::linear);
}

TEST(Shape, SmallStepsAgainstTheTrendDoNotCount) {
  EXPECT_EQ(shape({0, 0, 50, 48, 100}), Shape::monotone);  // 2 % of the range
  EXPECT_EQ(shape({0, 0, 50, 36, 100}), Shape::complex);   // 14 %
  EXPECT_EQ(shape({100, 36, 50, 0, 0}), Shape::complex);   // the same falling
  EXPECT_EQ(shape({100, 48, 50, 0, 0}), Shape::monotone);
  // Many small ones add up.
  EXPECT_EQ(shape({0, 30, 26, 30, 26, 30, 26, 30, 100, 100}), Shape::complex);
  EXPECT_EQ(shape({0, 4e307, 3.9e307, 1e308, 1e308}), Shape::monotone);
}

TEST(Shape, WhatCannotBeToldFromNoiseIsNoShape) {
  const std::vector<double> grid{0, 1, 2, 3, 4}, mean{0, 0, 50, 36, 100};
  const std::vector<double> se{8, 8, 8, 8, 8}, large{500, 500, 500, 500, 500}, small{1, 1, 1, 1, 90};
  EXPECT_EQ(shape_of(grid, mean, {.se = se}), Shape::monotone);
  EXPECT_EQ(shape_of(grid, mean, {.se = small}), Shape::complex);
  // However little is known, a curve that falls by a third is not monotone.
  EXPECT_EQ(shape_of(grid, std::vector<double>{0, 0, 70, 37, 100}, {.se = large}), Shape::complex);
  EXPECT_EQ(shape_of(grid, mean, {.spread = 1000}), Shape::complex);
  EXPECT_EQ(shape_of(grid, mean, {.spread = 10100}), Shape::constant);
}

}  // namespace
}  // namespace sightglass
