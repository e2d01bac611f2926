// Sums of a Gaussian kernel over all pairs of points, k(x, z) = exp(−γ d²(x, z)), under γ / 3, γ and 3γ at once: with
// t = exp(−γ d² / 3) they are t, t³ and t⁹. In float, tile by tile; no matrix of all pairs is ever there, and of two
// points either's sum takes the same number. Tiles are taken in rounds in which no block of points meets twice, so that
// each block adds up its numbers in the same order whatever the threads. Cost: 1 to 2 ns per pair and processor.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/prototypes/scaled_rows.h"

namespace sightglass {

inline constexpr std::array<double, 3> swept = {1.0 / 3, 1, 3};  // times γ

// [which of the swept][point]: Σ_z w(z) k(x, z) / Σ_z w(z), x itself among the z.
using KernelMeans = std::array<std::vector<double>, swept.size()>;

[[nodiscard]] KernelMeans kernel_means_by_tiles(const ScaledRows& rows, double gamma, const Context& context);
// By how much one of these can be wrong, at the most, so far as float rounds: found from how rounding errors of a
// distance and of a sum within a tile go through the exponential.
[[nodiscard]] double tile_error(std::size_t columns, std::size_t which, double mean);

}  // namespace sightglass
