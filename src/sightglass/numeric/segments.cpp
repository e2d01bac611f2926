#include "sightglass/numeric/segments.h"

#include <algorithm>
#include <limits>

namespace sightglass {

std::vector<std::size_t> best_segments(std::size_t size, std::size_t most, double penalty,
                                       const std::function<double(std::size_t, std::size_t)>& cost) {
  if (size == 0) return {};
  most = std::clamp<std::size_t>(most, 1, size);
  std::vector<double> costs(size * (size + 1), 0);
  const auto group = [&](std::size_t begin, std::size_t end) -> double& { return costs[begin * (size + 1) + end]; };
  for (std::size_t begin = 0; begin < size; ++begin) {
    for (std::size_t end = begin + 1; end <= size; ++end) group(begin, end) = cost(begin, end) + penalty;
  }
  // least[g][end]: the best cut of the first `end` items into g + 1 groups, whose last one starts at start[g][end].
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> least(most, std::vector<double>(size + 1, never));
  std::vector<std::vector<std::size_t>> start(most, std::vector<std::size_t>(size + 1, 0));
  for (std::size_t end = 1; end <= size; ++end) least[0][end] = group(0, end);
  for (std::size_t g = 1; g < most; ++g) {
    for (std::size_t end = g + 1; end <= size; ++end) {
      for (std::size_t begin = end - 1; begin >= g; --begin) {
        const double total = least[g - 1][begin] + group(begin, end);
        if (total >= least[g][end]) continue;
        least[g][end] = total;
        start[g][end] = begin;
      }
    }
  }
  std::size_t groups = 0;
  for (std::size_t g = 1; g < most; ++g) {
    if (least[g][size] < least[groups][size]) groups = g;
  }
  std::vector<std::size_t> ends;
  std::size_t end = size;
  for (std::size_t g = groups + 1; g-- > 0;) {
    ends.push_back(end);
    end = start[g][end];
  }
  std::reverse(ends.begin(), ends.end());
  return ends;
}

}  // namespace sightglass
