// The covering ensemble behind `covering-2d`: panels that claim rows of one class and none of those that must not be
// claimed, for each class of an order of misclassification costs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/panels/panel_search.h"
#include "sightglass/learn/training_data.h"
#include "sightglass/model/learned/panels.h"
#include "sightglass/result/shapes/panels.h"

namespace sightglass {

struct CoveringLimits {
  PanelLimits panels;
  std::size_t max_models = 8;      // per class
  double min_gain = 0.02;          // share of a class that a panel must newly claim
  double preference = 10;          // cost of a critical row against another while panels are trained
  std::size_t tolerate = 0;        // critical rows that may be left out per class
  double calibration = 0;          // share of the critical rows kept for safe mode; 0: not safe
  std::size_t allowed_misses = 1;  // k of safe mode
  bool one_vs_rest = false;        // each class against all others, instead of all that are more critical
};

// The threshold that claims most rows without a critical one, if up to `tolerate` critical rows may be left out where
// each is worth it: what is gained by leaving out rows must weigh more than they do.
struct PanelThreshold {
  double threshold = 0;
  double gain = 0;    // weight of other rows above it
  double margin = 0;  // from it to the lowest of these
  double score = 0;   // gain, less the weight of what was left out
};
// Decision values and weights of critical and of other rows; NaN: missing, never claimed.
[[nodiscard]] PanelThreshold find_threshold(std::span<const double> critical, std::span<const double> critical_weights,
                                            std::span<const double> others, std::span<const double> other_weights,
                                            std::size_t tolerate);

// A panel of the ensemble and how it came about.
struct CoveringPanel {
  Panel panel;
  double gain = 0;  // weight that no panel before it claims
  bool converged = true;
  std::vector<PanelRunnerUp> runners_up;
};

struct CoveringFit {
  CoveringStructure structure;
  std::vector<CoveringPanel> panels;       // those of the structure
  std::vector<std::uint32_t> tolerated;    // rows that were left out and are claimed, ascending
  std::vector<std::uint32_t> calibration;  // rows that only safe mode saw
  std::vector<SafetyStep> trade_off;
  double shift = 0;  // by which safe mode raised thresholds, in spreads
};

// Rows of a class that safe mode keeps apart: this share, rounded down, at least one.
[[nodiscard]] std::size_t calibration_rows(double share, std::size_t rows);

// Rows of the data to learn from; `order` has the classes, the most critical first.
[[nodiscard]] CoveringFit fit_covering(const TrainingData& data, std::span<const std::uint32_t> rows,
                                       const std::vector<std::uint32_t>& order, const std::vector<PanelSubset>& subsets,
                                       const CoveringLimits& limits, const Context& context);

// Per row where it ends: a place in the order, or unclaimed_end().
[[nodiscard]] std::vector<std::size_t> covering_ends(const CoveringStructure& structure, const TrainingData& data,
                                                     std::span<const std::uint32_t> rows, const Context& context);
// Per row the place in the order of the class that is predicted.
[[nodiscard]] std::vector<std::size_t> covering_places(const CoveringStructure& structure, const TrainingData& data,
                                                       std::span<const std::uint32_t> rows, const Context& context);
// Per row, of how many classes panels claim it.
[[nodiscard]] std::vector<std::size_t> covering_claims(const CoveringStructure& structure, const TrainingData& data,
                                                       std::span<const std::uint32_t> rows, const Context& context);

// Largest rate at which so few misses among so many are still seen one time in twenty: the exact (Clopper-Pearson)
// upper bound of one side.
[[nodiscard]] double binomial_upper_bound(std::size_t misses, std::size_t rows);

}  // namespace sightglass
