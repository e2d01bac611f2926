#include "sightglass/methods/local/pieces/piece_samples.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

namespace sightglass {
namespace {

double total(const std::vector<double>& numbers) { return std::accumulate(numbers.begin(), numbers.end(), 0.0); }

TEST(PieceSamples, TheWholeComesFirst) {
  const PieceSamples samples = draw_pieces(70, 200, PieceDraw::sizes, 1, 0);
  EXPECT_EQ(samples.kept[0], 70U);
  EXPECT_TRUE(samples.has(0, 69));
  EXPECT_DOUBLE_EQ(total(samples.counts), 200);
  EXPECT_NEAR(total(samples.first_half), 100, 1);
  for (std::size_t row = 0; row < samples.rows; ++row) {
    std::size_t kept = 0;
    for (std::size_t piece = 0; piece < 70; ++piece) kept += samples.has(row, piece) ? 1 : 0;
    EXPECT_EQ(kept, samples.kept[row]);
  }
}

TEST(PieceSamples, AllThereAre) {
  const PieceSamples samples = draw_pieces(3, 100, PieceDraw::sizes, 1, 0);
  EXPECT_TRUE(samples.exact);
  EXPECT_EQ(samples.rows, 8U);
  EXPECT_DOUBLE_EQ(total(samples.counts), 100);
  EXPECT_DOUBLE_EQ(samples.counts[0], 1);
  EXPECT_DOUBLE_EQ(samples.counts[1], 99.0 / 9);  // one of three left out
  EXPECT_DOUBLE_EQ(samples.counts[7], 99.0 / 3);  // all
  const PieceSamples coins = draw_pieces(3, 81, PieceDraw::coins, 1, 0);
  EXPECT_DOUBLE_EQ(coins.counts[0], 11);
  EXPECT_DOUBLE_EQ(coins.counts[5], 10);
}

// How often samples come is what enumerating them says.
TEST(PieceSamples, DrawsComeAsOftenAsTheyShould) {
  for (const PieceDraw draw : {PieceDraw::sizes, PieceDraw::coins}) {
    const std::size_t many = 60'000;
    const PieceSamples all = draw_pieces(5, many, draw, 1, 0);
    std::map<std::uint64_t, double> drawn;
    for (std::uint64_t row = 0; row < many / 30; ++row) {
      const PieceSamples some = draw_pieces(5, 31, draw, 1, row);
      ASSERT_FALSE(some.exact);
      for (std::size_t i = 0; i < some.rows; ++i) drawn[some.bits[i]] += some.counts[i] - (i == 0 ? 1 : 0);
    }
    for (std::size_t i = 0; i < all.rows; ++i) {
      const double expected = all.counts[i] - (i == 0 ? 1 : 0);
      EXPECT_NEAR(drawn[all.bits[i]], expected, 5 * std::sqrt(expected) + 1) << i;
    }
  }
}

TEST(PieceSamples, Weights) {
  EXPECT_EQ(piece_weight(4, 4, 0.25), 1);
  // 1 − √(1/4) = ½: exp(−¼ / (2 · 1/16)) = e⁻².
  EXPECT_DOUBLE_EQ(piece_weight(1, 4, 0.25), std::exp(-2.0));
  EXPECT_DOUBLE_EQ(piece_weight(0, 4, 0.25), std::exp(-8.0));
}

}  // namespace
}  // namespace sightglass
