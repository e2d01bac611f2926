#include "sightglass/methods/importance/switching/shuffles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sightglass {
namespace {

std::vector<std::uint32_t> counts_of(const std::vector<std::uint32_t>& donors) {
  std::vector<std::uint32_t> counts(donors.size());
  for (const std::uint32_t donor : donors) ++counts[donor];
  return counts;
}

TEST(Shuffles, WithoutWeightsOrWithEqualOnesAreTheSamePermutations) {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{1000}}) {
    const Shuffles plain(std::vector<double>(rows, 1.0), 3);
    const Shuffles equal(std::vector<double>(rows, 0.37), 3);
    for (std::uint64_t repeat = 0; repeat < 5; ++repeat) {
      const auto donors = plain.donors(repeat);
      EXPECT_EQ(counts_of(donors), std::vector<std::uint32_t>(rows, 1));
      EXPECT_EQ(equal.donors(repeat), donors);
    }
  }
  EXPECT_TRUE(Shuffles({}, 0).donors(0).empty());
}

TEST(Shuffles, DifferBetweenRepeatsAndSeeds) {
  const std::vector<double> weights(50, 1.0);
  EXPECT_NE(Shuffles(weights, 1).donors(0), Shuffles(weights, 1).donors(1));
  EXPECT_NE(Shuffles(weights, 1).donors(0), Shuffles(weights, 2).donors(0));
}

// Each permutation of four rows about equally often: 24 of them, 24,000 draws, χ² with 23 degrees of freedom.
TEST(Shuffles, AreUniform) {
  const Shuffles shuffles(std::vector<double>(4, 1.0), 9);
  std::vector<double> seen(256);
  for (std::uint64_t repeat = 0; repeat < 24000; ++repeat) {
    const auto donors = shuffles.donors(repeat);
    seen[donors[0] * 64 + donors[1] * 16 + donors[2] * 4 + donors[3]] += 1;
  }
  double chi2 = 0;
  for (const double count : seen) chi2 += count == 0 ? 0 : (count - 1000) * (count - 1000) / 1000;
  EXPECT_LT(chi2, 50);  // 99.9 %: 49.7
}

TEST(Shuffles, DonorsAreDrawnByWeight) {
  for (const std::vector<double>& weights : {std::vector<double>{1, 3}, {2, 1, 3, 1}, {0.3, 0.7, 2.31, 1e-3}}) {
    const Shuffles shuffles(weights, 4);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    const std::uint64_t repeats = 20000;
    std::vector<std::vector<double>> drawn(weights.size(), std::vector<double>(weights.size()));
    for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
      const auto donors = shuffles.donors(repeat);
      for (std::size_t row = 0; row < donors.size(); ++row) drawn[row][donors[row]] += 1;
    }
    for (std::size_t row = 0; row < weights.size(); ++row) {
      for (std::size_t donor = 0; donor < weights.size(); ++donor) {
        const double p = weights[donor] / total;
        const double sd = std::sqrt(p * (1 - p) / static_cast<double>(repeats));
        EXPECT_NEAR(drawn[row][donor] / static_cast<double>(repeats), p, 4.5 * sd + 1e-9) << row << " " << donor;
      }
    }
  }
}

// Rows of whole weights: together, the recipients of a donor weigh about as much as it does.
TEST(Shuffles, WeightedExchangesKeepTheDistribution) {
  std::vector<double> weights(1000);
  for (std::size_t row = 0; row < weights.size(); ++row) weights[row] = static_cast<double>(row % 4 + 1);
  const auto donors = Shuffles(weights, 8).donors(2);
  double heavy = 0;
  for (std::size_t row = 0; row < weights.size(); ++row) heavy += weights[donors[row]] == 4 ? weights[row] : 0;
  EXPECT_NEAR(heavy / 2500, 0.4, 0.05);
}

TEST(Shuffles, NoiseIsNormal) {
  double sum = 0, squares = 0, uniform = 0;
  for (std::uint64_t row = 0; row < 20000; ++row) {
    const double z = random_normal(1, 2, 3, row);
    sum += z;
    squares += z * z;
    uniform += random_uniform(1, 2, 3, row);
  }
  EXPECT_NEAR(sum / 20000, 0, 0.03);
  EXPECT_NEAR(squares / 20000, 1, 0.05);
  EXPECT_NEAR(uniform / 20000, 0.5, 0.01);
  EXPECT_NE(random_normal(1, 2, 3, 4), random_normal(1, 2, 4, 4));
  EXPECT_NE(random_normal(1, 2, 3, 4), random_normal(1, 3, 3, 4));
}

}  // namespace
}  // namespace sightglass
