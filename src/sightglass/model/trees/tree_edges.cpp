#include <algorithm>

#include "sightglass/model/trees/tree_edges_internal.h"

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
    std::vector<std::uint64_t> gathered(1, 0);  // by depth: slots of the edges seen there, and below
    std::uint64_t all = 0;
    for (std::uint32_t at = end; at-- > first;) {
      TreeEdge& edge = edges_[at];
      const std::size_t depth = edge.depth;
      // Deeper ones that were seen belong to this one.
      if (behind.size() < depth + 1) {
        behind.resize(depth + 1, behind.back());
        gathered.resize(depth + 1, 0);
      }
      std::uint64_t below = 0;
      for (std::size_t d = depth + 1; d < gathered.size(); ++d) below |= gathered[d];
      gathered.resize(depth + 1);
      behind.resize(depth + 1);
      edge.next = behind[depth];
      edge.below = below;
      const std::uint64_t mine = bit(codes.conditions()[edge.condition].slot);
      gathered[depth] |= mine | below;
      behind[depth] = at;
      all |= mine;
    }
    slots_.push_back(all);
  }
  first_.push_back(static_cast<std::uint32_t>(edges_.size()));
}

}  // namespace sightglass
