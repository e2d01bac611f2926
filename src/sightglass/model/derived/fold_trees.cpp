#include "sightglass/model/derived/fold_trees.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/model/feature_columns_internal.h"

namespace sightglass {

namespace {

using Interval = NumberSet::Interval;

constexpr double no_bound = std::numeric_limits<double>::infinity();
constexpr const char* where = "the steps before the trees";

// The numbers that go left, as the framework compares them.
NumberSet left_of_threshold(Comparison comparison, double threshold) {
  const NumberSet all = NumberSet::all();
  if (comparison == Comparison::float64_less_equal)
    return {.intervals = {{all.intervals[0].first, rank_of(threshold)}}, .missing = false};
  // Of float32 numbers, those that are left; of doubles, those that become such.
  const bool equal = comparison == Comparison::float32_less_equal;
  const std::int64_t last =
      equal ? rank_of(threshold) : rank_of(static_cast<double>(static_cast<float>(threshold))) - 1;
  return preimage(Step{.kind = Step::Kind::round, .float32 = true},
                  {.intervals = {{all.intervals[0].first, last}}, .missing = false});
}

class Folder {
 public:
  Folder(const TreeEnsemble::Parts& parts, std::vector<FeatureInfo> sources, std::span<const DerivedColumn> derived,
         std::size_t most_nodes)
      : parts_(parts), derived_(derived), most_nodes_(most_nodes) {
    if (most_nodes_ == 0) most_nodes_ = std::max(std::size_t{1} << 20, 16 * parts.nodes.size());
    if (derived.size() != parts.signature.features.size())
      throw Error(ErrorKind::internal, "not one derived column for each feature");
    for (const DerivedColumn& column : derived) {
      check(column, where);
      const bool fits = column.source < sources.size() &&
                        column.levels.has_value() == sources[column.source].categorical &&
                        (!column.levels || column.levels->values.size() == sources[column.source].levels.size());
      if (!fits) throw Error(ErrorKind::internal, "a derived column does not fit its source");
    }
    left_.resize(sources.size());
    for (const FeatureInfo& source : sources) {
      const auto last = static_cast<std::int64_t>(source.levels.size()) - 1;
      everything_.push_back(source.categorical ? NumberSet{.intervals = {{-1, last}}, .missing = true}
                                               : NumberSet::all());
    }
    folded_.signature = parts.signature;
    folded_.signature.features = std::move(sources);
    folded_.comparison = Comparison::float64_less_equal;
    folded_.link = parts.link;
    folded_.float32_sums = parts.float32_sums;
    folded_.base = parts.base;
    folded_.base_last = parts.base_last;
    folded_.divisor = parts.divisor;
    folded_.leaf_values = parts.leaf_values;
  }

  TreeEnsemble::Parts run() {
    find_accepted();
    for (const Tree& tree : parts_.trees) {
      const std::uint32_t root = place(1);
      folded_.trees.push_back({.root = root, .output = tree.output});
      grow(tree.root, root);
    }
    if (repeated_) folded_.covers.clear();
    return std::move(folded_);
  }

 private:
  // Which values of the source go left, and (of a categorical source) the set of levels that a node names for it.
  struct Split {
    NumberSet left;
    std::int32_t categories = -1;
  };
  // What is still to be done: a node with the values of the split's feature that reach it, or to forget these.
  struct Task {
    std::uint32_t from = 0, to = 0;
    std::uint32_t source = 0;
    NumberSet reaching = {};
    bool leaves = false, has_set = false;
  };
  // Neighbouring values that go the same way.
  struct Run {
    NumberSet values;
    bool left = false;
  };

  std::uint32_t place(std::size_t count) {
    const std::size_t first = folded_.nodes.size();
    if (count > most_nodes_ || first > most_nodes_ - count) {
      throw Error(ErrorKind::model, std::string(where) + " would make more than " + std::to_string(most_nodes_) +
                                        " nodes of " + std::to_string(parts_.nodes.size()));
    }
    folded_.nodes.resize(first + count);
    if (!parts_.covers.empty()) folded_.covers.resize(first + count);
    return static_cast<std::uint32_t>(first);
  }

  void grow(std::uint32_t root, std::uint32_t to) {
    // Not recursion: a tree may be as deep as it has nodes.
    tasks_.push_back({.from = root, .to = to});
    while (!tasks_.empty()) {
      Task task = std::move(tasks_.back());
      tasks_.pop_back();
      if (task.leaves) {
        left_[task.source].pop_back();
        continue;
      }
      if (task.has_set) {
        left_[task.source].push_back(std::move(task.reaching));
        tasks_.push_back({.source = task.source, .leaves = true});
      }
      visit(task.from, task.to);
    }
  }

  void visit(std::uint32_t from, std::uint32_t to) {
    while (true) {
      const TreeNode& node = parts_.nodes[from];
      if (!parts_.covers.empty()) folded_.covers[to] = parts_.covers[from];
      if (node.is_leaf()) {
        folded_.nodes[to] = {.threshold = node.threshold, .leaf = node.leaf};
        return;
      }
      const std::uint32_t source = derived_[static_cast<std::size_t>(node.feature)].source;
      const Split& split = split_of(node);
      const NumberSet& reaching = left_[source].back();
      NumberSet left = intersection(reaching, split.left);
      NumberSet right = difference(reaching, split.left);
      if (left.empty() || right.empty()) {
        from = static_cast<std::uint32_t>(left.empty() ? node.right : node.left);
        continue;
      }
      if (folded_.signature.features[source].categorical) {
        by_levels(node, source, split, std::move(left), std::move(right), to);
      } else {
        by_numbers(node, source, split.left, left, right, to);
      }
      return;
    }
  }

  void later(std::int32_t from, std::uint32_t to, std::uint32_t source, NumberSet reaching) {
    tasks_.push_back({.from = static_cast<std::uint32_t>(from),
                      .to = to,
                      .source = source,
                      .reaching = std::move(reaching),
                      .has_set = true});
  }

  void by_levels(const TreeNode& node, std::uint32_t source, const Split& split, NumberSet left, NumberSet right,
                 std::uint32_t to) {
    const std::uint32_t children = place(2);
    TreeNode& made = folded_.nodes[to];
    made.left = static_cast<std::int32_t>(children);
    made.right = made.left + 1;
    made.feature = static_cast<std::int32_t>(source);
    made.categories = split.categories;
    made.categories_left = !split.left.contains_rank(-1);
    made.missing_left = split.left.missing;
    later(node.right, children + 1, source, std::move(right));
    later(node.left, children, source, std::move(left));
  }

  void by_numbers(const TreeNode& node, std::uint32_t source, const NumberSet& goes_left, const NumberSet& left,
                  const NumberSet& right, std::uint32_t to) {
    std::vector<Run> runs = in_order(left, right);
    if (runs.size() == 1) {
      // Only missing values go the other way: every number is at most infinity.
      const std::uint32_t children = place(2);
      const bool numbers_left = runs[0].left;
      TreeNode& made = folded_.nodes[to];
      made = {.left = static_cast<std::int32_t>(children),
              .right = static_cast<std::int32_t>(children) + 1,
              .feature = static_cast<std::int32_t>(source),
              .threshold = no_bound};
      later(numbers_left ? node.right : node.left, children + 1, source, {.intervals = {}, .missing = true});
      later(numbers_left ? node.left : node.right, children, source, std::move(runs[0].values));
      return;
    }
    repeated_ = repeated_ || runs.size() > 2;
    std::size_t missing = 0;  // the run with which missing values go
    while (runs[missing].left != goes_left.missing) ++missing;
    runs[missing].values.missing = left.missing || right.missing;
    divide(node, source, goes_left, runs, 0, runs.size(), missing, to);
  }

  // Numbers that go left and those that go right, in turn.
  static std::vector<Run> in_order(const NumberSet& left, const NumberSet& right) {
    std::vector<Run> runs;
    auto a = left.intervals.begin();
    auto b = right.intervals.begin();
    while (a != left.intervals.end() || b != right.intervals.end()) {
      const bool is_left = b == right.intervals.end() || (a != left.intervals.end() && a->first < b->first);
      if (runs.empty() || runs.back().left != is_left) runs.push_back({.values = {}, .left = is_left});
      runs.back().values.intervals.push_back(is_left ? *a++ : *b++);
    }
    return runs;
  }

  // A balanced tree of splits between the runs from first to last.
  void divide(const TreeNode& node, std::uint32_t source, const NumberSet& goes_left, std::vector<Run>& runs,
              std::size_t first, std::size_t last, std::size_t missing, std::uint32_t to) {
    if (last - first == 1) {
      Run& run = runs[first];
      later(run.left ? node.left : node.right, to, source, std::move(run.values));
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    const std::uint32_t children = place(2);
    folded_.nodes[to] = {.left = static_cast<std::int32_t>(children),
                         .right = static_cast<std::int32_t>(children) + 1,
                         .feature = static_cast<std::int32_t>(source),
                         .threshold = number_at(end_of(goes_left, runs[middle - 1])),
                         .missing_left = missing < middle};
    divide(node, source, goes_left, runs, middle, last, missing, children + 1);
    divide(node, source, goes_left, runs, first, middle, missing, children);
  }

  // Where a run ends by the split alone, whatever the path has decided: the same split is then the same condition
  // everywhere.
  static std::int64_t end_of(const NumberSet& goes_left, const Run& run) {
    const std::int64_t last = run.values.intervals.back().last;
    for (const Interval& interval : goes_left.intervals) {
      if (run.left && interval.last >= last) return interval.last;
      if (!run.left && interval.first > last) return interval.first - 1;
    }
    return last;
  }

  const Split& split_of(const TreeNode& node) {
    const auto flags =
        (node.missing_left ? 1U : 0U) + (node.categories_left ? 2U : 0U) + (node.zero_is_missing ? 4U : 0U);
    const auto key = std::tuple(node.feature, node.categories, flags, node.threshold);
    const auto [at, is_new] = splits_.try_emplace(key);
    Split& split = at->second;
    if (!is_new) return split;
    const DerivedColumn& column = derived_[static_cast<std::size_t>(node.feature)];
    split.left = preimage(column, left_of(node));
    if (column.levels) {
      // Levels that were never seen are in no set.
      const NumberSet& all = everything_[column.source];
      split.categories = number_of(split.left.contains_rank(-1) ? difference(all, split.left) : split.left);
    }
    return split;
  }

  // The values of the derived column that go left.
  NumberSet left_of(const TreeNode& node) {
    NumberSet left;
    if (node.categories >= 0) {
      left = left_of_categories(node);
    } else {
      left = left_of_threshold(parts_.comparison, node.threshold);
      if (node.zero_is_missing) {
        const NumberSet zeros{.intervals = {{rank_of(-zero_threshold), rank_of(zero_threshold)}}, .missing = false};
        left = difference(left, zeros);
        if (node.missing_left) left.intervals.push_back(zeros.intervals[0]);
      }
    }
    return NumberSet::of(std::move(left.intervals), node.missing_left);
  }

  NumberSet left_of_categories(const TreeNode& node) const {
    const auto& bits = parts_.category_sets[static_cast<std::size_t>(node.categories)];
    const auto feature = static_cast<std::size_t>(node.feature);
    const FeatureInfo& info = parts_.signature.features[feature];
    std::vector<Interval> members, known;
    const auto add = [&](std::int64_t code, Interval numbers) {
      known.push_back(numbers);
      if (bits.contains(code)) members.push_back(numbers);
    };
    const bool as_codes = derived_[feature].codes;
    if (as_codes || info.levels_lost || info.levels.empty()) {
      const bool as_double = parts_.comparison == Comparison::float64_less_equal;
      for (std::size_t word = 0; word < bits.bits.size(); ++word) {
        for (std::uint64_t rest = bits.bits[word]; rest != 0; rest &= rest - 1) {
          const auto code = static_cast<std::int64_t>(word * 64) + std::countr_zero(rest);
          members.push_back(cut_to(code, as_double));
        }
      }
    } else {
      const Schema numbers({{.name = info.name}});
      const FeatureColumn match = compare_columns({&info, &info + 1}, numbers, {}).features[0];
      if (match.by_value.empty())
        throw Error(ErrorKind::model, std::string(where) + " make numbers of the categorical feature " +
                                          printable(info.name, 60) + ", whose categories are none");
      for (const auto& [number, code] : match.by_value)
        add(static_cast<std::int64_t>(code), {rank_of(number), rank_of(number)});
      if (parts_.unseen_is_missing) {
        const NumberSet all_known = NumberSet::of(std::move(known), true);
        NumberSet left = NumberSet::of(std::move(members), false);
        if (!node.categories_left) left = difference(all_known, left);
        if (!node.missing_left) return left;
        const NumberSet unseen = difference(NumberSet::all(), all_known);
        left.intervals.insert(left.intervals.end(), unseen.intervals.begin(), unseen.intervals.end());
        return left;
      }
    }
    const NumberSet named = NumberSet::of(std::move(members), false);
    return node.categories_left ? named : difference(NumberSet::all(), named);
  }

  // The numbers that a framework cuts to a code.
  static Interval cut_to(std::int64_t code, bool as_double) {
    const auto number = static_cast<double>(code);
    const std::int64_t first = code > 0 ? rank_of(number) : as_double ? rank_of(-1) + 1 : 0;
    if (as_double) return {first, rank_of(number + 1) - 1};
    const NumberSet rounded{.intervals = {{first, rank_of(number + 1) - 1}}, .missing = false};
    return preimage(Step{.kind = Step::Kind::round, .float32 = true}, rounded).intervals[0];
  }

  std::int32_t number_of(const NumberSet& levels) {
    std::vector<std::uint64_t> bits;
    for (const Interval& interval : levels.intervals) {
      for (std::int64_t code = std::max<std::int64_t>(interval.first, 0); code <= interval.last; ++code) {
        const auto word = static_cast<std::size_t>(code / 64);
        if (bits.size() <= word) bits.resize(word + 1);
        bits[word] |= std::uint64_t{1} << (code % 64);
      }
    }
    const auto [at, is_new] = sets_.try_emplace(bits, static_cast<std::int32_t>(folded_.category_sets.size()));
    if (is_new) folded_.category_sets.push_back({std::move(bits)});
    return at->second;
  }

  // What steps and model take of each source.
  void find_accepted() {
    NumberSet taken = NumberSet::all();
    if (parts_.refuses_infinite) {
      taken = preimage(Step{.kind = Step::Kind::refuse_infinite}, taken);
      if (parts_.comparison != Comparison::float64_less_equal)
        taken = preimage(Step{.kind = Step::Kind::round, .float32 = true}, taken);
    }
    taken.missing = !parts_.refuses_missing;
    std::vector<NumberSet> accepted = everything_;
    for (const DerivedColumn& column : derived_)
      accepted[column.source] = intersection(accepted[column.source], preimage(column, taken));
    // Nothing else ever gets to a split.
    for (std::size_t source = 0; source < accepted.size(); ++source) left_[source] = {accepted[source]};
    if (accepted == everything_) return;
    for (std::size_t source = 0; source < accepted.size(); ++source) {
      const NumberSet& values = accepted[source];
      const auto& name = folded_.signature.features[source].name;
      if (values.intervals.size() != 1)
        throw Error(ErrorKind::model, std::string(where) + " take no range of values of " + printable(name, 60));
      const Interval range = values.intervals[0];
      const bool categorical = folded_.signature.features[source].categorical;
      folded_.accepted.push_back({.missing = values.missing,
                                  .lowest = categorical ? static_cast<double>(range.first) : number_at(range.first),
                                  .highest = categorical ? static_cast<double>(range.last) : number_at(range.last)});
    }
  }

  const TreeEnsemble::Parts& parts_;
  std::span<const DerivedColumn> derived_;
  std::size_t most_nodes_;
  TreeEnsemble::Parts folded_;
  std::vector<NumberSet> everything_;         // by source
  std::vector<std::vector<NumberSet>> left_;  // by source: what reaches the node at hand, and its ancestors
  std::map<std::tuple<std::int32_t, std::int32_t, unsigned, double>, Split> splits_;
  std::map<std::vector<std::uint64_t>, std::int32_t> sets_;
  std::vector<Task> tasks_;
  bool repeated_ = false;  // branches, so that nobody knows how many rows went through each
};

}  // namespace

TreeEnsemble::Parts fold(const TreeEnsemble::Parts& parts, std::vector<FeatureInfo> sources,
                         std::span<const DerivedColumn> derived, std::size_t most_nodes) {
  return Folder(parts, std::move(sources), derived, most_nodes).run();
}

}  // namespace sightglass
