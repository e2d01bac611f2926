#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/model/trees/counts/tree_counts_internal.h"

namespace sightglass {

namespace {

// Sets are carried along a path for each feature of it, and each two.
constexpr std::size_t most_set_conditions = 14;
constexpr std::size_t most_set_depth = 64;
// Measured: from about so many sets to be divided on, lists are faster; of sets whose rows count differently, and not
// by few bits, earlier. By order.
constexpr std::uint64_t most_set_steps[] = {0, 8'000, 90'000};
constexpr std::uint64_t most_heavy_set_steps[] = {0, 350, 1'200};
constexpr int most_weight_bits = 8;
// Codes of the rows that are on lists should stay in the cache, but short lists cost much for little.
constexpr std::size_t list_codes = std::size_t{1} << 19;
constexpr std::size_t least_list_rows = 2048;
// Whatever the number of features: their positions are 32 bits.
constexpr std::size_t most_list_codes = std::size_t{1} << 26;
// A node's lists lie behind its parent's, whose rows may all have come along: fewer rows at a time where trees are
// deep.
constexpr std::size_t most_list_bytes = std::size_t{1} << 27;

// What a set of a feature's codes takes, of those features whose conditions may be no ranges; else 0.
std::vector<std::size_t> bytes_of_sets(const TreeEnsemble::Parts& parts) {
  struct Named {
    std::vector<std::uint64_t> categories;
    std::vector<double> thresholds;
    bool zeros = false;
  };
  std::vector<Named> named(parts.signature.features.size());
  const auto splits = [&](const auto& visit) {
    for (const TreeNode& node : parts.nodes) {
      if (!node.is_leaf()) visit(node, named[static_cast<std::size_t>(node.feature)]);
    }
  };
  splits([](const TreeNode& node, Named& feature) { feature.zeros = feature.zeros || node.zero_is_missing; });
  splits([&](const TreeNode& node, Named& feature) {
    if (node.categories < 0) {
      if (feature.zeros) feature.thresholds.push_back(node.threshold);
      return;
    }
    const auto& words = parts.category_sets[static_cast<std::size_t>(node.categories)].bits;
    if (feature.categories.size() < words.size()) feature.categories.resize(words.size());
    for (std::size_t word = 0; word < words.size(); ++word) feature.categories[word] |= words[word];
  });
  std::vector<std::size_t> bytes;
  for (Named& feature : named) {
    std::sort(feature.thresholds.begin(), feature.thresholds.end());
    const auto end = std::unique(feature.thresholds.begin(), feature.thresholds.end());
    std::size_t codes = static_cast<std::size_t>(end - feature.thresholds.begin());
    for (const std::uint64_t word : feature.categories) codes += static_cast<std::size_t>(std::popcount(word));
    constexpr std::size_t besides = 4;  // those of missing values, of zeros, of all other categories
    bytes.push_back(codes == 0 ? 0 : sizeof(std::vector<std::uint64_t>) + (codes + besides + 63) / 64 * 8);
  }
  return bytes;
}

}  // namespace

std::vector<TreeRange> TreeCounts::ranges(const TreeEnsemble::Parts& parts, int order, std::size_t bytes,
                                          std::size_t* most_needed) {
  struct Waiting {
    std::int32_t node;
    std::size_t depth;
  };
  const std::vector<std::size_t> set_bytes = bytes_of_sets(parts);
  std::vector<std::uint32_t> times(parts.signature.features.size(), 0);  // each feature is on the path
  std::vector<std::int32_t> path;
  std::size_t distinct = 0;
  std::vector<Waiting> stack;
  std::vector<TreeRange> ranges;
  std::size_t taken = 0;
  for (std::uint32_t tree = 0; tree < parts.trees.size(); ++tree) {
    std::size_t needed = sizeof(CountedTree);
    stack.push_back({static_cast<std::int32_t>(parts.trees[tree].root), 0});
    while (!stack.empty()) {
      const Waiting waiting = stack.back();
      stack.pop_back();
      for (; path.size() > waiting.depth; path.pop_back()) {
        if (--times[static_cast<std::size_t>(path.back())] == 0) --distinct;
      }
      const TreeNode& node = parts.nodes[static_cast<std::size_t>(waiting.node)];
      if (node.is_leaf()) {
        needed += sizeof(Leaf) + sizeof(Split) + distinct * sizeof(PathCondition) +
                  first_set(static_cast<std::size_t>(order), distinct) * sizeof(std::uint64_t);
        continue;
      }
      // Either side has a condition of its own.
      needed += 2 * set_bytes[static_cast<std::size_t>(node.feature)];
      path.push_back(node.feature);
      if (times[static_cast<std::size_t>(node.feature)]++ == 0) ++distinct;
      stack.insert(stack.end(), {{node.right, waiting.depth + 1}, {node.left, waiting.depth + 1}});
    }
    if (most_needed != nullptr) *most_needed = std::max(*most_needed, needed);
    if (ranges.empty() || taken + needed > bytes) {
      ranges.push_back({tree, tree});
      taken = 0;
    }
    ranges.back().end = tree + 1;
    taken += needed;
  }
  return ranges;
}

TreeCounts::TreeCounts(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, int order, TreeRange trees)
    : codes_(codes), order_(static_cast<std::size_t>(order)), range_(trees), made_(codes) {
  if (order != 1 && order != 2) throw Error(ErrorKind::internal, "counts leave out one or two features");
  if (trees.begin > trees.end || trees.end > parts.trees.size())
    throw Error(ErrorKind::internal, "trees that do not exist are to be counted");
  while ((std::size_t{1} << list_shift_) < codes.slots()) ++list_shift_;
  for (std::uint32_t tree = trees.begin; tree < trees.end; ++tree) grow(parts, tree);
  choose(Way::by_size);
}

void TreeCounts::grow(const TreeEnsemble::Parts& parts, std::uint32_t tree) {
  struct Waiting {
    std::uint32_t node;
    std::uint32_t depth;
    std::int32_t parent;  // split
    bool right;
  };
  struct Done {  // to the path's conditions, by the edge at that depth
    std::size_t position;
    PathCondition before;
    bool fresh;
  };
  CountedTree counted{.splits = static_cast<std::uint32_t>(splits_.size()),
                      .leaves = static_cast<std::uint32_t>(leaves_.size())};
  std::vector<PathCondition> path_conditions;
  std::vector<Done> path;
  std::vector<Waiting> stack = {{parts.trees[tree].root, 0, -1, false}};
  while (!stack.empty()) {
    const Waiting waiting = stack.back();
    stack.pop_back();
    const TreeNode& node = parts.nodes[waiting.node];
    // Back to what the path was at the parent, then down this edge.
    while (!path.empty() && path.size() >= waiting.depth) {
      path_conditions[path.back().position] = path.back().before;
      if (path.back().fresh) path_conditions.pop_back();
      path.pop_back();
    }
    if (waiting.parent >= 0) {
      Split& parent = splits_[static_cast<std::size_t>(waiting.parent)];
      const FeatureCodes::Condition& condition = codes_.conditions()[parent.condition];
      if (parent.fresh) path_conditions.push_back(made_.any(condition.slot));
      path.push_back({parent.position, path_conditions[parent.position], parent.fresh});
      made_.narrow(path_conditions[parent.position], condition, waiting.right);
      parent.children[waiting.right ? 1 : 0] =
          node.is_leaf() ? ~static_cast<std::int32_t>(leaves_.size()) : static_cast<std::int32_t>(splits_.size());
    }
    counted.depth = std::max(counted.depth, waiting.depth);
    counted.most_conditions = std::max(counted.most_conditions, static_cast<std::uint32_t>(path_conditions.size()));
    if (node.is_leaf()) {
      leaves_.push_back({.tree = tree,
                         .node = waiting.node,
                         .path_conditions = static_cast<std::uint32_t>(path_conditions_.size()),
                         .end = static_cast<std::uint32_t>(path_conditions_.size() + path_conditions.size()),
                         .counts = size_});
      path_conditions_.insert(path_conditions_.end(), path_conditions.begin(), path_conditions.end());
      size_ += first_set(path_conditions.size());
      continue;
    }
    const std::uint32_t index = codes_.condition_of(waiting.node);
    const std::uint32_t slot = codes_.conditions()[index].slot;
    const auto known = std::find_if(path_conditions.begin(), path_conditions.end(),
                                    [&](const PathCondition& path_condition) { return path_condition.slot == slot; });
    const auto split = static_cast<std::int32_t>(splits_.size());
    splits_.push_back({.condition = index,
                       .depth = waiting.depth,
                       .path_conditions = static_cast<std::uint32_t>(path_conditions.size()),
                       .position = static_cast<std::uint32_t>(known - path_conditions.begin()),
                       .right = waiting.right,
                       .fresh = known == path_conditions.end()});
    counted.set_steps += first_set(path_conditions.size());
    stack.push_back({static_cast<std::uint32_t>(node.right), waiting.depth + 1, split, true});
    stack.push_back({static_cast<std::uint32_t>(node.left), waiting.depth + 1, split, false});
  }
  counted.end = static_cast<std::uint32_t>(splits_.size());
  trees_.push_back(counted);
}

void TreeCounts::choose(Way way) {
  set_depth_ = set_conditions_ = list_conditions_ = 0;
  for (CountedTree& tree : trees_) {
    const bool possible = tree.most_conditions <= most_set_conditions && tree.depth <= most_set_depth;
    const auto lists = [&](std::uint64_t most) {
      return !possible || way == Way::lists || (way == Way::by_size && tree.set_steps > most);
    };
    tree.lists = lists(most_set_steps[order_]);
    tree.heavy_lists = lists(most_heavy_set_steps[order_]);
    if (tree.heavy_lists) list_conditions_ = std::max<std::size_t>(list_conditions_, tree.most_conditions);
    if (tree.lists) continue;
    set_depth_ = std::max<std::size_t>(set_depth_, tree.depth);
    set_conditions_ = std::max<std::size_t>(set_conditions_, tree.most_conditions);
  }
  find_groups();
  left_out_.assign(1, {nobody, nobody});
  for (std::uint32_t q = 0; q < std::max(list_conditions_, set_conditions_); ++q) {
    left_out_.push_back({q, nobody});
    for (std::uint32_t p = 0; p < q && order_ > 1; ++p) left_out_.push_back({p, q});
  }
  keeps_.assign(set_conditions_ + 1, {});
  leaves_out_.assign(set_conditions_ + 1, {});
  for (std::size_t set = 0; set < first_set(set_conditions_); ++set) {
    for (std::size_t position = 0; position <= set_conditions_; ++position) {
      const bool out = left_out_[set].p == position || left_out_[set].q == position;
      (out ? leaves_out_ : keeps_)[position].push_back(static_cast<std::uint16_t>(set));
    }
  }
  tests_ = list_conditions_ > 0 ? code_tests(codes_) : std::vector<CodeTest>{};
}

TreeCounts::Workspace::Workspace(const TreeCounts& counts, const Context* work) : context(work) {
  const std::size_t sets_of_way = (counts.set_depth_ + 1) * counts.first_set(counts.set_conditions_);
  all.resize(wide_sets);
  sets.resize(sets_of_way * wide_sets);
  current.resize(sets_of_way);
  sizes.resize(2 * sets_of_way);
  way.resize(counts.set_depth_ + 1);
  padded.resize(counts.codes_.slots() * set_rows);
  for (auto& each : failing) each.resize(counts.first_set(counts.list_conditions_));
}

void TreeCounts::add(TreeRange trees, const Rows& rows, std::uint64_t* counts, Workspace& workspace) const {
  if (trees.begin < range_.begin || trees.end > range_.end)
    throw Error(ErrorKind::internal, "trees that are not counted are to be");
  if (trees.begin >= trees.end) return;
  const TreeRange mine{trees.begin - range_.begin, trees.end - range_.begin};
  // Frequencies, for example, have few different bits.
  std::uint64_t bits = 0;
  for (std::size_t row = 0; row < rows.rows && rows.units != nullptr; ++row) bits |= rows.units[row];
  workspace.bits.clear();
  workspace.weighing = rows.units == nullptr                     ? Weighing::none
                       : std::popcount(bits) <= most_weight_bits ? Weighing::bits
                                                                 : Weighing::sums;
  for (; workspace.weighing == Weighing::bits && bits != 0; bits &= bits - 1)
    workspace.bits.push_back({.shift = std::countr_zero(bits)});
  const auto any = [&](bool lists) {
    return std::any_of(trees_.begin() + mine.begin, trees_.begin() + mine.end,
                       [&](const CountedTree& tree) { return by_lists(tree, workspace.weighing) == lists; });
  };
  if (any(false)) add_sets(mine, rows, counts, workspace);
  if (!any(true)) return;
  std::size_t deepest = 1;
  for (std::uint32_t tree = mine.begin; tree < mine.end; ++tree) {
    if (by_lists(trees_[tree], workspace.weighing)) deepest = std::max<std::size_t>(deepest, trees_[tree].depth);
  }
  const std::size_t step = std::min({std::clamp(list_codes >> list_shift_, least_list_rows, list_rows),
                                     std::max<std::size_t>(1, most_list_codes >> list_shift_),
                                     std::max(set_rows, most_list_bytes / (2 * sizeof(std::uint16_t) * deepest))});
  for (std::size_t first = 0; first < rows.rows; first += step) {
    const Rows some{rows.codes + first, rows.stride, std::min(step, rows.rows - first),
                    rows.units == nullptr ? nullptr : rows.units + first};
    add_lists(mine, some, counts, workspace);
  }
}

}  // namespace sightglass
