#include <algorithm>
#include <limits>
#include <type_traits>

#include "sightglass/model/trees/predict/set_trees_internal.h"

namespace sightglass {

bool SetTrees::suits(const TreeEnsemble::Parts& parts) {
  std::vector<std::int32_t> stack;
  for (const Tree& tree : parts.trees) {
    std::size_t leaves = 0;
    stack.assign(1, static_cast<std::int32_t>(tree.root));
    while (!stack.empty() && leaves <= ExitNodes::most_exits) {
      const TreeNode& node = parts.nodes[static_cast<std::size_t>(stack.back())];
      stack.pop_back();
      if (node.is_leaf()) {
        ++leaves;
      } else {
        stack.insert(stack.end(), {node.left, node.right});
      }
    }
    if (leaves > ExitNodes::most_exits) return false;
  }
  return true;
}

SetTrees::SetTrees(const TreeEnsemble::Parts& parts, const FeatureCodes& codes)
    : parts_(parts), codes_(codes), outputs_(parts.base.size()) {
  for (const Tree& tree : parts.trees) {
    const std::vector<std::uint32_t> by_exit =
        exits_.add(parts, codes, tree, std::numeric_limits<std::uint32_t>::max());
    trees_.push_back({.output = tree.output, .leaf_rows = static_cast<std::uint32_t>(leaf_rows_.size())});
    std::vector<double> leaves;
    for (const std::uint32_t node : by_exit) {
      const TreeNode& leaf = parts.nodes[node];  // or the root, at exits of nobody
      if (parts.leaf_values.empty()) {
        leaves.push_back(leaf.threshold);
      } else {
        leaf_rows_.push_back(static_cast<std::uint32_t>(std::max(leaf.leaf, 0)));
      }
    }
    leaves_.add(leaves);
    leaves32_.add(std::vector<float>(leaves.begin(), leaves.end()));
  }
}

SetTrees::Workspace::Workspace(const SetTrees& trees)
    : conditions(trees.codes_),
      codes(trees.codes_.slots() * set_rows),
      reached(trees.exits_.most_sets()),
      exits(set_rows) {}

template <class Sum>
void SetTrees::add(Workspace& workspace, Sum* sums) const {
  workspace.conditions.find(workspace.codes.data());
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    const SetTree& tree = trees_[t];
    exits_.find(t, workspace.conditions.sets(), workspace.reached.data(), workspace.exits.data());
    const std::uint8_t* exits = workspace.exits.data();
    if (leaf_rows_.empty()) {
      Sum* out = sums + tree.output * set_rows;
      if constexpr (std::is_same_v<Sum, float>) {
        leaves32_.add_leaves(t, exits, out);
      } else {
        leaves_.add_leaves(t, exits, out);
      }
      continue;
    }
    for (std::size_t row = 0; row < set_rows; ++row) {
      const std::uint32_t leaf = leaf_rows_[tree.leaf_rows + exits[row]];
      const double* values = parts_.leaf_values.data() + std::size_t{leaf} * outputs_;
      for (std::size_t k = 0; k < outputs_; ++k) sums[k * set_rows + row] += static_cast<Sum>(values[k]);
    }
  }
}

template void SetTrees::add(Workspace&, float*) const;
template void SetTrees::add(Workspace&, double*) const;

}  // namespace sightglass
