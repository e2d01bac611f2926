// Changes of a row of any model, found by asking it: single features at values of the data, pairs of those that help
// most, then the nearest rows that have the outcome, whose differences are taken back one by one; what was found is
// drawn back towards the row as far as it holds. Cost per row: some thousands of predictions, in a few dozen rounds
// that all rows share. Says what it found, and proves nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sightglass/methods/local/recourse/feature_moves.h"
#include "sightglass/methods/local/recourse/found_changes.h"
#include "sightglass/methods/local/recourse/wanted_outcome_internal.h"

namespace sightglass {

// What the search for one row needs to know.
struct SearchedRow {
  std::vector<double> values;
  WantedOutcome wanted;
};

struct SearchLimits {
  std::size_t most_features = 3;
  std::size_t count = 1;
};

// For all rows. rows: with predictions, among which those with the outcome are looked for.
[[nodiscard]] Chain<std::vector<FoundChanges>> search_changes(const MethodInput& input,
                                                              std::shared_ptr<const std::vector<FeatureMoves>> features,
                                                              std::shared_ptr<const LabelledRows> data,
                                                              const PredictedClass& classes,
                                                              std::vector<SearchedRow> rows, SearchLimits limits);

}  // namespace sightglass
