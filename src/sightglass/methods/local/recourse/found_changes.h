// What a search for changes of one row found, whichever way it went.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/result/shapes/counterfactuals.h"

namespace sightglass {

struct FoundChange {
  std::vector<std::size_t> features;  // places among the model's features, ascending
  std::vector<double> values;         // of these, as ColumnView::number
  double cost = 0;
  bool cheapest = false;  // proven: no unlisted change of as few features costs less
};

struct FoundChanges {
  RecourseStatus status = RecourseStatus::not_found;
  std::vector<FoundChange> changes;  // fewest features first, then cheapest
  std::vector<LadderRung> ladder;
  bool proven = false;  // by the trees' structure, as far as the ladder says
  std::uint64_t explored = 0;
};

// Fewest features first, then cheapest, then the features that come first.
[[nodiscard]] bool comes_before(const FoundChange& a, const FoundChange& b);
// Sorted; of sets that contain another one that does as well, only the smaller remains; at most so many.
void keep_smallest(std::vector<FoundChange>& changes, std::size_t count);

}  // namespace sightglass
