// Partial dependence of pairs of features at the data rows, for tree ensembles: rows are counted at the leaves once,
// with any two features left out of account, and the partial dependence on every pair is read off these counts. All
// rows are compared with all rows at the cost of a few predictions of each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sightglass/methods/method.h"
#include "sightglass/methods/pd_rows.h"

namespace sightglass {

class TreeCounts;
struct PdTask;

class PdTreeCounts {
 public:
  // Whether a run is about a sum of trees: on the margin scale, or without a link; and whether its counts fit into
  // memory.
  [[nodiscard]] static bool possible(const MethodInput& input);

  PdTreeCounts(const TreeRows& trees, std::shared_ptr<const TreeCounts> counts,
               std::vector<std::vector<std::uint64_t>> counted, std::vector<std::uint64_t> totals);

  // PD of pairs at the points of each task: [task][sample][point × outputs + output].
  [[nodiscard]] std::vector<std::vector<std::vector<double>>> values(const PdRows& rows,
                                                                     const std::vector<PdTask>& pairs,
                                                                     const std::vector<std::size_t>& outputs) const;
  // Numbers that the table of a pair takes.
  [[nodiscard]] std::size_t table_size(const PdRows& rows, const PdSubset& pair) const;

 private:
  const TreeRows& trees_;
  std::shared_ptr<const TreeCounts> counts_;
  std::vector<std::vector<std::uint64_t>> counted_;  // per sample
  std::vector<std::uint64_t> totals_;                // per sample: what its rows count
};

// Counts the rows of every sample, then asks `then` what follows.
[[nodiscard]] std::unique_ptr<Stage> count_pd_rows(const MethodInput& input, std::shared_ptr<const PdRows> rows,
                                                   std::function<Next(std::shared_ptr<const PdTreeCounts>)> then);

}  // namespace sightglass
