// Where the marked grid points of a numeric axis lie: one rule for what cautions say, what their evidence holds
// and what pictures shade.
#pragma once

#include <cstdint>
#include <vector>

namespace sightglass {

// A run of neighbouring marked points: from half way to the neighbour on the left to half way to that on the
// right. At an end of the grid it ends with the grid; beyond it nothing was computed.
struct MarkedRange {
  double low = 0, high = 0;
  bool from_start = false, to_end = false;  // it holds the first, the last grid point
};

// Grid ascending; marked: indices, ascending. Marks at infinite grid points or beyond the grid are left out.
[[nodiscard]] std::vector<MarkedRange> marked_ranges(const std::vector<double>& grid,
                                                     const std::vector<std::uint64_t>& marked);

}  // namespace sightglass
