// Prediction of shallow trees, 256 rows at a time: from the root down each node splits the set of rows that reach it,
// the sets at the leaves spell a number for each row, bit by bit, and that number is its place in the leaves' table.
// Nothing in it depends on a row's values, so nothing is mispredicted.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sightglass/model/trees/row_sets_internal.h"

namespace sightglass {

class SetTrees {
 public:
  // Whether no tree has more leaves than a place can number, and features can be coded.
  [[nodiscard]] static bool suits(const TreeEnsemble::Parts& parts);
  SetTrees(const TreeEnsemble::Parts& parts, const FeatureCodes& codes);

  // What one thread needs.
  struct Workspace {
    explicit Workspace(const SetTrees& trees);
    ConditionSets conditions;
    std::vector<std::uint16_t> codes;  // [slot][set_rows]: to be filled
    std::vector<RowSet> reached;
    std::vector<std::uint8_t> places;
  };

  // sums[output * set_rows + row] += leaf, tree by tree in their order.
  void add_leaves(Workspace& workspace, float* sums) const { add(workspace, sums); }
  void add_leaves(Workspace& workspace, double* sums) const { add(workspace, sums); }

 private:
  struct Split {
    std::uint32_t condition;
    std::uint32_t node;  // whose rows it divides; its children are the next two
  };
  struct SetTree {
    std::uint32_t output = 0;
    std::uint32_t splits = 0, marks = 0, leaves = 0;  // where its own begin
    std::array<std::uint16_t, 8> marks_of_bit{};
  };
  template <class Sum>
  void add(Workspace& workspace, Sum* sums) const;
  void find_places(const SetTree& tree, const SetTree& next, Workspace& workspace) const;

  const TreeEnsemble::Parts& parts_;
  const FeatureCodes& codes_;
  std::size_t outputs_;
  std::vector<SetTree> trees_;  // and one behind the last
  std::vector<Split> splits_;
  std::vector<std::uint32_t> marks_;      // of a tree, bit by bit: nodes whose rows have that bit in their place
  std::vector<double> leaves_;            // by place; empty with vector leaves
  std::vector<float> leaves32_;           // the same
  std::vector<std::uint32_t> leaf_rows_;  // by place: in the ensemble's leaf_values
  std::size_t most_nodes_ = 1;
};

}  // namespace sightglass
