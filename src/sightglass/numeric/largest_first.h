// Ranks that do not depend on rounding.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sightglass {

// Positions of numbers, largest number first. Numbers that differ by rounding alone (1e-9 of the largest in absolute
// value) are ties, and ties stay in the order in which they come.
[[nodiscard]] std::vector<std::size_t> largest_first(std::span<const double> numbers);

}  // namespace sightglass
