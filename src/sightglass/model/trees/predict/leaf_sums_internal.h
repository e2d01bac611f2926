// Adding to 256 rows the values of their leaves, given by their positions in a table (exits). Written by hand for
// AVX-512 and AVX2: compilers do not find that a table of 64 numbers fits into registers. The same bytes, several times
// as fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sightglass {

// The leaves of many trees, a table for each. T: float or double.
template <class T>
class LeafTables {
 public:
  // At most 256 leaves.
  void add(std::span<const T> leaves);
  // sums[row] += the table's leaf at exits[row], for set_rows rows.
  void add_leaves(std::size_t table, const std::uint8_t* exits, T* sums) const;

 private:
  struct Range {
    std::uint32_t leaves = 0, count = 0;
    std::uint32_t planes = 0;
  };
  std::vector<Range> tables_;
  std::vector<T> leaves_;
  // Of tables of at most 64 leaves, 16 leaves after 16: their first bytes, their second bytes, …
  std::vector<std::uint8_t> planes_;
};

}  // namespace sightglass
