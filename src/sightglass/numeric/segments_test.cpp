#include "sightglass/numeric/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sightglass {
namespace {

using ::testing::ElementsAre;

double spread(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  double mean = 0, squares = 0;
  for (std::size_t i = begin; i < end; ++i) mean += values[i] / static_cast<double>(end - begin);
  for (std::size_t i = begin; i < end; ++i) squares += (values[i] - mean) * (values[i] - mean);
  return squares;
}

TEST(Segments, CutWhereTheValuesChange) {
  const std::vector<double> values = {1, 1, 1, 5, 5, 2, 2, 2, 2};
  const auto cost = [&](std::size_t begin, std::size_t end) { return spread(values, begin, end); };
  EXPECT_THAT(best_segments(9, 9, 0.5, cost), ElementsAre(3, 5, 9));
  EXPECT_THAT(best_segments(9, 9, 100, cost), ElementsAre(9));
  EXPECT_THAT(best_segments(9, 2, 0, cost), ElementsAre(3, 9));
  EXPECT_TRUE(best_segments(0, 3, 0, cost).empty());
}

TEST(Segments, AsGoodAsTryingAllCuts) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 50; ++trial) {
    const std::size_t size = 1 + random() % 9;
    const std::size_t most = 1 + random() % 5;
    std::vector<double> values;
    for (std::size_t i = 0; i < size; ++i) values.push_back(static_cast<double>(random() % 5));
    const auto cost = [&](std::size_t begin, std::size_t end) { return spread(values, begin, end); };
    const auto total = [&](const std::vector<std::size_t>& ends) {
      double sum = 0;
      std::size_t begin = 0;
      for (const std::size_t end : ends) {
        sum += cost(begin, end) + 0.3;
        begin = end;
      }
      return sum;
    };
    double best = INFINITY;
    for (std::size_t mask = 0; mask < std::size_t{1} << (size - 1); ++mask) {
      std::vector<std::size_t> ends;
      for (std::size_t i = 1; i < size; ++i) {
        if ((mask >> (i - 1) & 1) != 0) ends.push_back(i);
      }
      ends.push_back(size);
      if (ends.size() <= most) best = std::min(best, total(ends));
    }
    const auto found = best_segments(size, most, 0.3, cost);
    EXPECT_LE(found.size(), most);
    EXPECT_NEAR(total(found), best, 1e-12);
  }
}

}  // namespace
}  // namespace sightglass
