#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "sightglass/model/trees/rows/row_sums_internal.h"

namespace sightglass {

namespace {

// However many rows a word has.
TEST(RowSums, AreThoseOfAPlainLoop) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    RowSet rows{};
    for (std::size_t word = 0; word < 4; ++word) {
      rows.words[word] = round == 0 ? ~std::uint64_t{0} : random();
      for (std::uint64_t fewer = random() % 6; fewer > 0 && round > 0; --fewer) rows.words[word] &= random();
    }
    std::vector<double> sums(set_rows), expected(set_rows);
    for (std::size_t row = 0; row < set_rows; ++row) {
      sums[row] = static_cast<double>(row) / 3;
      const bool there = ((rows.words[row / 64] >> (row % 64)) & 1) != 0;
      expected[row] = there ? sums[row] + 0.7 : sums[row];
    }
    add_to_rows(rows, 0.7, sums.data());
    EXPECT_EQ(sums, expected) << round;
  }
}

}  // namespace

}  // namespace sightglass
