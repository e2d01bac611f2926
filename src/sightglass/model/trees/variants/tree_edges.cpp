#include <algorithm>
#include <numeric>

#include "sightglass/model/trees/variants/tree_edges_internal.h"

namespace sightglass {

TreeEdges::TreeEdges(const TreeEnsemble::Parts& parts, const FeatureCodes& codes) {
  struct Waiting {
    std::uint32_t node;
    TreeEdge edge;  // that leads there; of the root none
    bool root = false;
  };
  std::vector<Waiting> stack;
  for (const Tree& tree : parts.trees) {
    const auto first = static_cast<std::uint32_t>(edges_.size());
    first_.push_back(first);
    stack.push_back({.node = tree.root, .edge = {}, .root = true});
    while (!stack.empty()) {
      const Waiting waiting = stack.back();
      stack.pop_back();
      const TreeNode& node = parts.nodes[waiting.node];
      std::uint32_t depth = 0;
      if (!waiting.root) {
        depth = waiting.edge.depth + 1;
        edges_.push_back(waiting.edge);
        depth_ = std::max<std::size_t>(depth_, depth);
      }
      if (node.is_leaf()) {
        if (!waiting.root) edges_.back().leaf = static_cast<std::int32_t>(leaves_.size());
        leaves_.push_back(waiting.node);
        continue;
      }
      const std::uint32_t condition = codes.condition_of(waiting.node);
      TreeEdge edge{.condition = condition, .depth = depth, .right = true};
      stack.push_back({.node = static_cast<std::uint32_t>(node.right), .edge = edge});
      edge.right = false;
      stack.push_back({.node = static_cast<std::uint32_t>(node.left), .edge = edge});
    }
    // From the back: what follows from an edge ends where the next one of its depth or above begins.
    const auto end = static_cast<std::uint32_t>(edges_.size());
    std::vector<std::uint32_t> behind(1, end);  // by depth: the first edge behind of that depth or above
    for (std::uint32_t at = end; at-- > first;) {
      const std::size_t depth = edges_[at].depth;
      behind.resize(depth + 1, behind.back());
      edges_[at].next = behind[depth];
      behind[depth] = at;
    }
  }
  first_.push_back(static_cast<std::uint32_t>(edges_.size()));
  first_of_condition_.resize(codes.conditions().size() + 1);
  for (const TreeEdge& edge : edges_) ++first_of_condition_[edge.condition + 1];
  std::partial_sum(first_of_condition_.begin(), first_of_condition_.end(), first_of_condition_.begin());
  by_condition_.resize(edges_.size());
  std::vector<std::uint32_t> next = first_of_condition_;
  for (std::uint32_t at = 0; at < edges_.size(); ++at) by_condition_[next[edges_[at].condition]++] = at;
}

std::size_t TreeEdges::tree_of(std::uint32_t edge) const {
  // Trees that are one leaf have no edges: the last one that begins there is meant.
  return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), edge) - first_.begin()) - 1;
}

}  // namespace sightglass
