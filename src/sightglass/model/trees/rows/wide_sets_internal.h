// Sets of rows side by side, which are divided together. Written for AVX2 by hand: compilers take words out of vectors
// to count their bits, which costs more than the counting.
#pragma once

#include <cstdint>

#include "sightglass/model/trees/rows/row_sets_internal.h"

namespace sightglass {

inline constexpr std::size_t wide_sets = 8;
inline constexpr std::size_t wide_rows = wide_sets * set_rows;

// What fits the processor.
struct WideKernels {
  // left = rows without those on the right, and how many they are.
  std::uint64_t (*divide)(const RowSet* rows, const RowSet* right, RowSet* left);
  // The same if nobody wants to know which they are.
  std::uint64_t (*count)(const RowSet* rows, const RowSet* right);
};
[[nodiscard]] WideKernels wide_kernels();
// For any processor.
[[nodiscard]] WideKernels plain_wide_kernels();

}  // namespace sightglass
