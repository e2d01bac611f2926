#include "sightglass/learn/neighbors/training_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sightglass {

NeighborStructure neighbor_structure(const TrainingData& data, std::span<const std::uint32_t> rows) {
  NeighborStructure structure;
  for (const TrainingFeature& feature : data.features) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double value : feature.values) {
      if (std::isnan(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    structure.ranges.push_back(!(high > low) ? 0 : feature.info.categorical ? 1 : high - low);
    std::vector<double>& values = structure.values.emplace_back();
    for (const std::uint32_t row : rows) values.push_back(feature.values[row]);
  }
  for (const std::uint32_t row : rows) {
    structure.outcome.push_back(data.outcome[row]);
    if (!data.weights.empty()) structure.weights.push_back(data.weights[row]);
    structure.rows.push_back(data.row_id(row));
  }
  bool all_in_order = true;
  for (std::size_t i = 0; i < structure.rows.size(); ++i) all_in_order = all_in_order && structure.rows[i] == i;
  if (all_in_order) structure.rows.clear();
  return structure;
}

void add_constant_caveat(const TrainingData& data, std::vector<Caveat>& caveats) {
  for (const TrainingFeature& feature : data.features) {
    double first = std::numeric_limits<double>::quiet_NaN();
    for (const double value : feature.values) {
      if (std::isnan(first)) first = value;
      if (!std::isnan(value) && value != first) return;
    }
  }
  caveats.push_back({.id = "no-differences",
                     .severity = Severity::caution,
                     .message = "no feature has two different values: all rows are equally near, and all predictions "
                                "the same",
                     .evidence = Value::object({{"features", data.features.size()}}),
                     .advice = "use features that vary"});
}

std::vector<bool> categorical_features(const TrainingData& data) {
  std::vector<bool> categorical;
  for (const TrainingFeature& feature : data.features) categorical.push_back(feature.info.categorical);
  return categorical;
}

}  // namespace sightglass
