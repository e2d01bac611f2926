// The rows in the order of each feature's values, found once for any number of trees that are grown on them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/training_data.h"

namespace sightglass {

// A row and the rank of its value among the feature's different values (of a categorical feature: its level).
struct SortedEntry {
  std::uint32_t row = 0;
  std::uint32_t code = 0;
};
inline constexpr std::uint32_t missing_code = std::numeric_limits<std::uint32_t>::max();

struct SortedFeature {
  bool categorical = false;
  std::vector<double> values;        // the different numbers, ascending; of a categorical feature none
  std::size_t codes = 0;             // every code is below; but that of missing values
  std::vector<SortedEntry> entries;  // by code, equal ones by row; missing values last
};

struct SortedFeatures {
  std::size_t rows = 0;
  std::vector<SortedFeature> features;

  SortedFeatures(const TrainingData& data, const Context& context);
};

// Sorted by radix: the cost is linear in the values.
[[nodiscard]] SortedFeature sort_feature(const TrainingFeature& feature);

}  // namespace sightglass
