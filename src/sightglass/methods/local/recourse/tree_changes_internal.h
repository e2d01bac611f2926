// The cheapest changes of a row of a tree ensemble, by its structure: every code that a split can tell apart, at the
// nearest value that the framework sends there (model/trees/bounds/cheapest_change).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sightglass/methods/local/recourse/feature_moves.h"
#include "sightglass/methods/local/recourse/found_changes.h"
#include "sightglass/methods/local/recourse/wanted_outcome_internal.h"

namespace sightglass {

class TreeChanges {
 public:
  // All of them must stay where they are.
  TreeChanges(const MethodInput& input, const std::vector<FeatureMoves>& features, const LeafGoal& goal);
  // values: of the row's features. Safe for concurrent calls.
  [[nodiscard]] FoundChanges find(const std::vector<double>& values, const ChangeLimits& limits) const;

 private:
  const MethodInput& input_;
  const std::vector<FeatureMoves>& features_;
  CheapestChange search_;
  std::vector<std::size_t> feature_of_slot_;
};

}  // namespace sightglass
