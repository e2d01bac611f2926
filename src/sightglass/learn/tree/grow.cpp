#include "sightglass/learn/tree/grow.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/learn/tree/impurity_sums.h"
#include "sightglass/learn/tree/scaled_outcome.h"
#include "sightglass/learn/tree/split_search.h"

namespace sightglass {

namespace {

// Entries that go left come first, each side in its old order.
template <class Entry, class Left>
std::size_t stable_partition(std::span<Entry> entries, Left&& goes_left) {
  const auto others = std::make_unique_for_overwrite<Entry[]>(entries.size());
  std::size_t left = 0, right = 0;
  for (const Entry entry : entries) {
    const bool is_left = goes_left(entry);
    entries[left] = entry;
    others[right] = entry;
    left += is_left;
    right += !is_left;
  }
  std::copy_n(others.get(), right, entries.begin() + static_cast<std::ptrdiff_t>(left));
  return left;
}

template <class Measure>
class Grower {
 public:
  Grower(const SortedFeatures& sorted, const TreeOutcome& outcome, const ScaledOutcome& scaled, const Measure& measure,
         const GrowOptions& options, const Context& context)
      : sorted_(sorted),
        outcome_(outcome),
        scaled_(scaled),
        measure_(measure),
        options_(options),
        context_(context),
        search_(measure, options),
        features_(options.features),
        is_left_(sorted.rows) {
    for (std::uint32_t row = 0; row < sorted.rows; ++row) {
      if (scaled.weights[row] > 0) rows_.push_back(row);
    }
    if (features_.empty()) {
      for (std::uint32_t feature = 0; feature < sorted.features.size(); ++feature) features_.push_back(feature);
    }
    entries_.resize(features_.size());
    for_each_feature(rows_.size(), [&](std::size_t index) {
      for (const SortedEntry& entry : sorted.features[features_[index]].entries) {
        if (scaled.weights[entry.row] > 0) entries_[index].push_back(entry);
      }
    });
  }

  [[nodiscard]] GrownTree grow() {
    add_node(0, rows_.size());
    open(0, 0, {});
    while (!open_.empty() && leaves_ < options_.max_leaves) {
      context_.check();
      split(take_next());
    }
    return in_reading_order();
  }

 private:
  using Sums = typename Measure::Sums;
  // A node that is to be split.
  struct Open {
    std::uint32_t node = 0;
    std::size_t depth = 0;
    MeanRange range = {};
    Split split = {};
  };
  struct Segment {
    std::size_t begin = 0, end = 0;  // of rows_, and of the entries of every feature
    Sums total = {};
    double disorder = 0;  // weight · impurity
  };

  void add_node(std::size_t begin, std::size_t end) {
    const std::span rows = std::span<const std::uint32_t>(rows_).subspan(begin, end - begin);
    Segment segment{begin, end, measure_.none()};
    for (const std::uint32_t row : rows) measure_.add(row, segment.total);
    const double first = outcome_.values[rows[0]];
    const bool pure =
        std::all_of(rows.begin(), rows.end(), [&](std::uint32_t row) { return outcome_.values[row] == first; });
    segment.disorder = pure ? 0 : measure_.disorder(rows, segment.total);

    GrownNode node;
    node.rows = rows.size();
    node.weight = segment.total.weight * scaled_.weight_scale;
    node.impurity = segment.disorder / segment.total.weight * scaled_.scale * scaled_.scale;
    if constexpr (Measure::ordered) {
      node.value = pure ? first : scaled_.center + segment.total.mean() * scaled_.scale;
      if (outcome_.classes == 2) tree_.shares.insert(tree_.shares.end(), {1 - node.value, node.value});
    } else {
      for (const double weight : segment.total.classes) tree_.shares.push_back(weight / segment.total.weight);
      node.value =
          *std::max_element(tree_.shares.end() - static_cast<std::ptrdiff_t>(outcome_.classes), tree_.shares.end());
    }
    tree_.nodes.push_back(std::move(node));
    segments_.push_back(std::move(segment));
  }

  [[nodiscard]] bool may_be_split(std::uint32_t node, std::size_t depth) const {
    const std::size_t rows = tree_.nodes[node].rows;
    return depth < options_.max_depth && rows >= std::max(options_.min_split_rows, 2 * options_.min_leaf_rows) &&
           segments_[node].disorder > 0;
  }

  // Finds the node's best split; it waits for its turn if there is one.
  void open(std::uint32_t node, std::size_t depth, const MeanRange& range) {
    if (!may_be_split(node, depth)) return;
    const Segment& segment = segments_[node];
    const SearchedNode<Measure> searched{segment.total, segment.disorder, range};
    std::vector<Split> splits(features_.size());
    for_each_feature(segment.end - segment.begin, [&](std::size_t index) {
      const std::uint32_t feature = features_[index];
      splits[index] = search_.best(sorted_.features[feature], feature, entries_of(index, segment), searched);
    });
    Split* best = nullptr;
    for (Split& split : splits) {
      if (split.gain > (best == nullptr ? 0 : best->gain + searched.tolerance())) best = &split;
    }
    if (best == nullptr || share_of_whole(best->gain) < options_.min_decrease) return;
    open_.push_back({node, depth, range, std::move(*best)});
    if (best_first()) std::push_heap(open_.begin(), open_.end(), comes_later);
  }

  [[nodiscard]] bool best_first() const { return options_.max_leaves < rows_.size(); }
  static bool comes_later(const Open& a, const Open& b) {
    return a.split.gain != b.split.gain ? a.split.gain < b.split.gain : a.node > b.node;
  }
  [[nodiscard]] Open take_next() {
    if (best_first()) std::pop_heap(open_.begin(), open_.end(), comes_later);
    Open next = std::move(open_.back());
    open_.pop_back();
    return next;
  }

  void split(const Open& next) {
    const Split& split = next.split;
    const std::size_t begin = segments_[next.node].begin, end = segments_[next.node].end;
    mark_left(split, segments_[next.node]);
    const std::size_t left_rows = stable_partition(std::span(rows_).subspan(begin, end - begin),
                                                   [&](std::uint32_t row) { return is_left_[row] != 0; });
    const auto left = static_cast<std::uint32_t>(tree_.nodes.size()), right = left + 1;
    add_node(begin, begin + left_rows);
    add_node(begin + left_rows, end);
    GrownNode& node = tree_.nodes[next.node];
    node.left = static_cast<std::int32_t>(left);
    node.right = static_cast<std::int32_t>(right);
    node.feature = split.feature;
    node.threshold = split.threshold;
    node.levels = split.levels;
    node.missing_left = split.missing_left;
    node.gain = share_of_whole(split.gain);
    ++leaves_;
    const auto [left_range, right_range] = ranges_below(next, left, right);
    keep_within(left_range, left);
    keep_within(right_range, right);

    const std::size_t depth = next.depth + 1;
    if (!may_be_split(left, depth) && !may_be_split(right, depth)) return;
    for_each_feature(end - begin, [&](std::size_t index) {
      stable_partition(entries_of(index, segments_[next.node]),
                       [&](const SortedEntry& entry) { return is_left_[entry.row] != 0; });
    });
    // The last one is split first.
    open(right, depth, right_range);
    open(left, depth, left_range);
  }

  void mark_left(const Split& split, const Segment& segment) {
    const auto place = std::find(features_.begin(), features_.end(), split.feature) - features_.begin();
    const bool categorical = sorted_.features[split.feature].categorical;
    for (const SortedEntry& entry : entries_of(static_cast<std::size_t>(place), segment)) {
      if (entry.code == missing_code) {
        is_left_[entry.row] = split.missing_left;
      } else if (categorical) {
        is_left_[entry.row] = std::binary_search(split.levels.begin(), split.levels.end(), entry.code);
      } else {
        is_left_[entry.row] = entry.code < split.end_code;
      }
    }
  }

  // Below a split along a constrained feature, one side stays below the middle of both means, the other above.
  [[nodiscard]] std::pair<MeanRange, MeanRange> ranges_below(const Open& next, std::uint32_t left,
                                                             std::uint32_t right) const {
    std::pair ranges{next.range, next.range};
    if constexpr (Measure::ordered) {
      const Monotone direction = options_.monotone.empty() ? Monotone::free : options_.monotone[next.split.feature];
      const double middle = (segments_[left].total.mean() + segments_[right].total.mean()) / 2;
      if (direction == Monotone::increasing) ranges.first.high = ranges.second.low = middle;
      if (direction == Monotone::decreasing) ranges.first.low = ranges.second.high = middle;
    }
    return ranges;
  }

  void keep_within(const MeanRange& range, std::uint32_t index) {
    if constexpr (Measure::ordered) {
      const double mean = segments_[index].total.mean();
      if (mean >= range.low && mean <= range.high) return;
      const double kept = std::clamp(mean, range.low, range.high);
      const double value = tree_.nodes[index].value = scaled_.center + kept * scaled_.scale;
      if (outcome_.classes == 2) tree_.shares[2 * index] = 1 - (tree_.shares[2 * index + 1] = value);
    }
  }

  [[nodiscard]] std::span<SortedEntry> entries_of(std::size_t index, const Segment& segment) {
    return std::span(entries_[index]).subspan(segment.begin, segment.end - segment.begin);
  }

  // A gain of the search, as a decrease of the whole tree's impurity.
  [[nodiscard]] double share_of_whole(double gain) const {
    return gain / segments_[0].total.weight * scaled_.scale * scaled_.scale;
  }

  // Features are looked at in parallel where there is enough to do.
  void for_each_feature(std::size_t rows, const std::function<void(std::size_t)>& body) const {
    constexpr std::size_t worth_threads = 1 << 15;
    if (context_.threads() > 1 && rows * features_.size() >= worth_threads) {
      context_.parallel_for(features_.size(), body);
    } else {
      for (std::size_t index = 0; index < features_.size(); ++index) body(index);
    }
  }

  // The root, all below its left child, all below its right one.
  [[nodiscard]] GrownTree in_reading_order() {
    GrownTree tree;
    tree.classes = outcome_.classes;
    tree.node_of_row.assign(sorted_.rows, GrownTree::no_node);
    struct Place {
      std::uint32_t node;
      std::int32_t parent;
      bool is_left;
    };
    std::vector<Place> waiting = {{0, -1, false}};
    while (!waiting.empty()) {
      const Place place = waiting.back();
      waiting.pop_back();
      const auto index = static_cast<std::int32_t>(tree.nodes.size());
      if (place.parent >= 0) (place.is_left ? tree.nodes[place.parent].left : tree.nodes[place.parent].right) = index;
      GrownNode& node = tree.nodes.emplace_back(std::move(tree_.nodes[place.node]));
      const auto shares = tree_.shares.begin() + static_cast<std::ptrdiff_t>(place.node * outcome_.classes);
      tree.shares.insert(tree.shares.end(), shares, shares + static_cast<std::ptrdiff_t>(outcome_.classes));
      if (node.is_leaf()) {
        const Segment& segment = segments_[place.node];
        for (std::size_t i = segment.begin; i < segment.end; ++i)
          tree.node_of_row[rows_[i]] = static_cast<std::uint32_t>(index);
      } else {
        waiting.push_back({static_cast<std::uint32_t>(node.right), index, false});
        waiting.push_back({static_cast<std::uint32_t>(node.left), index, true});
      }
    }
    return tree;
  }

  const SortedFeatures& sorted_;
  const TreeOutcome& outcome_;
  const ScaledOutcome& scaled_;
  const Measure& measure_;
  const GrowOptions& options_;
  const Context& context_;
  SplitSearch<Measure> search_;
  std::vector<std::uint32_t> features_;
  std::vector<std::vector<SortedEntry>> entries_;  // of each feature: a node's lie together
  std::vector<std::uint32_t> rows_;                // a node's lie together
  std::vector<std::uint8_t> is_left_;              // of each row, in the node that is split
  GrownTree tree_;                                 // nodes in the order in which they were made
  std::vector<Segment> segments_;
  std::vector<Open> open_;
  std::size_t leaves_ = 1;
};

}  // namespace

GrownTree grow(const SortedFeatures& sorted, const TreeOutcome& outcome, const GrowOptions& options,
               const Context& context) {
  const auto weighs = [](double weight) { return weight > 0; };
  if (outcome.values.empty() ||
      (!outcome.weights.empty() && std::none_of(outcome.weights.begin(), outcome.weights.end(), weighs))) {
    throw Error(ErrorKind::data, "there are no rows from which a tree could be grown");
  }
  const ScaledOutcome scaled(outcome);
  const auto grow_by = [&](const auto& measure) {
    return Grower(sorted, outcome, scaled, measure, options, context).grow();
  };
  const bool entropy = options.impurity == Impurity::entropy;
  if (outcome.classes > 2) {
    if (entropy) return grow_by(ClassMeasure<true>(scaled.values, scaled.weights, outcome.classes));
    return grow_by(ClassMeasure<false>(scaled.values, scaled.weights, outcome.classes));
  }
  if (entropy) return grow_by(MeanMeasure<true>(scaled.values, scaled.weights, 1));
  // The Gini impurity of two classes is twice the variance of the numbers 0 and 1.
  return grow_by(MeanMeasure<false>(scaled.values, scaled.weights, outcome.classes == 2 ? 2 : 1));
}

std::size_t GrownTree::depth() const {
  std::vector<std::size_t> depths(nodes.size());
  std::size_t most = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    most = std::max(most, depths[i]);
    if (!nodes[i].is_leaf()) depths[nodes[i].left] = depths[nodes[i].right] = depths[i] + 1;
  }
  return most;
}

bool goes_left(const GrownNode& node, bool categorical, double value) {
  if (std::isnan(value)) return node.missing_left;
  if (!categorical) return value <= node.threshold;
  return std::binary_search(node.levels.begin(), node.levels.end(), static_cast<std::uint32_t>(value));
}

std::size_t leaf_of(const GrownTree& tree, const TrainingData& data, std::size_t row) {
  std::size_t index = 0;
  while (!tree.nodes[index].is_leaf()) {
    const GrownNode& node = tree.nodes[index];
    const TrainingFeature& feature = data.features[node.feature];
    index = static_cast<std::size_t>(goes_left(node, feature.info.categorical, feature.values[row]) ? node.left
                                                                                                    : node.right);
  }
  return index;
}

GrownTree cut_back(const GrownTree& tree, const std::vector<bool>& becomes_leaf) {
  GrownTree kept;
  kept.classes = tree.classes;
  // Reading order stays: whoever is below a leaf is passed over.
  std::vector<std::uint32_t> place(tree.nodes.size(), GrownTree::no_node);  // of each node, or of the leaf above it
  std::vector<bool> gone(tree.nodes.size(), false);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const GrownNode& node = tree.nodes[i];
    if (!gone[i]) {
      place[i] = static_cast<std::uint32_t>(kept.nodes.size());
      kept.nodes.push_back(node);
      const auto shares = tree.shares_of(i);
      kept.shares.insert(kept.shares.end(), shares.begin(), shares.end());
    }
    if (node.is_leaf()) continue;
    for (const std::int32_t child : {node.left, node.right}) {
      gone[child] = gone[i] || becomes_leaf[i];
      if (gone[child]) place[child] = place[i];
    }
    if (gone[i] || !becomes_leaf[i]) continue;
    const GrownNode& whole = node;
    kept.nodes.back() =
        GrownNode{.rows = whole.rows, .weight = whole.weight, .impurity = whole.impurity, .value = whole.value};
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (gone[i] || kept.nodes[place[i]].is_leaf()) continue;
    kept.nodes[place[i]].left = static_cast<std::int32_t>(place[tree.nodes[i].left]);
    kept.nodes[place[i]].right = static_cast<std::int32_t>(place[tree.nodes[i].right]);
  }
  for (const std::uint32_t node : tree.node_of_row) {
    kept.node_of_row.push_back(node == GrownTree::no_node ? node : place[node]);
  }
  return kept;
}

}  // namespace sightglass
