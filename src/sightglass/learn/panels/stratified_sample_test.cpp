#include "sightglass/learn/panels/stratified_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace sightglass {
namespace {

TEST(StratifiedSample, RareKindsAreKept) {
  std::vector<std::uint32_t> kinds(10'000, 0);
  for (std::size_t i = 0; i < 30; ++i) kinds[i * 300] = 1;
  for (std::size_t i = 0; i < 3000; ++i) kinds[5 + 3 * i] = 2;
  const StratifiedSample sample = stratified_sample(kinds, 3, 600, 7);
  EXPECT_EQ(sample.places.size(), 600U);
  EXPECT_TRUE(std::is_sorted(sample.places.begin(), sample.places.end()));
  std::vector<double> count(3, 0), stands_for(3, 0), all(3, 0);
  for (const std::uint32_t kind : kinds) ++all[kind];
  for (std::size_t k = 0; k < sample.places.size(); ++k) {
    ++count[kinds[sample.places[k]]];
    stands_for[kinds[sample.places[k]]] += sample.factors[k];
  }
  EXPECT_EQ(count[1], std::min(all[1], 40.0));  // a fifth of an equal part is 40
  EXPECT_EQ(count[2], std::floor(all[2] * 0.06));
  for (std::size_t kind = 0; kind < 3; ++kind) EXPECT_NEAR(stands_for[kind], all[kind] * 0.06, 1e-9);
}

TEST(StratifiedSample, AllOfFewRows) {
  const std::vector<std::uint32_t> kinds{1, 0, 1};
  for (const std::size_t most : {0U, 3U, 9U}) {
    const StratifiedSample sample = stratified_sample(kinds, 2, most, 7);
    EXPECT_EQ(sample.places, (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(sample.factors, (std::vector<double>{1, 1, 1}));
  }
  EXPECT_EQ(stratified_sample(kinds, 2, 1, 7).places.size(), 1U);
}

}  // namespace
}  // namespace sightglass
