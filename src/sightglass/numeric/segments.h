// Cuts a run of items into consecutive groups as well as can be (dynamic programming).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace sightglass {

// The end of each group of the cut with the least sum of cost(begin, end) + penalty over its groups, of which there
// are at most `most`. Of equally good cuts the one with fewer groups, then with later last groups. `size` × size costs
// are kept.
[[nodiscard]] std::vector<std::size_t> best_segments(std::size_t size, std::size_t most, double penalty,
                                                     const std::function<double(std::size_t, std::size_t)>& cost);

}  // namespace sightglass
