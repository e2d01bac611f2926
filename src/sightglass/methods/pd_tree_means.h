// Partial dependence of a tree ensemble on three or more features at the data rows, all rows against all: a pass over
// the rows counts them at the leaves for every subset of features, then each point looks up its leaves.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sightglass/methods/pd_at_rows.h"

namespace sightglass {

// Whether a run is about a sum of trees: on the margin scale, or without a link.
[[nodiscard]] bool pd_means_by_trees(const MethodInput& input);

[[nodiscard]] std::unique_ptr<Stage> pd_tree_means(const MethodInput& input, std::shared_ptr<const PdRows> rows,
                                                   std::vector<PdTask> tasks,
                                                   std::function<Next(std::vector<PdFunction>)> then);

}  // namespace sightglass
