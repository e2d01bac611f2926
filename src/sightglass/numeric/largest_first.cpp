#include "sightglass/numeric/largest_first.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sightglass {

std::vector<std::size_t> largest_first(std::span<const double> numbers) {
  constexpr double rounding = 1e-9;
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return numbers[a] > numbers[b]; });
  double largest = 0;
  for (const double number : numbers) {
    if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
  }
  // From the largest down: whoever is within rounding of the first of them is a tie of it.
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    const double least = numbers[order[first]] - rounding * largest;
    while (end < order.size() && (end == first || numbers[order[end]] >= least)) ++end;
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return order;
}

}  // namespace sightglass
