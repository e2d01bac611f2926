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

}  // namespace
}  // namespace sightglass
