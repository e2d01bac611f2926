#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "sightglass/methods/local/lime/line_splits_internal.h"

namespace sightglass {

namespace {

class SplitFinder {
 public:
  SplitFinder(const TreeRows& trees, PathConditions& path_conditions)
      : parts_(trees.parts()), codes_(trees.codes()), path_conditions_(path_conditions), known_(codes_.slots()) {
    found_.conditions.resize(codes_.slots());
  }

  LineSplits find() {
    for (std::uint32_t tree = 0; tree < parts_.trees.size(); ++tree) add_tree(tree);
    return std::move(found_);
  }

 private:
  static constexpr std::int32_t nothing = -1;

  // A node that is still to be looked at.
  struct Step {
    std::uint32_t node = 0;
    std::int32_t above = nothing;  // split
    std::int32_t asked = nothing;  // the last of what was asked on the way
    bool right = false;
  };
  // A condition on the way, and the one before it.
  struct Asked {
    PathCondition condition;
    std::int32_t before = nothing;
  };

  void add_tree(std::uint32_t index) {
    LineTree tree{.first = static_cast<std::uint32_t>(found_.splits.size())};
    asked_.clear();
    // Level by level: splits that follow one another do not wait for one another then.
    steps_.assign(1, {.node = parts_.trees[index].root});
    for (std::size_t at = 0; at < steps_.size(); ++at) {
      const Step step = steps_[at];
      const std::int32_t own = parts_.nodes[step.node].is_leaf() ? add_leaf(step.node, index) : add_split(step);
      if (step.above == nothing) {
        if (own < 0) tree.leaf = ~own;
      } else {
        LineSplit& above = found_.splits[static_cast<std::size_t>(step.above)];
        (step.right ? above.right : above.left) = own;
      }
    }
    tree.end = static_cast<std::uint32_t>(found_.splits.size());
    tree.inner = put_last_splits_last(tree.first);
    found_.trees.push_back(tree);
  }

  std::int32_t add_leaf(std::uint32_t node, std::uint32_t tree) {
    found_.leaves.push_back({node, tree});
    return ~static_cast<std::int32_t>(found_.leaves.size() - 1);
  }

  // Its children are looked at later.
  std::int32_t add_split(const Step& step) {
    const TreeNode& node = parts_.nodes[step.node];
    const FeatureCodes::Condition& condition = codes_.conditions()[codes_.condition_of(step.node)];
    const auto own = static_cast<std::int32_t>(found_.splits.size());
    LineSplit split{.slot = condition.slot};
    std::int32_t before = step.asked;
    while (before != nothing && asked_at(before).condition.slot != condition.slot) before = asked_at(before).before;
    if (before != nothing) split.parent = number_of(asked_at(before).condition);
    for (const bool right : {false, true}) {
      Asked next{.condition = before != nothing ? asked_at(before).condition : path_conditions_.any(condition.slot),
                 .before = step.asked};
      path_conditions_.narrow(next.condition, condition, right);
      if (!right) split.left_condition = number_of(next.condition);
      steps_.push_back({.node = static_cast<std::uint32_t>(right ? node.right : node.left),
                        .above = own,
                        .asked = static_cast<std::int32_t>(asked_.size()),
                        .right = right});
      asked_.push_back(next);
    }
    found_.splits.push_back(split);
    return own;
  }

  [[nodiscard]] const Asked& asked_at(std::int32_t place) const { return asked_[static_cast<std::size_t>(place)]; }

  // The place of a condition among those of its slot.
  std::uint32_t number_of(const PathCondition& condition) {
    auto& of_slot = found_.conditions[condition.slot];
    // Codes have 16 bits, their ends 17.
    const std::uint64_t key = condition.first | std::uint64_t{condition.end} << 17 |
                              std::uint64_t{condition.missing ? 1U : 0U} << 34 |
                              static_cast<std::uint64_t>(std::int64_t{condition.members} + 1) << 35;
    const auto [at, added] = known_[condition.slot].try_emplace(key, static_cast<std::uint32_t>(of_slot.size()));
    if (added) of_slot.push_back(condition);
    return at->second;
  }

  // Of the tree that begins there; where they begin.
  std::uint32_t put_last_splits_last(std::size_t first) {
    const auto begin = found_.splits.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<std::size_t> order(found_.splits.size() - first);
    std::iota(order.begin(), order.end(), first);
    const auto is_last = [&](std::size_t at) { return found_.splits[at].left < 0 && found_.splits[at].right < 0; };
    const auto last = std::stable_partition(order.begin(), order.end(), [&](std::size_t at) { return !is_last(at); });
    std::vector<std::int32_t> place(order.size());
    std::vector<LineSplit> ordered;
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i] - first] = static_cast<std::int32_t>(first + i);
      ordered.push_back(found_.splits[order[i]]);
    }
    for (LineSplit& split : ordered) {
      if (split.left >= 0) split.left = place[static_cast<std::size_t>(split.left) - first];
      if (split.right >= 0) split.right = place[static_cast<std::size_t>(split.right) - first];
    }
    std::copy(ordered.begin(), ordered.end(), begin);
    return static_cast<std::uint32_t>(first + static_cast<std::size_t>(last - order.begin()));
  }

  const TreeEnsemble::Parts& parts_;
  const FeatureCodes& codes_;
  PathConditions& path_conditions_;
  LineSplits found_;
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> known_;  // of each slot: places of its conditions
  // Of the tree at hand.
  std::vector<Step> steps_;
  std::vector<Asked> asked_;
};

}  // namespace

LineSplits find_line_splits(const TreeRows& trees, PathConditions& path_conditions) {
  return SplitFinder(trees, path_conditions).find();
}

}  // namespace sightglass
