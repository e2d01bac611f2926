#include <algorithm>
#include <bit>

#include "sightglass/base/error.h"
#include "sightglass/model/trees/tree_counts_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t most_path_features = 14;
constexpr std::size_t most_depth = 1000;

}  // namespace

bool TreeCounts::suits(const TreeEnsemble::Parts& parts) {
  struct Waiting {
    std::int32_t node;
    std::size_t depth;
  };
  std::vector<std::uint32_t> times(parts.signature.features.size(), 0);  // each feature is on the path
  std::vector<std::int32_t> path;
  std::size_t distinct = 0;
  std::vector<Waiting> stack;
  for (const Tree& tree : parts.trees) {
    stack.push_back({static_cast<std::int32_t>(tree.root), 0});
    while (!stack.empty()) {
      const Waiting waiting = stack.back();
      stack.pop_back();
      for (; path.size() > waiting.depth; path.pop_back()) {
        if (--times[static_cast<std::size_t>(path.back())] == 0) --distinct;
      }
      const TreeNode& node = parts.nodes[static_cast<std::size_t>(waiting.node)];
      if (node.is_leaf()) continue;
      path.push_back(node.feature);
      if (times[static_cast<std::size_t>(node.feature)]++ == 0) ++distinct;
      if (distinct > most_path_features || path.size() > most_depth) return false;
      stack.insert(stack.end(), {{node.right, waiting.depth + 1}, {node.left, waiting.depth + 1}});
    }
  }
  return FeatureCodes::possible(parts);
}

TreeCounts::TreeCounts(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, int order)
    : codes_(codes), order_(static_cast<std::size_t>(order)), made_(codes) {
  if (order != 1 && order != 2) throw Error(ErrorKind::internal, "counts leave out one or two features");
  for (std::uint32_t tree = 0; tree < parts.trees.size(); ++tree) {
    first_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
    grow(parts, tree);
  }
  first_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
  leaves_out_.assign(most_path_features * most_sets_, 0);
  for (std::size_t p = 0; p < most_path_features && first_set(p) < most_sets_; ++p) {
    leaves_out_[p * most_sets_ + first_set(p)] = 1;
    for (std::size_t q = 0; q < most_path_features && order_ > 1; ++q) {
      const std::size_t set = first_set(std::max(p, q)) + 1 + std::min(p, q);
      if (p != q && set < most_sets_) leaves_out_[p * most_sets_ + set] = 1;
    }
  }
}

void TreeCounts::grow(const TreeEnsemble::Parts& parts, std::uint32_t tree) {
  struct Waiting {
    std::uint32_t node;
    std::size_t depth;
    std::vector<Demand> demands;
    Edge edge;  // that leads here; of the root none
  };
  std::vector<Waiting> stack;
  stack.push_back({parts.trees[tree].root, 0, {}, {}});
  while (!stack.empty()) {
    const Waiting waiting = std::move(stack.back());
    stack.pop_back();
    const TreeNode& node = parts.nodes[waiting.node];
    const std::size_t sets = first_set(waiting.demands.size());
    if (waiting.depth > 0) edges_.push_back(waiting.edge);
    depth_ = std::max(depth_, waiting.depth);
    most_sets_ = std::max(most_sets_, sets);
    if (node.is_leaf()) {
      if (waiting.depth > 0) edges_.back().leaf = static_cast<std::int32_t>(leaves_.size());
      Leaf leaf{
          .tree = tree, .node = waiting.node, .demands = static_cast<std::uint32_t>(demands_.size()), .counts = size_};
      demands_.insert(demands_.end(), waiting.demands.begin(), waiting.demands.end());
      leaf.end = static_cast<std::uint32_t>(demands_.size());
      leaves_.push_back(leaf);
      size_ += sets;
      continue;
    }
    const std::uint32_t index = codes_.condition_of(waiting.node);
    const FeatureCodes::Condition& condition = codes_.conditions()[index];
    const auto known = std::find_if(waiting.demands.begin(), waiting.demands.end(),
                                    [&](const Demand& demand) { return demand.slot == condition.slot; });
    for (const bool right : {true, false}) {  // the left one is taken first
      Waiting next{.node = static_cast<std::uint32_t>(right ? node.right : node.left),
                   .depth = waiting.depth + 1,
                   .demands = waiting.demands,
                   .edge = {.condition = index,
                            .depth = static_cast<std::uint16_t>(waiting.depth),
                            .sets = static_cast<std::uint16_t>(sets),
                            .position = static_cast<std::uint16_t>(known - waiting.demands.begin()),
                            .right = right,
                            .fresh = known == waiting.demands.end()}};
      if (next.edge.fresh) next.demands.push_back(made_.any(condition.slot));
      made_.narrow(next.demands[next.edge.position], condition, right);
      stack.push_back(std::move(next));
    }
  }
}

TreeCounts::Workspace::Workspace(const TreeCounts& counts)
    : sets((counts.depth_ + 1) * counts.most_sets_), current((counts.depth_ + 1) * counts.most_sets_) {}

SIGHTGLASS_FOR_EACH_PROCESSOR
void TreeCounts::add(const RowSet* conditions, const RowSet& rows, std::uint64_t* counts, Workspace& workspace) const {
  const auto size = [](const RowWords& words) __attribute__((always_inline)) {
    std::uint64_t bits = 0;
    for (std::size_t word = 0; word < 4; ++word) bits += static_cast<std::uint64_t>(__builtin_popcountll(words[word]));
    return bits;
  };
  const RowSet** current = workspace.current.data();
  current[0] = &rows;
  std::size_t leaf_alone = 0;
  for (std::size_t tree = 0; tree + 1 < first_edge_.size(); ++tree) {
    if (first_edge_[tree] == first_edge_[tree + 1]) {
      // A tree that is one leaf: all rows are in it.
      while (leaves_[leaf_alone].tree < tree) ++leaf_alone;
      counts[leaves_[leaf_alone].counts] += size(rows.words);
      continue;
    }
    for (std::uint32_t at = first_edge_[tree]; at < first_edge_[tree + 1]; ++at) {
      const Edge& edge = edges_[at];
      const RowSet** from = current + edge.depth * most_sets_;
      const std::uint8_t* leaves_out = leaves_out_.data() + edge.position * most_sets_;
      const RowWords side = edge.right ? conditions[edge.condition].words : ~conditions[edge.condition].words;
      if (edge.leaf >= 0) {
        std::uint64_t* out = counts + leaves_[static_cast<std::size_t>(edge.leaf)].counts;
        for (std::size_t set = 0; set < edge.sets; ++set)
          out[set] += size(leaves_out[set] != 0 ? from[set]->words : from[set]->words & side);
        if (!edge.fresh) continue;
        out[edge.sets] += size(from[0]->words);
        for (std::size_t p = 0; p < edge.position && order_ > 1; ++p)
          out[edge.sets + 1 + p] += size(from[first_set(p)]->words);
        continue;
      }
      const RowSet** to = from + most_sets_;
      RowSet* made = workspace.sets.data() + (edge.depth + 1) * most_sets_;
      for (std::size_t set = 0; set < edge.sets; ++set) {
        made[set].words = from[set]->words & side;
        to[set] = leaves_out[set] != 0 ? from[set] : made + set;
      }
      if (!edge.fresh) continue;
      to[edge.sets] = from[0];
      for (std::size_t p = 0; p < edge.position && order_ > 1; ++p) to[edge.sets + 1 + p] = from[first_set(p)];
    }
  }
}

}  // namespace sightglass
