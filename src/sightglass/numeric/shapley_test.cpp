#include "sightglass/numeric/shapley.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace sightglass {
namespace {

TEST(Shapley, TheGloveGame) {
  // Players 0 and 1 have a left glove, player 2 a right one; a pair is worth 1.
  const std::vector<double> game{0, 0, 0, 0, 0, 1, 1, 1};
  std::array<double, 3> values{};
  shapley_values(game, 3, values);
  EXPECT_NEAR(values[0], 1.0 / 6, 1e-15);
  EXPECT_NEAR(values[1], 1.0 / 6, 1e-15);
  EXPECT_NEAR(values[2], 4.0 / 6, 1e-15);
}

TEST(Shapley, OnePlayerGetsAll) {
  std::array<double, 1> value{}, matrix{};
  shapley_values(std::vector<double>{2, 7}, 1, value);
  shapley_interactions(std::vector<double>{2, 7}, 1, value, matrix);
  EXPECT_EQ(value[0], 5);
  EXPECT_EQ(matrix[0], 5);
}

TEST(Shapley, AProductIsAllInteraction) {
  // v = 10 where both are in: each gets half, and all of it is joint.
  std::array<double, 2> values{};
  std::array<double, 4> matrix{};
  const std::vector<double> game{0, 0, 0, 10};
  shapley_values(game, 2, values);
  shapley_interactions(game, 2, values, matrix);
  EXPECT_EQ(values, (std::array<double, 2>{5, 5}));
  EXPECT_EQ(matrix, (std::array<double, 4>{0, 5, 5, 0}));
}

TEST(Shapley, RowsOfInteractionsAddUpToTheValues) {
  // x0·x1·x2 + x0: three players share the product, pairs have a third of it each (a sixth on each side).
  const std::vector<double> game{0, 1, 0, 1, 0, 1, 0, 13};
  std::array<double, 3> values{};
  std::array<double, 9> matrix{};
  shapley_values(game, 3, values);
  shapley_interactions(game, 3, values, matrix);
  EXPECT_NEAR(values[0], 5, 1e-14);
  EXPECT_NEAR(values[1], 4, 1e-14);
  EXPECT_NEAR(matrix[1], 3, 1e-14);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(matrix[j * 3] + matrix[j * 3 + 1] + matrix[j * 3 + 2], values[j], 1e-14);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(matrix[j * 3 + k], matrix[k * 3 + j]);
  }
}

}  // namespace
}  // namespace sightglass
