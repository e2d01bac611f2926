// Sets of rows as bits, 64 rows to a word, and the few things that rules need of them: how many rows two sets share,
// sums over a set, and adding a number to the rows of a set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sightglass {

using RowWord = std::uint64_t;
inline constexpr std::size_t rows_per_word = 64;

// Several sets of the same rows, one after the other.
class RowSetTable {
 public:
  explicit RowSetTable(std::size_t words = 0) : words_(words) {}
  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::size_t size() const { return words_ == 0 ? 0 : bits_.size() / words_; }
  [[nodiscard]] const RowWord* operator[](std::size_t set) const { return bits_.data() + set * words_; }
  void push_back(const RowWord* set) { bits_.insert(bits_.end(), set, set + words_); }
  void replace(std::size_t set, const RowWord* by);

 private:
  std::size_t words_;
  std::vector<RowWord> bits_;
};

[[nodiscard]] inline bool has_row(const RowWord* set, std::size_t row) {
  return (set[row / rows_per_word] >> (row % rows_per_word) & 1) != 0;
}

[[nodiscard]] std::uint64_t count_rows(const RowWord* set, std::size_t words);
[[nodiscard]] std::uint64_t count_shared(const RowWord* a, const RowWord* b, std::size_t words);

// out[i] += value for the rows of a set.
void add_where(const RowWord* set, std::size_t words, double value, double* out);

// For each of the sets (by their numbers) the sum of `values` over its rows between two words, to be added to out.
// Words in order, eight rows at a time from a table of their sums, so that a set costs a byte, not a row.
void add_sums(const RowSetTable& table, std::span<const std::uint32_t> sets, const double* values,
              std::size_t first_word, std::size_t end_word, double* out);

}  // namespace sightglass
