// Rows of a block in sets of 256, and points of features likewise, as a tree ensemble's means want them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sightglass/methods/interactions/dependence/pd_at_rows.h"
#include "sightglass/methods/run/weight_units.h"
#include "sightglass/model/trees/counts/tree_means_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

// 256 rows of one sample, or fewer.
struct PdRowSet {
  std::size_t sample = 0;
  RowSet rows{};
  std::vector<std::uint16_t> codes;   // [slot × 256 + row]
  std::vector<std::uint64_t> units;   // by place; empty if rows count 1
  std::vector<std::uint64_t> places;  // in the sample
  std::vector<double> margins;        // [row × outputs of the model], where they are wanted
};
// The rows of a block that were drawn. Others are none of the model's business: it might refuse them. totals: what the
// rows of each sample count is added there.
[[nodiscard]] std::vector<PdRowSet> pd_row_sets(const MethodInput& input, const PdRows& rows, const RowBlock& block,
                                                bool margins, std::vector<std::uint64_t>& totals, Context& context);

// Counts rows at leaves for several means at once; counts: [means][sample]. Threads share the trees.
void pd_count(const MethodInput& input, const std::vector<TreeMeans>& means, const std::vector<PdRowSet>& sets,
              const std::function<std::uint64_t*(std::size_t means, std::size_t sample)>& counts,
              const Context& context);

// Means at the points of a task in a sample: [point × outputs + output], of the outputs that are explained.
[[nodiscard]] std::vector<double> pd_at_points(const MethodInput& input, const PdRows& rows, const TreeMeans& means,
                                               const PdTask& task, std::size_t sample);

}  // namespace sightglass
