#include "sightglass/learn/rules/row_bits.h"

#include <algorithm>
#include <array>
#include <bit>

#include "sightglass/base/each_processor.h"

namespace sightglass {

namespace {

// Which of four rows are in a set, as factors.
constexpr auto factors_of_four = [] {
  std::array<std::array<double, 4>, 16> factors{};
  for (std::size_t four = 0; four < 16; ++four) {
    for (std::size_t row = 0; row < 4; ++row) factors[four][row] = static_cast<double>(four >> row & 1);
  }
  return factors;
}();

// sums[byte][bits]: of the rows among eight that have a bit.
using SumsOfWord = std::array<std::array<double, 256>, 8>;

void find_sums(const double* values, SumsOfWord& sums) {
  for (std::size_t byte = 0; byte < 8; ++byte) {
    auto& table = sums[byte];
    table[0] = 0;
    for (std::size_t row = 0; row < 8; ++row) {
      const std::size_t known = std::size_t{1} << row;
      const double value = values[byte * 8 + row];
      for (std::size_t bits = 0; bits < known; ++bits) table[known + bits] = table[bits] + value;
    }
  }
}

}  // namespace

void RowSetTable::replace(std::size_t set, const RowWord* by) { std::copy_n(by, words_, bits_.data() + set * words_); }

SIGHTGLASS_FOR_EACH_PROCESSOR
std::uint64_t count_rows(const RowWord* set, std::size_t words) {
  std::uint64_t count = 0;
  for (std::size_t w = 0; w < words; ++w) count += static_cast<std::uint64_t>(std::popcount(set[w]));
  return count;
}

SIGHTGLASS_FOR_EACH_PROCESSOR
std::uint64_t count_shared(const RowWord* a, const RowWord* b, std::size_t words) {
  std::uint64_t count = 0;
  for (std::size_t w = 0; w < words; ++w) count += static_cast<std::uint64_t>(std::popcount(a[w] & b[w]));
  return count;
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void add_where(const RowWord* set, std::size_t words, double value, double* out) {
  for (std::size_t w = 0; w < words; ++w, out += rows_per_word) {
    RowWord word = set[w];
    if (word == 0) continue;
    for (std::size_t first = 0; first < rows_per_word; first += 4, word >>= 4) {
      const auto& factors = factors_of_four[word & 15];
      for (std::size_t row = 0; row < 4; ++row) out[first + row] += value * factors[row];
    }
  }
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void add_sums(const RowSetTable& table, std::span<const std::uint32_t> sets, const double* values,
              std::size_t first_word, std::size_t end_word, double* out) {
  SumsOfWord sums;
  for (std::size_t w = first_word; w < end_word; ++w) {
    find_sums(values + w * rows_per_word, sums);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const RowWord word = table[sets[s]][w];
      const double low =
          (sums[0][word & 255] + sums[1][word >> 8 & 255]) + (sums[2][word >> 16 & 255] + sums[3][word >> 24 & 255]);
      const double high =
          (sums[4][word >> 32 & 255] + sums[5][word >> 40 & 255]) + (sums[6][word >> 48 & 255] + sums[7][word >> 56]);
      out[s] += low + high;
    }
  }
}

}  // namespace sightglass
