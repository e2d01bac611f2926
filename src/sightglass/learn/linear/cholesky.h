// Symmetric linear equations with many right sides, where columns that follow from earlier ones are found and set
// aside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sightglass {

// A term of whose variance no more than this share is its own follows from the others.
inline constexpr double collinear = 1e-10;

// Replaces the lower half of a symmetric matrix, [row × size + column], by its factor L, LLᵀ = matrix. Rows of which no
// more than `tolerance` of their own square is left once the earlier ones are known are given back, ascending, and have
// a factor of 0: they are left out.
[[nodiscard]] std::vector<std::uint32_t> cholesky(std::vector<double>& matrix, std::size_t size, double tolerance);
// Solves LLᵀ x = right side, in place; what was left out is 0.
void cholesky_solve(const std::vector<double>& factor, std::size_t size, std::vector<double>& right);
// (LLᵀ)⁻¹, all of it; rows and columns that were left out are 0.
[[nodiscard]] std::vector<double> cholesky_inverse(const std::vector<double>& factor, std::size_t size);

}  // namespace sightglass
