#include "sightglass/numeric/bucket_search.h"

#include <cmath>
#include <limits>

namespace sightglass {

namespace {

constexpr std::size_t most_buckets = std::size_t{1} << 14;

}  // namespace

template <class T>
BucketSearch<T>::BucketSearch(const std::vector<double>& cuts)
    : size_(static_cast<std::uint32_t>(cuts.size())), first_(1), cuts_(cuts.begin(), cuts.end()) {
  steps_ = size_;
  // Fewer cuts per bucket are fewer steps; but cuts may lie in clusters that no reasonable number of buckets parts.
  const bool counted = size_ > 1 && size_ <= std::numeric_limits<std::uint16_t>::max();
  for (std::size_t buckets = 64; counted && steps_ > 1 && buckets <= most_buckets && buckets <= 64 * cuts_.size();
       buckets *= 2) {
    low_ = cuts_.front();
    scale_ = static_cast<T>(buckets) / (cuts_.back() - low_);
    last_ = static_cast<T>(buckets - 1);
    first_.assign(buckets, 0);
    if (!std::isfinite(scale_) || !(scale_ > 0)) break;
    std::vector<std::uint32_t> inside(buckets, 0);
    for (const T cut : cuts_) ++inside[bucket(cut)];
    for (std::size_t b = 1; b < buckets; ++b) first_[b] = static_cast<std::uint16_t>(first_[b - 1] + inside[b - 1]);
    steps_ = *std::max_element(inside.begin(), inside.end());
  }
  if (!std::isfinite(scale_) || !(scale_ > 0)) {
    scale_ = 0;
    first_.assign(1, 0);
    steps_ = size_;
  }
  if (steps_ <= most_steps) cuts_.resize(cuts_.size() + steps_, std::numeric_limits<T>::infinity());
}

template class BucketSearch<float>;
template class BucketSearch<double>;

}  // namespace sightglass
