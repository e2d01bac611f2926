// Classical multidimensional scaling to one dimension: positions on a line whose distances are as near as can be to
// given ones (Torgerson 1952). The leading eigenvector of the centred squared distances, by Lanczos' method with
// a fixed start, so that the same distances give the same bits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sightglass {

// distances: size × size, symmetric, zero on the diagonal. One coordinate per item, mean 0; all zero if the items
// are all at the same position. Which end is which is arbitrary.
[[nodiscard]] std::vector<double> scale_to_line(std::span<const double> distances, std::size_t size);

}  // namespace sightglass
