#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "sightglass/model/trees/shapley/tree_patterns_internal.h"

namespace sightglass {

namespace {

// A group's table of values, one line per pattern, should stay in a processor's nearest cache.
constexpr std::size_t group_bits = 10;
constexpr std::size_t question_bits = 16;

// What a leaf with a long path may take: the patterns of all rows, or all that there are, each with its count.
std::size_t long_path_bytes(std::size_t features, std::uint64_t rows) {
  const std::size_t words = (features + 63) / 64;
  const std::uint64_t patterns = features < 63 ? std::min(rows, std::uint64_t{1} << features) : rows;
  return patterns * (words + 1) * sizeof(std::uint64_t);
}

}  // namespace

// The condition of the path to a node on one feature.
struct TreePatterns::Step {
  PathCondition path_condition;
  double share = 1;
};

// Goes through a tree from group to group.
class TreePatterns::Walk {
 public:
  // Without conditions only the features of paths are known.
  Walk(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, PathConditions* path_conditions)
      : parts_(parts),
        codes_(codes),
        path_conditions_(path_conditions),
        splits_(parts.nodes.size(), 0),
        at_slot_(codes.slots(), nowhere) {}

  void begin(std::uint32_t tree) {
    tree_ = tree;
    group_ = before_first;
    count_splits();
    while (!done_.empty()) go_up();
    stack_.assign(1, {.node = parts_.trees[tree].root});
  }
  // To the next group; false if there is none.
  bool next() {
    ++group_;
    while (!stack_.empty()) {
      const Visit visit = stack_.back();
      stack_.pop_back();
      // Back to what the path was at the parent, then down this edge: a path for each that waits would be much.
      while (!done_.empty() && done_.size() >= visit.depth) go_up();
      if (visit.depth > 0) go_down(visit);
      node_ = visit.node;
      const TreeNode& node = parts_.nodes[node_];
      if (node.is_leaf() || path_.size() + splits_[node_] <= group_bits) return true;
      for (const bool right : {true, false})  // the left one is taken first
        stack_.push_back({.node = child(node_, right), .parent = node_, .depth = visit.depth + 1, .right = right});
    }
    return false;
  }
  [[nodiscard]] std::uint32_t tree() const { return tree_; }
  [[nodiscard]] std::uint32_t group() const { return group_; }
  [[nodiscard]] std::uint32_t node() const { return node_; }
  [[nodiscard]] const std::vector<Step>& path() const { return path_; }
  [[nodiscard]] std::uint32_t splits() const { return splits_[node_]; }

  [[nodiscard]] std::uint32_t child(std::uint32_t node, bool right) const {
    return static_cast<std::uint32_t>(right ? parts_.nodes[node].right : parts_.nodes[node].left);
  }
  // Bytes of the group's leaves: their subset counts, for so many rows, and what is known of their paths.
  [[nodiscard]] std::size_t bytes(std::uint64_t rows) const { return bytes(node_, path_, rows); }
  // Adds a split to a short path; the position of its feature there.
  std::size_t descend(std::uint32_t node, bool right, std::vector<Step>& path) const {
    const std::uint32_t slot = slot_of(node);
    const auto known =
        std::find_if(path.begin(), path.end(), [&](const Step& step) { return step.path_condition.slot == slot; });
    const auto position = static_cast<std::size_t>(known - path.begin());
    if (known == path.end()) path.push_back(any(slot));
    narrow(path[position], node, right);
    return position;
  }

 private:
  static constexpr std::uint32_t before_first = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t nowhere = before_first;
  struct Visit {
    std::uint32_t node = 0, parent = 0, depth = 0;
    bool right = false;
  };
  // To the path, by the edge at that depth.
  struct Done {
    std::uint32_t position;
    bool fresh;  // the path had not met the feature before
    Step before;
  };
  void go_down(const Visit& visit) {
    const std::uint32_t slot = slot_of(visit.parent);
    const bool fresh = at_slot_[slot] == nowhere;
    if (fresh) {
      at_slot_[slot] = static_cast<std::uint32_t>(path_.size());
      path_.push_back(any(slot));
    }
    done_.push_back({at_slot_[slot], fresh, path_[at_slot_[slot]]});
    narrow(path_[at_slot_[slot]], visit.parent, visit.right);
  }
  void go_up() {
    const Done& last = done_.back();
    path_[last.position] = last.before;
    if (last.fresh) {
      at_slot_[last.before.path_condition.slot] = nowhere;
      path_.pop_back();
    }
    done_.pop_back();
  }
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t node) const {
    return codes_.conditions()[codes_.condition_of(node)].slot;
  }
  [[nodiscard]] Step any(std::uint32_t slot) const {
    return {.path_condition = path_conditions_ == nullptr ? PathCondition{.slot = slot} : path_conditions_->any(slot)};
  }
  void narrow(Step& step, std::uint32_t node, bool right) const {
    if (path_conditions_ == nullptr) return;
    path_conditions_->narrow(step.path_condition, codes_.conditions()[codes_.condition_of(node)], right);
    if (parts_.covers.empty()) return;
    // Where no training row has been, half of them go either way: any other rule would have no reason.
    const double all = parts_.covers[node];
    step.share *= all > 0 ? parts_.covers[child(node, right)] / all : 0.5;
  }
  [[nodiscard]] std::size_t bytes(std::uint32_t node, const std::vector<Step>& path, std::uint64_t rows) const {
    if (parts_.nodes[node].is_leaf()) {
      return path.size() * (sizeof(Position) + sizeof(CodeRange)) +
             (path.size() > most_features ? long_path_bytes(path.size(), rows) : sizeof(std::uint64_t) << path.size());
    }
    std::size_t sum = 0;
    std::vector<Step> longer = path;
    descend(node, false, longer);
    for (const bool right : {false, true}) sum += bytes(child(node, right), longer, rows);
    return sum;
  }
  void count_splits() {
    std::vector<std::uint32_t> order = {parts_.trees[tree_].root};
    for (std::size_t at = 0; at < order.size(); ++at) {
      const TreeNode& node = parts_.nodes[order[at]];
      splits_[order[at]] = 0;
      if (!node.is_leaf()) order.insert(order.end(), {child(order[at], false), child(order[at], true)});
    }
    for (std::size_t at = order.size(); at-- > 0;) {
      const std::uint32_t node = order[at];
      if (!parts_.nodes[node].is_leaf()) splits_[node] = 1 + splits_[child(node, false)] + splits_[child(node, true)];
    }
  }

  const TreeEnsemble::Parts& parts_;
  const FeatureCodes& codes_;
  PathConditions* path_conditions_;
  std::vector<std::uint32_t> splits_;  // per node: how many are at and behind it
  std::uint32_t tree_ = 0, group_ = before_first, node_ = 0;
  std::vector<Visit> stack_;
  std::vector<Step> path_;  // to the node
  std::vector<Done> done_;
  std::vector<std::uint32_t> at_slot_;  // per slot: where it is on the path
};

TreePatterns::TreePatterns(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const PatternRange& range)
    : parts_(parts),
      codes_(codes),
      path_conditions_(codes),
      whole_trees_(range.first_group == 0 && range.end_group == PatternRange{}.end_group) {
  Walk walk(parts, codes, &path_conditions_);
  for (std::uint32_t tree = range.first; tree < range.end; ++tree) {
    walk.begin(tree);
    while (walk.next() && walk.group() < range.end_group) {
      if (walk.group() >= range.first_group) add(walk);
    }
  }
}

void TreePatterns::add(const Walk& walk) {
  Group group{.tree = walk.tree(),
              .first_leaf = static_cast<std::uint32_t>(leaves_.size()),
              .first_questions = static_cast<std::uint32_t>(questions_.size()),
              .bits = static_cast<std::uint32_t>(walk.path().size() + walk.splits())};
  const auto begin_questions = [&] {
    questions_.push_back({.first_range = static_cast<std::uint32_t>(code_ranges_.size()),
                          .first_set = static_cast<std::uint32_t>(code_sets_.size())});
  };
  const auto end_questions = [&] {
    questions_.back().end_range = static_cast<std::uint32_t>(code_ranges_.size());
    questions_.back().end_set = static_cast<std::uint32_t>(code_sets_.size());
  };
  begin_questions();
  std::vector<Position> positions;
  for (std::size_t at = 0; at < walk.path().size(); ++at) {
    if (at > 0 && at % question_bits == 0) {
      end_questions();
      begin_questions();
    }
    const auto bit = static_cast<std::uint16_t>(1U << (at % question_bits));
    ask(questions_.back(), walk.path()[at].path_condition, bit);
    positions.push_back({.mask = bit, .value = bit});
  }
  // A split is asked once, whoever is behind it; its condition is then in the masks.
  const auto descend = [&](const auto& self, std::uint32_t node, const std::vector<Step>& path,
                           const std::vector<Position>& so_far, std::size_t& next_bit) -> void {
    if (parts_.nodes[node].is_leaf()) return add_leaf(node, path, so_far);
    const auto bit = static_cast<std::uint16_t>(1U << next_bit++);
    const FeatureCodes::Condition& condition = codes_.conditions()[codes_.condition_of(node)];
    PathCondition goes_right = path_conditions_.any(condition.slot);
    path_conditions_.narrow(goes_right, condition, true);
    ask(questions_.back(), goes_right, bit);
    for (const bool right : {false, true}) {
      std::vector<Step> longer = path;
      std::vector<Position> known = so_far;
      const std::size_t position = walk.descend(node, right, longer);
      if (position == known.size()) known.emplace_back();
      known[position].mask |= bit;
      if (right) known[position].value |= bit;
      self(self, walk.child(node, right), longer, known, next_bit);
    }
  };
  std::size_t next_bit = walk.path().size();
  descend(descend, walk.node(), walk.path(), positions, next_bit);
  end_questions();
  group.end_leaf = static_cast<std::uint32_t>(leaves_.size());
  group.end_questions = static_cast<std::uint32_t>(questions_.size());
  groups_.push_back(group);
}

void TreePatterns::add_leaf(std::uint32_t node, const std::vector<Step>& path, const std::vector<Position>& positions) {
  Leaf leaf{.node = node, .first_position = static_cast<std::uint32_t>(positions_.size())};
  for (std::size_t at = 0; at < path.size(); ++at) {
    Position position = positions[at];
    position.slot = path[at].path_condition.slot;
    position.share = path[at].share;
    positions_.push_back(position);
  }
  leaf.end_position = static_cast<std::uint32_t>(positions_.size());
  if (path.size() > most_features) {
    leaf.subsets = long_paths_++;
  } else {
    leaf.subsets = subsets_;
    subsets_ += std::size_t{1} << path.size();
  }
  leaves_.push_back(leaf);
}

void TreePatterns::ask(Questions& questions, const PathCondition& path_condition, std::uint16_t bit) {
  if (path_condition.members >= 0) {
    code_sets_.push_back({path_condition, bit});
    return;
  }
  const auto range = [&](std::uint32_t first, std::uint32_t end) {
    if (first >= end) return;
    code_ranges_.push_back(
        {path_condition.slot, static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(end - first - 1), bit});
  };
  // The code of missing values is the last one.
  const std::uint32_t missing = codes_.missing(path_condition.slot);
  const std::uint32_t first = std::min(path_condition.first, missing),
                      end = std::max(first, std::min(path_condition.end, missing));
  if (!path_condition.missing || end == missing) {
    range(first, path_condition.missing ? missing + 1 : end);
  } else if (first == 0 || first == end) {
    // All but a range; nothing but missing values, if there is no range.
    if (first == end) return range(missing, missing + 1);
    questions.start |= bit;
    range(end, missing);
  } else {
    range(first, end);
    range(missing, missing + 1);
  }
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void TreePatterns::answer(const Questions& questions, const std::uint16_t* codes, std::uint16_t* patterns) const {
  constexpr std::size_t lanes = 16, vectors = 8;
  using Lanes = std::uint16_t __attribute__((vector_size(2 * lanes)));
  for (std::size_t row = 0; row < set_rows; row += lanes * vectors) {
    Lanes answers[vectors];
    for (Lanes& each : answers) each = Lanes{} + questions.start;
    for (std::uint32_t at = questions.first_range; at < questions.end_range; ++at) {
      const CodeRange& range = code_ranges_[at];
      const std::uint16_t* code = codes + range.slot * set_rows + row;
      for (std::size_t v = 0; v < vectors; ++v) {
        Lanes here;
        std::memcpy(&here, code + v * lanes, sizeof here);
        here -= range.first;
        answers[v] ^= static_cast<Lanes>(here <= range.reach) & range.bit;
      }
    }
    std::memcpy(patterns + row, answers, sizeof answers);
  }
  for (std::uint32_t at = questions.first_set; at < questions.end_set; ++at) {
    const CodeSet& set = code_sets_[at];
    const std::uint16_t* code = codes + set.path_condition.slot * set_rows;
    for (std::size_t row = 0; row < set_rows; ++row) {
      if (path_conditions_.meets(set.path_condition, code[row])) patterns[row] |= set.bit;
    }
  }
}

void TreePatterns::find_long(const Group& group, const std::uint16_t* codes, std::uint64_t* patterns) const {
  const std::size_t width = words(group);
  std::fill_n(patterns, set_rows * width, 0);
  std::uint16_t answers[set_rows];
  for (std::uint32_t at = group.first_questions; at < group.end_questions; ++at) {
    answer(questions_[at], codes, answers);
    const std::size_t bit = (at - group.first_questions) * question_bits;
    for (std::size_t row = 0; row < set_rows; ++row)
      patterns[row * width + bit / 64] |= std::uint64_t{answers[row]} << (bit % 64);
  }
}

std::vector<PatternRange> TreePatterns::ranges(const TreeEnsemble::Parts& parts, const FeatureCodes& codes,
                                               std::size_t bytes, std::uint64_t rows) {
  std::vector<PatternRange> ranges;
  std::vector<std::size_t> sizes;  // of the groups of a tree
  Walk walk(parts, codes, nullptr);
  for (std::uint32_t tree = 0; tree < parts.trees.size(); ++tree) {
    sizes.clear();
    walk.begin(tree);
    while (walk.next()) sizes.push_back(walk.bytes(rows));
    const std::size_t whole = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    if (whole <= bytes) {
      const bool fits = !ranges.empty() && ranges.back().end_group == PatternRange{}.end_group &&
                        ranges.back().bytes + whole <= bytes;
      if (!fits) ranges.push_back({.first = tree, .end = tree});
      ranges.back().end = tree + 1;
      ranges.back().bytes += whole;
      continue;
    }
    // A tree of its own, in parts.
    for (std::uint32_t group = 0; group < sizes.size(); ++group) {
      if (group == 0 || ranges.back().bytes + sizes[group] > bytes)
        ranges.push_back({.first = tree, .end = tree + 1, .first_group = group, .end_group = group});
      ranges.back().end_group = group + 1;
      ranges.back().bytes += sizes[group];
    }
  }
  return ranges;
}

std::size_t TreePatterns::count_long_paths(const TreeEnsemble::Parts& parts) {
  struct Waiting {
    std::int32_t node;
    std::size_t depth;
  };
  std::vector<std::uint32_t> times(parts.signature.features.size(), 0);  // each feature is on the path
  std::vector<std::size_t> path;
  std::vector<Waiting> stack;
  std::size_t distinct = 0, count = 0;
  for (const Tree& tree : parts.trees) {
    stack.push_back({static_cast<std::int32_t>(tree.root), 0});
    while (!stack.empty()) {
      const Waiting waiting = stack.back();
      stack.pop_back();
      for (; path.size() > waiting.depth; path.pop_back()) distinct -= --times[path.back()] == 0 ? 1 : 0;
      const TreeNode& node = parts.nodes[static_cast<std::size_t>(waiting.node)];
      if (node.is_leaf()) {
        count += distinct > most_features ? 1 : 0;
        continue;
      }
      path.push_back(static_cast<std::size_t>(node.feature));
      distinct += times[path.back()]++ == 0 ? 1 : 0;
      stack.insert(stack.end(), {{node.right, waiting.depth + 1}, {node.left, waiting.depth + 1}});
    }
  }
  return count;
}

}  // namespace sightglass
