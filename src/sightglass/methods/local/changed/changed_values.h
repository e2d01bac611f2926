// Predictions of single rows, one value changed at a time, and between which values of a feature the predicted class
// changes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/rows/explained_rows.h"
#include "sightglass/methods/rows/predicted_class.h"

namespace sightglass {

// What is changed: of each feature its grid, and where the model is made of trees and predicts classes, the first value
// behind each of its splits within the range of the grid.
struct ValueChanges {
  MethodInput input;
  RowIds rows;  // ascending
  std::vector<FeatureGrid> grids;
  std::vector<std::vector<double>> thresholds;  // per grid, ascending; empty: it has none, or they do not matter
  std::vector<std::vector<Scalar>> values;      // per grid: what rows are given; of numbers ascending
  PredictedClass classes;

  ValueChanges(const MethodInput& input, RowIds rows, std::vector<FeatureGrid> grids);
  [[nodiscard]] bool asks_missing(std::size_t grid) const { return grids[grid].has_missing(); }
  [[nodiscard]] std::size_t questions(std::size_t grid) const {
    return values[grid].size() + (asks_missing(grid) ? 1 : 0);
  }
};
using ValueChangesPtr = std::shared_ptr<const ValueChanges>;

// All outputs of the model at one value.
struct ChangedAnswer {
  double value = 0;
  std::vector<double> outputs;
};

struct VariedRow {
  std::uint64_t id = 0;
  std::vector<double> own;      // values of the model's features, as ColumnView::number
  std::vector<double> outputs;  // as the row is
  struct Feature {
    std::vector<double> answers;  // all outputs at the first of ValueChanges::values, then at the next
    std::vector<double> missing;  // outputs where the feature is missing; empty: not asked
  };
  std::vector<Feature> features;  // per grid

  [[nodiscard]] std::span<const double> answer(std::size_t grid, std::size_t value) const {
    return std::span(features[grid].answers).subspan(value * outputs.size(), outputs.size());
  }
};
// Shared, not copied: of many rows they take most of the memory.
using VariedRows = std::shared_ptr<const std::vector<VariedRow>>;

// The class is one below and another above, without a value known between them at which it changes. exact: there is
// none.
struct ClassStep {
  std::size_t row = 0, grid = 0;  // places
  ChangedAnswer below, above;
  bool exact = false;
};

// Throws Error(usage) where a row is not in the data.
[[nodiscard]] Chain<VariedRows> ask_changes(const ValueChangesPtr& changes);

// Along the numeric features of all rows, by row and grid; steps are divided until they are 1/256 as wide, or nothing
// is between their ends.
[[nodiscard]] Chain<std::vector<ClassStep>> find_class_steps(const ValueChangesPtr& changes,
                                                             const std::vector<VariedRow>& rows);

// Those of a row, or of one of its grids: steps come by row and grid.
[[nodiscard]] std::span<const ClassStep> steps_of(std::span<const ClassStep> steps, std::size_t row);
[[nodiscard]] std::span<const ClassStep> steps_of(std::span<const ClassStep> steps, std::size_t row, std::size_t grid);

}  // namespace sightglass
