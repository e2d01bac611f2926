// Regions of the data in which a surrogate may follow the model worse than elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/learn/training_data.h"
#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/result/shapes/rules.h"

namespace sightglass {

// Rows that have something in common.
struct FidelityRegion {
  std::vector<ShownCondition> conditions;
  RowList rows;
};

// Each feature cut into `parts` of about the same weight, and each of its levels that has rows enough.
[[nodiscard]] std::vector<FidelityRegion> feature_regions(const TrainingData& data, const RowList& rows,
                                                          std::size_t parts);
// Where each rule holds: the leaves of a tree.
[[nodiscard]] std::vector<FidelityRegion> rule_regions(const TrainingData& data, const RowList& rows,
                                                       const Rules& rules);

// Rows of the data for which all conditions hold.
[[nodiscard]] RowList rows_meeting(const TrainingData& data, const RowList& rows,
                                   const std::vector<ShownCondition>& conditions);

}  // namespace sightglass
