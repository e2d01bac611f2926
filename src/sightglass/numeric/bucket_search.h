// Positions of very many numbers among ascending ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sightglass/numeric/search.h"

namespace sightglass {

// Counts how many of some ascending cuts a number has reached: equal buckets of the range say where to begin.
template <class T>
class BucketSearch {
 public:
  BucketSearch() = default;
  explicit BucketSearch(const std::vector<double>& cuts);
  // NaN has reached none.
  [[nodiscard]] std::uint32_t reached(T value) const {
    if (steps_ > most_steps) return static_cast<std::uint32_t>(count_up_to(cuts_, value));
    std::uint32_t count = first_[bucket(value)];
    for (std::uint32_t step = 0; step < steps_; ++step) count += cuts_[count] <= value ? 1 : 0;
    // Infinity counts beyond the last one.
    return std::min(count, size_);
  }

 private:
  // Never decreases with the value, so that whatever lies in another bucket is known to be below or above.
  [[nodiscard]] std::size_t bucket(T value) const {
    const T position = (value - low_) * scale_;
    if (!(position > 0)) return 0;
    return position < last_ ? static_cast<std::size_t>(position) : first_.size() - 1;
  }
  // Cuts in clusters that buckets do not part are searched.
  static constexpr std::uint32_t most_steps = 12;
  std::uint32_t size_ = 0;
  T low_ = 0, scale_ = 0, last_ = 0;
  std::uint32_t steps_ = 0;                 // cuts in a bucket, at the most
  std::vector<std::uint16_t> first_ = {0};  // per bucket: the cuts in those before
  std::vector<T> cuts_;                     // and infinities, as many as there are steps
};

extern template class BucketSearch<float>;
extern template class BucketSearch<double>;

}  // namespace sightglass
