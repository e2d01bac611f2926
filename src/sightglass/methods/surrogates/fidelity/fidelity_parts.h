// How well a surrogate follows the model: over all rows, on those held out, and region by region.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sightglass/learn/training_data.h"
#include "sightglass/result/shapes/fidelity.h"
#include "sightglass/result/shapes/rules.h"

namespace sightglass {

// Rows by their positions.
using RowList = std::vector<std::size_t>;

// R² = 1 − Σ w (f − g)² / Σ w (f − mean f)² of some rows. Where f does not vary R² is 1 if g says the same, else 0.
struct Agreement {
  double weight = 0;
  double r2 = 0;
  double se = 0;  // of R², by the delta method
  double mean_square = 0;

  [[nodiscard]] double low() const { return r2 - 1.96 * se; }
  [[nodiscard]] double high() const { return r2 + 1.96 * se; }
};
[[nodiscard]] Agreement agreement(std::span<const double> model, std::span<const double> surrogate,
                                  std::span<const double> weights, const RowList& rows);

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
