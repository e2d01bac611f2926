#include <gtest/gtest.h>

#include <array>

#include "sightglass/model/trees/rows/wide_sets_internal.h"

namespace sightglass {

namespace {

std::array<RowSet, wide_sets> some_rows(std::uint64_t factor, std::uint64_t sparse) {
  std::array<RowSet, wide_sets> sets;
  std::uint64_t word = 1;
  for (RowSet& set : sets) {
    for (std::size_t i = 0; i < 4; ++i) set.words[i] = (word *= factor) | sparse;
  }
  return sets;
}

std::uint64_t count(const RowSet* sets) {
  std::uint64_t bits = 0;
  for (std::size_t set = 0; set < wide_sets; ++set) {
    for (std::size_t row = 0; row < set_rows; ++row) bits += sets[set].words[row / 64] >> (row % 64) & 1;
  }
  return bits;
}

TEST(WideSets, AreDividedAndCountedAsBitByBit) {
  const std::array<RowSet, wide_sets> nobody{};
  for (const WideKernels& kernels : {wide_kernels(), plain_wide_kernels()}) {
    for (const std::uint64_t sparse : {std::uint64_t{0}, std::uint64_t{0xF0F0}, ~std::uint64_t{0}}) {
      const auto rows = some_rows(0x9E3779B97F4A7C15, sparse), right = some_rows(0xBF58476D1CE4E5B9, 0);
      std::array<RowSet, wide_sets> left{}, expected{};
      for (std::size_t set = 0; set < wide_sets; ++set) expected[set].words = rows[set].words & ~right[set].words;
      EXPECT_EQ(kernels.divide(rows.data(), right.data(), left.data()), count(expected.data()));
      EXPECT_EQ(kernels.count(rows.data(), right.data()), count(expected.data()));
      EXPECT_EQ(kernels.count(rows.data(), nobody.data()), count(rows.data()));
      for (std::size_t set = 0; set < wide_sets; ++set) {
        for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(left[set].words[i], expected[set].words[i]);
      }
    }
  }
}

}  // namespace

}  // namespace sightglass
