// Numbers that are equal but for rounding, made equal.
#pragma once

#include <bit>
#include <cstdint>

namespace sightglass {

// A number that is not negative to 40 binary digits behind the first, the nearest: what sums of a few hundred rounded
// numbers differ by is gone, so that ties are ties.
inline double to_40_digits(double value) {
  constexpr std::uint64_t dropped = 12;
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) + half) >> dropped << dropped);
}

}  // namespace sightglass
