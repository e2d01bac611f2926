#include "sightglass/numeric/distinct_rows.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

namespace sightglass {
namespace {

using Rows = std::vector<std::uint32_t>;

TEST(DistinctRows, TheFirstThatIsEqual) {
  const Context context(1);
  const std::vector<double> a{0.0, -0.0, NAN, 1, std::nan("7"), 1, 0}, b{5, 5, 5, 5, 5, 5, 6};
  const std::span<const double> columns[] = {a, b};
  EXPECT_EQ(first_equal_rows(columns, Rows{0, 1, 2, 3, 4, 5, 6}, context), (Rows{0, 0, 2, 3, 2, 3, 6}));
  EXPECT_EQ(first_equal_rows(columns, Rows{1, 4, 5, 6}, context), (Rows{1, 4, 5, 6}));
  EXPECT_EQ(first_equal_rows({}, Rows{2, 3, 5}, context), (Rows{2, 2, 2}));
  EXPECT_TRUE(first_equal_rows(columns, Rows{}, context).empty());
}

// The second number undoes what the first did to the hash, so that it is the same of all rows: with pairs compared one
// by one these would be two thousand million comparisons.
TEST(DistinctRows, RowsThatAllHaveTheSameHash) {
  const Context context(1);
  constexpr std::uint32_t rows = 60000;
  std::vector<double> a, b;
  for (std::uint32_t i = 0; i < rows; ++i) {
    a.push_back(1 + i % (rows / 2));
    std::uint64_t hash = std::bit_cast<std::uint64_t>(a.back()) * 0x9e37'79b9'7f4a'7c15U;
    hash ^= hash >> 29;
    b.push_back(std::bit_cast<double>(hash ^ 0x3ff0'0000'0000'0000U));
    if (std::isnan(b.back())) a.back() = b.back() = 0;  // one of a few thousand
  }
  Rows all(rows);
  std::iota(all.begin(), all.end(), 0U);
  const std::span<const double> columns[] = {a, b};
  const Rows found = first_equal_rows(columns, all, context);
  std::uint32_t zero = rows;
  for (std::uint32_t i = 0; i < rows; ++i) {
    if (a[i] == 0) zero = std::min(zero, i);
    ASSERT_EQ(found[i], a[i] == 0 ? zero : i % (rows / 2));
  }
}

}  // namespace
}  // namespace sightglass
