#include "sightglass/numeric/mds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sightglass {
namespace {

std::vector<double> distances_of(const std::vector<std::vector<double>>& points) {
  std::vector<double> distances;
  for (const auto& a : points) {
    for (const auto& b : points) {
      double squared = 0;
      for (std::size_t i = 0; i < a.size(); ++i) squared += (a[i] - b[i]) * (a[i] - b[i]);
      distances.push_back(std::sqrt(squared));
    }
  }
  return distances;
}

TEST(Mds, PointsOnALineComeBack) {
  const std::vector<std::vector<double>> points = {{3}, {-1}, {10}, {0.5}, {0.25}};
  const auto line = scale_to_line(distances_of(points), points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = 0; k < points.size(); ++k)
      EXPECT_NEAR(std::abs(line[i] - line[k]), std::abs(points[i][0] - points[k][0]), 1e-9);
  }
}

// Another way to the same: in 2-D the first principal component, from the 2 × 2 scatter matrix.
TEST(Mds, PointsInAPlaneFallOnTheirPrincipalAxis) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const std::size_t size : {3U, 10U, 200U}) {
    std::vector<std::vector<double>> points;
    double mean[2] = {}, xx = 0, xy = 0, yy = 0;
    for (std::size_t i = 0; i < size; ++i) {
      points.push_back({2 * normal(random), normal(random)});
      for (int d = 0; d < 2; ++d) mean[d] += points[i][d] / static_cast<double>(size);
    }
    for (const auto& p : points) {
      xx += (p[0] - mean[0]) * (p[0] - mean[0]);
      xy += (p[0] - mean[0]) * (p[1] - mean[1]);
      yy += (p[1] - mean[1]) * (p[1] - mean[1]);
    }
    const double angle = 0.5 * std::atan2(2 * xy, xx - yy);
    const auto line = scale_to_line(distances_of(points), size);
    const double sign =
        line[0] * (std::cos(angle) * (points[0][0] - mean[0]) + std::sin(angle) * (points[0][1] - mean[1]));
    for (std::size_t i = 0; i < size; ++i) {
      const double expected = std::cos(angle) * (points[i][0] - mean[0]) + std::sin(angle) * (points[i][1] - mean[1]);
      EXPECT_NEAR(line[i], sign > 0 ? expected : -expected, 1e-8);
    }
  }
}

TEST(Mds, OddInput) {
  EXPECT_TRUE(scale_to_line({}, 0).empty());
  EXPECT_EQ(scale_to_line(std::vector<double>{0}, 1), std::vector<double>{0});
  EXPECT_EQ(scale_to_line(std::vector<double>(16, 0.0), 4), std::vector<double>(4, 0.0));
  // All equally far apart: any line is as good, but it is one.
  std::vector<double> equal(25, 1.0);
  for (std::size_t i = 0; i < 5; ++i) equal[i * 6] = 0;
  const auto line = scale_to_line(equal, 5);
  double squares = 0;
  for (const double at : line) squares += at * at;
  EXPECT_NEAR(squares, 0.5, 1e-9);  // the eigenvalue of ½ (I − 1/n)
}

// Distances that no points have, some of them with large negative eigenvalues: still the largest one, B v = λ v.
TEST(Mds, TheLeadingVectorOfManyItems) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform;
  const std::size_t size = 1000;
  std::vector<double> distances(size * size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < i; ++k) distances[i * size + k] = distances[k * size + i] = 1 + uniform(random);
  }
  const auto line = scale_to_line(distances, size);
  double squares = 0, mean = 0;
  for (const double at : line) {
    squares += at * at;
    mean += at / static_cast<double>(size);
  }
  EXPECT_NEAR(mean, 0, 1e-9);
  // −½ J D² J v for centred v is −½ (D² v) minus its mean.
  std::vector<double> product(size, 0);
  double product_mean = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k)
      product[i] -= 0.5 * distances[i * size + k] * distances[i * size + k] * line[k];
    product_mean += product[i] / static_cast<double>(size);
  }
  for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(product[i] - product_mean, squares * line[i], 1e-8 * squares);
}

}  // namespace
}  // namespace sightglass
