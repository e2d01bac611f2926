// Sums of a Gaussian kernel over all pairs of points, k(x, z) = exp(−γ d²(x, z)), under γ / 3, γ and 3γ at once: with
// t = exp(−γ d² / 3) they are t, t³ and t⁹. In float, tile by tile; no matrix of all pairs is ever there, and of two
// points either's sum takes the same number. Tiles are taken in rounds in which no block of points meets twice, so that
// each block adds up its numbers in the same order whatever the threads. Cost: 0.7 ns per pair and processor (20
// columns).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/prototypes/scaled_rows.h"

namespace sightglass {

inline constexpr std::array<double, 3> swept = {1.0 / 3, 1, 3};  // times γ

// [which of the swept][point]
using KernelMeans = std::array<std::vector<double>, swept.size()>;

struct TileMeans {
  KernelMeans means;   // Σ_z w(z) k(x, z) / Σ_z w(z), x itself among the z
  KernelMeans errors;  // by how much one can be wrong at the most, so far as float rounds
};
[[nodiscard]] TileMeans kernel_means_by_tiles(const ScaledRows& rows, double gamma, const Context& context);

}  // namespace sightglass
