#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "sightglass/model/trees/set_trees_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t most_leaves = 256;  // a place is a byte
constexpr std::size_t place_bits = 8;

}  // namespace

bool SetTrees::suits(const TreeEnsemble::Parts& parts) {
  std::vector<std::int32_t> stack;
  for (const Tree& tree : parts.trees) {
    std::size_t leaves = 0;
    stack.assign(1, static_cast<std::int32_t>(tree.root));
    while (!stack.empty() && leaves <= most_leaves) {
      const TreeNode& node = parts.nodes[static_cast<std::size_t>(stack.back())];
      stack.pop_back();
      if (node.is_leaf()) {
        ++leaves;
      } else {
        stack.insert(stack.end(), {node.left, node.right});
      }
    }
    if (leaves > most_leaves) return false;
  }
  return FeatureCodes::possible(parts);
}

SetTrees::SetTrees(const TreeEnsemble::Parts& parts, const FeatureCodes& codes)
    : parts_(parts), codes_(codes), outputs_(parts.base.size()) {
  struct Waiting {
    std::int32_t node;
    std::uint32_t depth, path;
  };
  struct Mark {
    std::uint32_t bit, node;
  };
  for (const Tree& tree : parts.trees) {
    trees_.push_back({.output = tree.output,
                      .splits = static_cast<std::uint32_t>(splits_.size()),
                      .marks = static_cast<std::uint32_t>(marks_.size()),
                      .leaves = static_cast<std::uint32_t>(std::max(leaves_.size(), leaf_rows_.size()))});
    // Breadth first: a node's children get the next two numbers.
    std::vector<Waiting> nodes = {{static_cast<std::int32_t>(tree.root), 0, 0}};
    std::vector<std::uint32_t> leaves;
    std::uint32_t depth = 0;
    for (std::uint32_t at = 0; at < nodes.size(); ++at) {
      const Waiting waiting = nodes[at];
      const TreeNode& node = parts.nodes[static_cast<std::size_t>(waiting.node)];
      depth = std::max(depth, waiting.depth);
      if (node.is_leaf()) {
        leaves.push_back(at);
        continue;
      }
      splits_.push_back({codes.condition_of(static_cast<std::size_t>(waiting.node)), at});
      const std::uint32_t right = waiting.depth < 32 ? std::uint32_t{1} << waiting.depth : 0;
      nodes.push_back({node.left, waiting.depth + 1, waiting.path});
      nodes.push_back({node.right, waiting.depth + 1, waiting.path | right});
    }
    most_nodes_ = std::max(most_nodes_, nodes.size());
    // Where the path to a leaf fits into a place it is the place, and a split marks its right side only. Else leaves
    // are numbered, and each marks the bits of its number.
    const bool by_path = depth <= place_bits;
    std::vector<Mark> marks;
    if (by_path) {
      std::uint32_t child = 1;
      for (std::uint32_t split = trees_.back().splits; split < splits_.size(); ++split, child += 2)
        marks.push_back({nodes[splits_[split].node].depth, child + 1});
    }
    const std::size_t places = by_path ? std::size_t{1} << depth : leaves.size();
    const auto first = trees_.back().leaves;
    if (parts.leaf_values.empty()) {
      leaves_.resize(first + places);
    } else {
      leaf_rows_.resize(first + places);
    }
    for (std::uint32_t number = 0; number < leaves.size(); ++number) {
      const std::uint32_t place = by_path ? nodes[leaves[number]].path : number;
      for (std::uint32_t bit = 0; !by_path && bit < place_bits; ++bit) {
        if ((number >> bit & 1) != 0) marks.push_back({bit, leaves[number]});
      }
      const TreeNode& leaf = parts.nodes[static_cast<std::size_t>(nodes[leaves[number]].node)];
      if (parts.leaf_values.empty()) {
        leaves_[first + place] = leaf.threshold;
      } else {
        leaf_rows_[first + place] = static_cast<std::uint32_t>(leaf.leaf);
      }
    }
    std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.bit < b.bit; });
    for (const Mark& mark : marks) {
      marks_.push_back(mark.node);
      ++trees_.back().marks_of_bit[mark.bit];
    }
  }
  leaves32_.assign(leaves_.begin(), leaves_.end());
  trees_.push_back({.splits = static_cast<std::uint32_t>(splits_.size())});
}

SetTrees::Workspace::Workspace(const SetTrees& trees)
    : conditions(trees.codes_), codes(trees.codes_.slots() * set_rows), reached(trees.most_nodes_), places(set_rows) {}

SIGHTGLASS_FOR_EACH_PROCESSOR
void SetTrees::find_places(const SetTree& tree, const SetTree& next, Workspace& workspace) const {
  RowSet* reached = workspace.reached.data();
  const RowSet* conditions = workspace.conditions.sets();
  reached[0].words = ~RowWords{};
  RowSet* child = reached + 1;
  for (std::uint32_t at = tree.splits; at < next.splits; ++at, child += 2) {
    const RowWords right = conditions[splits_[at].condition].words;
    const RowWords here = reached[splits_[at].node].words;
    child[0].words = here & ~right;
    child[1].words = here & right;
  }
  RowWords bits[place_bits];
  const std::uint32_t* mark = marks_.data() + tree.marks;
  for (std::size_t bit = 0; bit < place_bits; ++bit) {
    RowWords rows{};
    for (const std::uint32_t* end = mark + tree.marks_of_bit[bit]; mark != end; ++mark) rows |= reached[*mark].words;
    bits[bit] = rows;
  }
  // Eight sets of bits become bytes: 8 × 8 transpositions in all bytes of all words at once.
  const auto exchange = [&](std::size_t distance, std::uint64_t mask) __attribute__((always_inline)) {
    for (std::size_t a = 0; a < place_bits; ++a) {
      if ((a & distance) != 0) continue;
      const RowWords moved = ((bits[a] >> distance) ^ bits[a + distance]) & mask;
      bits[a + distance] ^= moved;
      bits[a] ^= moved << distance;
    }
  };
  exchange(1, 0x5555555555555555);
  exchange(2, 0x3333333333333333);
  exchange(4, 0x0F0F0F0F0F0F0F0F);
  for (std::size_t word = 0; word < 4; ++word) {
    for (std::size_t rows = 0; rows < 8; ++rows) {
      const std::uint64_t bytes = bits[rows][word];
      std::memcpy(workspace.places.data() + word * 64 + rows * 8, &bytes, sizeof bytes);
    }
  }
}

template <class Sum>
void SetTrees::add(Workspace& workspace, Sum* sums) const {
  workspace.conditions.find(workspace.codes.data());
  for (std::size_t t = 0; t + 1 < trees_.size(); ++t) {
    const SetTree& tree = trees_[t];
    find_places(tree, trees_[t + 1], workspace);
    const std::uint8_t* places = workspace.places.data();
    if (leaf_rows_.empty()) {
      const Sum* leaves;
      if constexpr (std::is_same_v<Sum, float>) {
        leaves = leaves32_.data() + tree.leaves;
      } else {
        leaves = leaves_.data() + tree.leaves;
      }
      Sum* out = sums + tree.output * set_rows;
      for (std::size_t row = 0; row < set_rows; ++row) out[row] += leaves[places[row]];
      continue;
    }
    for (std::size_t row = 0; row < set_rows; ++row) {
      const std::uint32_t leaf = leaf_rows_[tree.leaves + places[row]];
      const double* values = parts_.leaf_values.data() + std::size_t{leaf} * outputs_;
      for (std::size_t k = 0; k < outputs_; ++k) sums[k * set_rows + row] += static_cast<Sum>(values[k]);
    }
  }
}

template void SetTrees::add(Workspace&, float*) const;
template void SetTrees::add(Workspace&, double*) const;

}  // namespace sightglass
