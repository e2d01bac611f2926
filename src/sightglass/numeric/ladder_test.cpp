#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "sightglass/numeric/bucket_search.h"

namespace sightglass {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// At every cut, directly before it, and far away.
void expect_what_a_search_finds(const std::vector<double>& cuts) {
  const BucketSearch<double> search(cuts);
  std::vector<double> values = {-infinity, -1e308, -1, 0, 1e-300, 1, 1e308, infinity};
  for (const double cut : cuts) values.insert(values.end(), {cut, std::nextafter(cut, -infinity), cut + 0.1});
  for (const double value : values) EXPECT_EQ(search.reached(value), count_up_to(cuts, value)) << value;
}

TEST(BucketSearch, FindsWhatASearchFinds) {
  expect_what_a_search_finds({});
  expect_what_a_search_finds({3});
  expect_what_a_search_finds({3, 3, 3, 4});
  expect_what_a_search_finds({-1e308, 0, 1e308});
  expect_what_a_search_finds({-infinity, 1, 2, infinity});
  std::mt19937_64 random(3);
  for (const std::size_t count : {10, 100, 3000}) {
    std::vector<double> even, clusters;
    for (std::size_t i = 0; i < count; ++i) {
      even.push_back(static_cast<double>(random() % 1000000) / 1000);
      clusters.push_back(std::pow(10.0, static_cast<double>(random() % 400) / 10 - 20));
    }
    std::sort(even.begin(), even.end());
    std::sort(clusters.begin(), clusters.end());
    expect_what_a_search_finds(even);
    expect_what_a_search_finds(clusters);
  }
}

TEST(BucketSearch, MayHaveMoreCutsThanSmallNumbers) {
  std::vector<double> cuts;
  for (int i = 0; i < 70000; ++i) cuts.push_back(i);
  const BucketSearch<double> search(cuts);
  for (const double value : {-1.0, 0.0, 65535.5, 65536.0, 69999.0, 1e9})
    EXPECT_EQ(search.reached(value), count_up_to(cuts, value)) << value;
}

}  // namespace

}  // namespace sightglass
