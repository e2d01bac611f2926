#include "sightglass/result/marked_ranges.h"

#include <cmath>

namespace sightglass {

std::vector<MarkedRange> marked_ranges(const std::vector<double>& grid, const std::vector<std::uint64_t>& marked) {
  std::vector<MarkedRange> ranges;
  const auto finite = [&](std::size_t i) { return i < grid.size() && std::isfinite(grid[i]); };
  // Halves are added, so that the largest numbers there are do not overflow.
  const auto middle = [&](std::size_t i, std::size_t j) { return grid[i] / 2 + grid[j] / 2; };
  std::size_t next = grid.size();  // the point that would carry on the last range
  for (const std::uint64_t point : marked) {
    const auto i = static_cast<std::size_t>(point);
    if (!finite(i)) continue;
    const bool first = i == 0 || !finite(i - 1), last = !finite(i + 1);
    if (ranges.empty() || i != next) {
      ranges.push_back({.low = first ? grid[i] : middle(i - 1, i), .from_start = first});
    }
    ranges.back().high = last ? grid[i] : middle(i, i + 1);
    ranges.back().to_end = last;
    next = i + 1;
  }
  return ranges;
}

}  // namespace sightglass
