// Rows as bits: 256 of them are one set, and what a split asks of them is found once for all trees.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/base/each_processor.h"
#include "sightglass/model/trees/rows/feature_codes_internal.h"

namespace sightglass {

inline constexpr std::size_t set_rows = 256;

// Of the rows of a word, each eight that follow one another lie in the same bit of its eight bytes: that is how the
// bits of several sets turn into a byte per row most easily.
[[nodiscard]] constexpr std::uint64_t row_bit(std::size_t row) {
  return std::uint64_t{1} << (8 * (row % 8) + row % 64 / 8);
}
// Where that bit is among all 256. The row that is there is at the position of this one.
[[nodiscard]] constexpr std::size_t position_of_row(std::size_t row) {
  return row / 64 * 64 + 8 * (row % 8) + row % 64 / 8;
}
using RowWords = std::uint64_t __attribute__((vector_size(set_rows / 8)));
struct alignas(set_rows / 8) RowSet {  // containers would not align the words by themselves
  RowWords words;
};

// The first so many of 256 rows.
[[nodiscard]] RowSet first_rows(std::size_t rows);
// The first so many bits: of rows that were put where their bits are.
[[nodiscard]] RowSet first_bits(std::size_t count);

// Which of 256 rows go right at each condition.
class ConditionSets {
 public:
  explicit ConditionSets(const FeatureCodes& codes);
  // Of some conditions only, in their order, `width` sets of each, side by side.
  ConditionSets(const FeatureCodes& codes, std::vector<std::uint32_t> conditions, std::size_t width);
  // codes: set_rows of each slot, `stride` apart. Rows that are not there may have any code. Fills the sets of one
  // lane.
  void find(const std::uint16_t* codes, std::size_t stride = set_rows, std::size_t lane = 0);
  [[nodiscard]] const RowSet* sets() const { return sets_.data(); }

 private:
  void find_categories(std::size_t slot, const std::uint16_t* codes, std::size_t lane);

  // Codes of a slot between which no condition that is asked for parts count as one.
  struct Axis {
    std::vector<std::uint16_t> rank;  // of each code; empty: the code itself
    std::uint32_t missing = 0;        // the last rank
    std::uint32_t first_zero = 0, end_zero = 0;
  };
  const FeatureCodes& codes_;
  std::vector<std::uint32_t> conditions_;
  std::vector<std::uint32_t> first_right_;  // per condition: a rank
  std::size_t width_;
  std::vector<Axis> axes_;
  std::vector<std::uint32_t> first_condition_;  // of each slot, and the end
  std::vector<RowSet> sets_;                    // per condition
  std::vector<RowSet> of_code_;                 // scratch: the rows of each rank of a slot
};

}  // namespace sightglass
