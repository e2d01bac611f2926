// The tree behind `hierarchical-2d`: each node is the panel that separates its rows best.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/panels/panel_search.h"
#include "sightglass/learn/training_data.h"
#include "sightglass/model/learned/panels.h"
#include "sightglass/result/shapes/panels.h"

namespace sightglass {

struct PanelTreeLimits {
  PanelLimits panels;
  std::size_t max_depth = 3;  // panels on a row's way
  std::size_t min_rows = 10;  // fewer are not split
  double min_gain = 0.05;     // share of the node's impurity that a panel must remove, in cross-validation
  std::uint32_t folds = 5;
};

struct PanelTreeFit {
  PanelTreeStructure structure;
  std::vector<std::vector<std::uint32_t>> rows;  // per panel, those that came to it
  std::vector<double> gains;                     // per panel, share of impurity removed, in cross-validation
  std::vector<std::vector<PanelRunnerUp>> runners_up;
  std::vector<double> leaf_weights;
  std::size_t unsolved = 0;  // panels of which steps ran out
};

[[nodiscard]] PanelTreeFit grow_panel_tree(const TrainingData& data, const std::vector<PanelSubset>& subsets,
                                           const PanelTreeLimits& limits, const Context& context);

}  // namespace sightglass
