// Prediction of shallow trees, 256 rows at a time: sets of rows are divided down to the leaves, and a row's exit is
// that of its value in the leaves' table.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/model/trees/predict/exit_nodes_internal.h"
#include "sightglass/model/trees/predict/leaf_sums_internal.h"

namespace sightglass {

class SetTrees {
 public:
  // Whether no tree has more leaves than a exit can number.
  [[nodiscard]] static bool suits(const TreeEnsemble::Parts& parts);
  SetTrees(const TreeEnsemble::Parts& parts, const FeatureCodes& codes);

  // What one thread needs.
  struct Workspace {
    explicit Workspace(const SetTrees& trees);
    ConditionSets conditions;
    std::vector<std::uint16_t> codes;  // [slot][set_rows]: to be filled
    std::vector<RowSet> reached;
    std::vector<std::uint8_t> exits;
  };

  // sums[output * set_rows + row] += leaf, tree by tree in their order.
  void add_leaves(Workspace& workspace, float* sums) const { add(workspace, sums); }
  void add_leaves(Workspace& workspace, double* sums) const { add(workspace, sums); }

 private:
  struct SetTree {
    std::uint32_t output = 0;
    std::uint32_t leaf_rows = 0;  // where its own begin
  };
  template <class Sum>
  void add(Workspace& workspace, Sum* sums) const;

  const TreeEnsemble::Parts& parts_;
  const FeatureCodes& codes_;
  std::size_t outputs_;
  ExitNodes exits_;
  std::vector<SetTree> trees_;
  LeafTables<double> leaves_;             // by exit; empty with vector leaves
  LeafTables<float> leaves32_;            // the same
  std::vector<std::uint32_t> leaf_rows_;  // by exit: in the ensemble's leaf_values
};

}  // namespace sightglass
