// Partial dependence of a tree ensemble at the data rows, all rows against all, off counts of rows at its leaves, for
// one subset of features at a time:
//   of three or more features: a pass over the rows counts them at the leaves, then each point looks up its leaves;
//   of a single feature with all others as its complement: rows are counted at the leaves by this feature alone, then
//   each row looks up the leaves that its other features lead to.
#pragma once

#include <memory>
#include <vector>

#include "sightglass/methods/interactions/dependence/pd_at_rows.h"

namespace sightglass {

// Whether a run is about a sum of trees: on the margin scale, or without a link.
[[nodiscard]] bool pd_means_by_trees(const MethodInput& input);
// What a function takes for each sample, in bytes; 0 if it is not possible.
[[nodiscard]] std::size_t pd_means_bytes(const MethodInput& input);

// What a function takes of every row, in predictions, whatever its points. Single features with fewer points are as
// well asked for.
inline constexpr double pd_means_price = 20;
inline constexpr std::size_t pd_means_least_points = 320;

// Tasks without complements.
[[nodiscard]] Chain<std::vector<PdFunction>> pd_tree_means(const MethodInput& input, std::shared_ptr<const PdRows> rows,
                                                           std::vector<PdTask> tasks);

// Tasks of one feature, with complements.
[[nodiscard]] Chain<std::vector<PdFunction>> pd_tree_complements(const MethodInput& input,
                                                                 std::shared_ptr<const PdRows> rows,
                                                                 std::vector<PdTask> tasks);

}  // namespace sightglass
