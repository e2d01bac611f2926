// Positions of many values among few sorted ones. Unlike std::lower_bound these take no branch that depends on the
// value, which a processor would mispredict in every other step.
#pragma once

#include <cstddef>
#include <vector>

namespace sightglass {

// How many of the sorted values fulfil `before`, which holds for the first ones only.
template <class T, class Before>
[[nodiscard]] std::size_t count_before(const std::vector<T>& sorted, const Before& before) {
  std::size_t length = sorted.size();
  if (length == 0) return 0;
  const T* base = sorted.data();
  while (length > 1) {
    const std::size_t half = length / 2;
    // A product instead of a condition: compilers make a jump of the latter.
    base += static_cast<std::size_t>(before(base[half - 1])) * half;
    length -= half;
  }
  return static_cast<std::size_t>(base - sorted.data()) + static_cast<std::size_t>(before(*base));
}

// How many are below the value: where the first one is that is not.
template <class T>
[[nodiscard]] std::size_t count_below(const std::vector<T>& sorted, T value) {
  return count_before(sorted, [value](T other) { return other < value; });
}

// How many are not above it.
template <class T>
[[nodiscard]] std::size_t count_up_to(const std::vector<T>& sorted, T value) {
  return count_before(sorted, [value](T other) { return other <= value; });
}

}  // namespace sightglass
