#include "sightglass/model/trees/predict/packed_trees_internal.h"

namespace sightglass {

template <class T>
PackedTrees<T>::PackedTrees(const TreeEnsemble::Parts& parts) : parts_(parts), outputs_(parts.base.size()) {
  const bool vector_leaves = !parts.leaf_values.empty();
  std::vector<std::uint32_t> slot(parts.signature.features.size(), 0);
  for (const TreeNode& node : parts.nodes) {
    if (!node.is_leaf()) slot[static_cast<std::size_t>(node.feature)] = 1;
  }
  for (std::uint32_t feature = 0; feature < slot.size(); ++feature) {
    if (slot[feature] == 0) continue;
    slot[feature] = static_cast<std::uint32_t>(used_.size());
    used_.push_back(feature);
  }
  constexpr std::size_t cache = std::size_t{1} << 20;  // about what a core has to itself
  if (parts.nodes.size() * sizeof(Node) > cache) {
    const std::size_t row_bytes = used_.size() * sizeof(T) + outputs_ * sizeof(double);
    while (tile_rows_ < most_tile_rows && 2 * tile_rows_ * row_bytes <= cache / 2) tile_rows_ *= 2;
  }
  // Nodes that no tree reaches are left out, so this is only an upper bound.
  nodes_.reserve(parts.nodes.size());
  if (vector_leaves) {
    leaf_rows_.reserve(parts.nodes.size());
  } else {
    leaves_.reserve(parts.nodes.size());
  }
  if (!parts.category_sets.empty()) set_of_.reserve(parts.nodes.size());

  struct Waiting {
    std::int32_t from;  // in the ensemble
    std::uint32_t to;   // here
    std::uint32_t depth;
  };
  std::vector<Waiting> queue;
  const auto place = [&](std::size_t count) {
    const auto first = static_cast<std::uint32_t>(nodes_.size());
    nodes_.resize(nodes_.size() + count);
    if (vector_leaves) {
      leaf_rows_.resize(nodes_.size());
    } else {
      leaves_.resize(nodes_.size());
    }
    if (!parts.category_sets.empty()) set_of_.resize(nodes_.size(), -1);
    return first;
  };
  for (const Tree& tree : parts.trees) {
    PackedTree packed{.root = place(1), .output = tree.output, .depth = 0, .has_special_splits = false};
    queue.clear();
    queue.push_back({static_cast<std::int32_t>(tree.root), packed.root, 0});
    // Breadth first: the nodes near the root, which every row visits, lie together.
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Waiting item = queue[i];
      const TreeNode& node = parts.nodes[static_cast<std::size_t>(item.from)];
      packed.depth = std::max(packed.depth, item.depth);
      if (node.is_leaf()) {
        nodes_[item.to] = {std::numeric_limits<T>::quiet_NaN(), 0, item.to};
        if (vector_leaves) {
          leaf_rows_[item.to] = static_cast<std::uint32_t>(node.leaf);
        } else {
          leaves_[item.to] = node.threshold;
        }
        continue;
      }
      const std::uint32_t children = place(2);
      std::uint32_t column = slot[static_cast<std::size_t>(node.feature)] * static_cast<std::uint32_t>(tile_rows_);
      if (!node.missing_left) column |= missing_right;
      T threshold = std::numeric_limits<T>::quiet_NaN();
      if (node.categories >= 0) {
        column |= categorical | (node.categories_left ? members_left : 0);
        set_of_[item.to] = node.categories;
        packed.has_special_splits = true;
      } else {
        // Nothing is >= NaN: of a split at infinity all values go left.
        if (node.threshold < std::numeric_limits<double>::infinity()) {
          threshold = less_than_threshold<T>(parts.comparison, node.threshold);
        }
        if (splits_off_zero(node)) {
          column |= zero_missing;
          packed.has_special_splits = true;
        }
      }
      nodes_[item.to] = {threshold, column, children};
      queue.push_back({node.left, children, item.depth + 1});
      queue.push_back({node.right, children + 1, item.depth + 1});
    }
    trees_.push_back(packed);
  }
}

template class PackedTrees<float>;
template class PackedTrees<double>;

}  // namespace sightglass
