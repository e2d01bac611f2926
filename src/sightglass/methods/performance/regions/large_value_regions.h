// Regions of the data in which some number of each row (a loss, how far two models are apart) is large, told by a few
// conditions: a shallow regression tree. It is grown on some rows, and what is said of its regions is of others, so
// that no region looks bad by having been looked for. Parts that do not differ there by more than chance are one.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/learn/training_data.h"
#include "sightglass/result/shapes/rules.h"

namespace sightglass {

class Context;

struct RegionOptions {
  std::int64_t max_depth = 3;      // the most conditions of a region
  std::int64_t min_leaf_rows = 0;  // the fewest rows; 0 = one in thirty, and at least 20
};

// Rows with a number each.
struct NumberedRows {
  TrainingData data;
  std::vector<double> values, weights;

  [[nodiscard]] std::size_t rows() const { return values.size(); }
};

struct LargeValueRegions {
  double mean = 0;         // of the judged rows
  Rules rules;             // a region each, with the mean of its rows (effect); the largest first
  std::vector<double> se;  // of these means
  bool found = false;      // false: all rows are one region
};

// Too few to divide and to judge.
[[nodiscard]] bool too_few_for_regions(std::size_t rows);
// Of every two rows one is for either, whatever their order.
[[nodiscard]] bool is_for_fitting(std::uint64_t seed, std::uint64_t row);
// judged: at least one row.
[[nodiscard]] LargeValueRegions large_value_regions(const NumberedRows& fitted, const NumberedRows& judged,
                                                    const RegionOptions& options, const Context& context);

}  // namespace sightglass
