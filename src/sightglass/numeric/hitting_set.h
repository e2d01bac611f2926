// Which smallest set has an element in common with each of some sets? And how small can it not be?
// Sizes are tried one after the other. For each, the set that leaves the fewest choices is hit by one of its elements
// after the other (those before are left out from then on), as long as sets that have no element in common are no more
// than elements that may still be taken. Reiter 1987, A theory of diagnosis from first principles.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace sightglass {

struct HittingSet {
  std::optional<std::vector<std::uint32_t>> elements;  // ascending; none: there is none so small, or steps ran out
  std::size_t least = 0;                               // proven: none has fewer elements
};

// Elements are numbers below `count`, of which the lower are tried first where nothing else tells them apart. Sizes
// from `least`, below which there is none, to before `end`. steps: at the most.
[[nodiscard]] HittingSet smallest_hitting_set(std::size_t count, const std::vector<std::vector<std::uint32_t>>& sets,
                                              std::size_t least, std::size_t end, std::uint64_t steps);

}  // namespace sightglass
