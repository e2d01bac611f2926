#include "sightglass/methods/local/pieces/piece_moments.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "sightglass/methods/local/pieces/common_bits_internal.h"

namespace sightglass {
namespace {

const ForEach one_by_one = [](std::string_view, std::size_t count, const std::function<void(std::size_t)>& body) {
  for (std::size_t i = 0; i < count; ++i) body(i);
};

// Counted products are those that multiplying 0 and 1 gives.
TEST(PieceMoments, AreThoseOfColumnsOfNumbers) {
  struct Case {
    std::size_t pieces, samples;
    PieceDraw draw;
    double width;
  };
  for (const Case& each : {Case{6, 500, PieceDraw::sizes, 0.25}, Case{31, 300, PieceDraw::sizes, 0.25},
                           Case{32, 300, PieceDraw::sizes, 0.25}, Case{33, 300, PieceDraw::coins, 0.25},
                           Case{64, 301, PieceDraw::sizes, 0.25}, Case{35, 700, PieceDraw::sizes, 0.25},
                           Case{70, 900, PieceDraw::coins, 0.5}, Case{140, 400, PieceDraw::sizes, 0.05}}) {
    const PieceSamples samples = draw_pieces(each.pieces, each.samples, each.draw, 3, 1);
    std::vector<double> weights(samples.rows);
    Matrix y(samples.rows, 2);
    for (std::size_t i = 0; i < samples.rows; ++i) {
      weights[i] = (samples.exact ? samples.counts[i] : samples.first_half[i]) *
                   piece_weight(samples.kept[i], each.pieces, each.width);
      for (std::size_t k = 0; k < 2; ++k)
        y.span()(i, k) = 5 + std::sin(static_cast<double>(i + k)) + (samples.has(i, k + 1) ? 1 : 0);
    }
    std::vector<std::size_t> pieces(each.pieces);
    std::iota(pieces.begin(), pieces.end(), std::size_t{0});
    const WeightedMoments counted = PieceSets(samples).moments(pieces, weights, y.span(), one_by_one);
    const WeightedMoments plain =
        weighted_moments(piece_columns(samples, pieces), each.pieces, weights, y.span(), one_by_one);
    EXPECT_NEAR(counted.weight, plain.weight, 1e-12 * plain.weight);
    const double scale = 1e-11 * plain.weight;
    for (std::size_t j = 0; j < each.pieces; ++j) {
      EXPECT_NEAR(counted.mean[j], plain.mean[j], 1e-12);
      for (std::size_t k = 0; k < each.pieces; ++k)
        ASSERT_NEAR(counted.products[j * each.pieces + k], plain.products[j * each.pieces + k], scale) << j << " " << k;
      for (std::size_t k = 0; k < 2; ++k)
        EXPECT_NEAR(counted.with[k * each.pieces + j], plain.with[k * each.pieces + j], scale);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(counted.means[k], plain.means[k], 1e-12);
      EXPECT_NEAR(counted.squares[k], plain.squares[k], scale);
    }
  }
}

TEST(PieceMoments, CountBitsAlikeOnEveryProcessor) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> a(64), b(64);
  std::vector<double> weights(64);
  for (std::size_t i = 0; i < 64; ++i) {
    a[i] = static_cast<std::uint32_t>(random());
    b[i] = static_cast<std::uint32_t>(random());
    weights[i] = std::exp(-static_cast<double>(random() % 1000) / 100);
  }
  for (const CommonBits each : all_common_bits()) {
    for (const std::size_t size : {0, 8, 24, 64})
      EXPECT_EQ(each(a.data(), b.data(), weights.data(), size),
                all_common_bits().back()(a.data(), b.data(), weights.data(), size));
  }
  const std::vector<double> ones(64, 1);
  int bits = 0;
  for (std::size_t i = 0; i < 64; ++i) bits += std::popcount(a[i] & b[i]);
  EXPECT_EQ(common_bits()(a.data(), b.data(), ones.data(), 64), bits);
}

TEST(PieceMoments, AddUpWhatHasItsBit) {
  std::mt19937 random(2);
  std::vector<std::uint32_t> bits{0, ~std::uint32_t{0}, 1, std::uint32_t{1} << 31};
  while (bits.size() < 9) bits.push_back(static_cast<std::uint32_t>(random()));
  std::vector<double> numbers(bits.size() * 32);
  for (double& number : numbers) number = static_cast<double>(random() % 1000);  // sums of which have no rounding
  double sum = 0;
  for (std::size_t words = 0;; ++words) {
    EXPECT_EQ(sum_of_bits(bits.data(), numbers.data(), words), sum) << words;
    if (words == bits.size()) break;
    for (std::size_t bit = 0; bit < 32; ++bit) sum += ((bits[words] >> bit) & 1) != 0 ? numbers[words * 32 + bit] : 0;
  }
}

}  // namespace
}  // namespace sightglass
