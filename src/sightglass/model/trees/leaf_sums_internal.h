// Adding to 256 rows the values of their leaves, given by their places in a table. Written for AVX-512 too, by hand:
// compilers do not find that a table of 64 numbers fits into registers. The same bytes, five times as fast.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sightglass {

// sums[row] += leaves[places[row]], for set_rows rows; leaves: how many there are.
void add_leaves(const float* leaves, std::size_t count, const std::uint8_t* places, float* sums);
void add_leaves(const double* leaves, std::size_t count, const std::uint8_t* places, double* sums);

}  // namespace sightglass
