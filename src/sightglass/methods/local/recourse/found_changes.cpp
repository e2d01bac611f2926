#include "sightglass/methods/local/recourse/found_changes.h"

#include <algorithm>

namespace sightglass {

bool comes_before(const FoundChange& a, const FoundChange& b) {
  if (a.features.size() != b.features.size()) return a.features.size() < b.features.size();
  return a.cost != b.cost ? a.cost < b.cost : a.features < b.features;
}

void keep_smallest(std::vector<FoundChange>& changes, std::size_t count) {
  std::stable_sort(changes.begin(), changes.end(), comes_before);
  std::vector<FoundChange> kept;
  for (FoundChange& change : changes) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const FoundChange& other) {
      return std::includes(change.features.begin(), change.features.end(), other.features.begin(),
                           other.features.end());
    });
    if (!known && kept.size() < count) kept.push_back(std::move(change));
  }
  changes = std::move(kept);
}

}  // namespace sightglass
