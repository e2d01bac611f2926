// What the parts of a model that explains itself say of one row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/model/learned/learned_model.h"
#include "sightglass/result/item.h"

namespace sightglass {

struct ExplainedRow {
  std::uint64_t row = 0;
  std::span<const double> values;       // of each feature: its number or the index of its level; NaN: missing
  std::span<const double> predictions;  // of each output
};

// What a level that was never seen becomes among the values.
[[nodiscard]] double unseen_level(const Structure& structure);

// For each of these outputs, in words of the model's features.
[[nodiscard]] std::vector<ResultItem> row_parts(const LearnedModel& model, const ExplainedRow& row,
                                                std::span<const std::size_t> outputs);

}  // namespace sightglass
