#include <algorithm>
#include <utility>

#include "sightglass/model/trees/shapley/tree_subset_sets_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t ahead = 4;

}  // namespace

SubsetSets::SubsetSets(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, std::uint32_t tree) {
  struct Waiting {
    std::uint32_t node;
    std::uint32_t depth;
    std::vector<std::uint32_t> slots;  // of the path
    Edge edge;                         // that leads here; of the root none
  };
  std::vector<Waiting> stack;
  stack.push_back({parts.trees[tree].root, 0, {}, {}});
  while (!stack.empty()) {
    const Waiting here = std::move(stack.back());
    stack.pop_back();
    const TreeNode& node = parts.nodes[here.node];
    if (here.depth > 0) {
      edges_.push_back(here.edge);
      edges_.back().leaf = node.is_leaf();
    }
    if (node.is_leaf() || here.slots.size() >= TreePatterns::most_features) {
      // Beyond that nobody asks how much it would cost.
      if (!node.is_leaf()) cost_ += 1e18;
      continue;
    }
    const std::uint32_t condition = codes.condition_of(here.node);
    const std::uint32_t slot = codes.conditions()[condition].slot;
    const auto known = std::find(here.slots.begin(), here.slots.end(), slot);
    Edge edge{.condition = condition,
              .depth = here.depth,
              .features = static_cast<std::uint32_t>(here.slots.size()),
              .position = static_cast<std::uint32_t>(known - here.slots.begin()),
              .changes = size_};
    size_ += edge.changed();
    levels_ = std::max<std::size_t>(levels_, here.depth + 2);
    most_subsets_ = std::max(most_subsets_, std::size_t{2} << here.slots.size());
    for (const bool right : {true, false}) {  // the left one is taken first
      edge.right = right;
      Waiting next{static_cast<std::uint32_t>(right ? node.right : node.left), here.depth + 1, here.slots, edge};
      if (edge.fresh()) next.slots.push_back(slot);
      stack.push_back(std::move(next));
    }
  }
  // Measured.
  for (const Edge& edge : edges_) {
    const auto changed = static_cast<double>(edge.changed());
    cost_ += 4 + (edge.right ? 0 : 4 * changed) + (edge.leaf ? 0 : 2 * changed);
  }
}

void SubsetSets::add_conditions(std::vector<std::uint32_t>& conditions) const {
  for (const Edge& edge : edges_) conditions.push_back(edge.condition);
}

void SubsetSets::number_conditions(const std::vector<std::uint32_t>& ascending) {
  for (Edge& edge : edges_) {
    const auto at = std::lower_bound(ascending.begin(), ascending.end(), edge.condition);
    edge.condition = static_cast<std::uint32_t>(at - ascending.begin());
  }
}

void SubsetSets::prepare(Workspace& workspace) const {
  const std::size_t size = levels_ * most_subsets_;
  if (workspace.sets.size() < size * wide_sets) workspace.sets.resize(size * wide_sets);
  if (workspace.current.size() < size) workspace.current.resize(size);
  if (workspace.numbers.size() < size) workspace.numbers.resize(size);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void SubsetSets::add(const RowSet* conditions, const RowSet* rows, std::uint64_t* changes, Workspace& workspace) const {
  const WideKernels kernels = wide_kernels();
  workspace.current[0] = rows;
  for (std::size_t at = 0; at < edges_.size(); ++at) {
    const Edge& edge = edges_[at];
    // Large ensembles have more conditions than caches hold.
    const RowSet* next = conditions + edges_[std::min(at + ahead, edges_.size() - 1)].condition * wide_sets;
    for (std::size_t set = 0; set < wide_sets; set += 2) __builtin_prefetch(next + set);
    if (edge.leaf && edge.right) continue;
    const RowSet* const* from = workspace.current.data() + edge.depth * most_subsets_;
    const RowSet* right = conditions + edge.condition * wide_sets;
    const std::size_t feature = std::size_t{1} << edge.position, changed = edge.changed();
    const std::size_t had = edge.fresh() ? 0 : feature;
    std::uint64_t* out = changes + edge.changes;
    if (edge.leaf) {
      for (std::size_t i = 0; i < changed; ++i) out[i] += kernels.count(from[edge.without(i) | had], right);
      continue;
    }
    const RowSet** to = workspace.current.data() + (edge.depth + 1) * most_subsets_;
    RowSet* made = workspace.sets.data() + (edge.depth + 1) * most_subsets_ * wide_sets;
    for (std::size_t i = 0; i < changed; ++i, made += wide_sets) {
      const std::size_t subset = edge.without(i);
      const RowSet* here = from[subset | had];
      to[subset] = from[subset];
      to[subset | feature] = made;
      if (edge.right) {
        for (std::size_t set = 0; set < wide_sets; ++set) made[set].words = here[set].words & right[set].words;
      } else {
        out[i] += kernels.divide(here, right, made);
      }
    }
  }
}

void SubsetSets::finish(const std::uint64_t* changes, std::uint64_t rows, std::uint64_t* subsets,
                        Workspace& workspace) const {
  workspace.numbers[0] = rows;
  for (const Edge& edge : edges_) {
    const std::uint64_t* from = workspace.numbers.data() + edge.depth * most_subsets_;
    std::uint64_t* to = workspace.numbers.data() + (edge.depth + 1) * most_subsets_;
    const std::size_t feature = std::size_t{1} << edge.position;
    for (std::size_t i = 0; i < edge.changed(); ++i) {
      const std::size_t subset = edge.without(i), left = changes[edge.changes + i];
      to[subset] = from[subset];
      to[subset | feature] = edge.right ? from[edge.fresh() ? subset : subset | feature] - left : left;
    }
    if (!edge.leaf) continue;
    const std::size_t count = std::size_t{1} << (edge.fresh() ? edge.features + 1 : edge.features);
    for (std::size_t subset = 0; subset < count; ++subset) *subsets++ += to[subset];
  }
}

}  // namespace sightglass
