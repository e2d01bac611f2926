#include "sightglass/methods/performance/regions/large_value_regions.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/context.h"
#include "sightglass/base/random.h"
#include "sightglass/learn/tree/grow.h"
#include "sightglass/learn/tree/show.h"
#include "sightglass/numeric/normal.h"
#include "sightglass/numeric/weighted_mean.h"

namespace sightglass {

namespace {

constexpr std::uint64_t half_stream = 0x6572'726f'7273;  // "errors"
constexpr std::size_t fewest_rows = 20;
constexpr double share_of_leaf = 1.0 / 30;
constexpr std::size_t fewest_to_divide = 4 * fewest_rows;

// Of the judged rows at a node.
struct NodeSums {
  WeightedMean value;
  std::uint64_t rows = 0;
};

class RegionSearch {
 public:
  RegionSearch(const NumberedRows& fitted, const NumberedRows& judged, const RegionOptions& options,
               const Context& context)
      : fitted_(fitted), judged_(judged), options_(options), context_(context) {}

  LargeValueRegions found() {
    grow_tree();
    judge();
    return shown();
  }

 private:
  void grow_tree() {
    if (too_few_for_regions(2 * fitted_.rows()) || fitted_.data.features.empty()) {
      tree_.nodes = {GrownNode{}};
      return;
    }
    GrowOptions options;
    options.max_depth = static_cast<std::size_t>(options_.max_depth);
    options.min_leaf_rows =
        options_.min_leaf_rows > 0
            ? static_cast<std::size_t>(options_.min_leaf_rows)
            : std::max(fewest_rows, static_cast<std::size_t>(share_of_leaf * static_cast<double>(fitted_.rows())));
    tree_ = grow(SortedFeatures(fitted_.data, context_), {.values = fitted_.values, .weights = fitted_.weights},
                 options, context_);
  }

  // Numbers of the nodes are those of the judged rows.
  void judge() {
    sums_.assign(tree_.nodes.size(), {});
    std::vector<std::size_t> parent(tree_.nodes.size(), 0);
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (tree_.nodes[i].is_leaf()) continue;
      parent[static_cast<std::size_t>(tree_.nodes[i].left)] = i;
      parent[static_cast<std::size_t>(tree_.nodes[i].right)] = i;
    }
    for (std::size_t row = 0; row < judged_.rows(); ++row) {
      for (std::size_t node = leaf_of(tree_, judged_.data, row);; node = parent[node]) {
        sums_[node].value.add(judged_.values[row], judged_.weights[row]);
        ++sums_[node].rows;
        if (node == 0) break;
      }
    }
    // Where the halves do not agree that two parts differ there is nothing to tell them apart by.
    std::vector<bool> leaf(tree_.nodes.size(), false);
    for (std::size_t i = tree_.nodes.size(); i-- > 0;) {
      const GrownNode& node = tree_.nodes[i];
      if (node.is_leaf()) continue;
      const auto is_leaf = [&](std::int32_t child) {
        const auto at = static_cast<std::size_t>(child);
        return tree_.nodes[at].is_leaf() || leaf[at];
      };
      if (is_leaf(node.left) && is_leaf(node.right)) leaf[i] = !differ(node);
    }
    std::vector<NodeSums> kept;
    std::vector<std::size_t> waiting = {0};  // in the order of cut_back: a node, then all below its left child
    while (!waiting.empty()) {
      const std::size_t at = waiting.back();
      waiting.pop_back();
      kept.push_back(sums_[at]);
      if (tree_.nodes[at].is_leaf() || leaf[at]) continue;
      waiting.push_back(static_cast<std::size_t>(tree_.nodes[at].right));
      waiting.push_back(static_cast<std::size_t>(tree_.nodes[at].left));
    }
    tree_ = cut_back(tree_, leaf);
    sums_ = std::move(kept);
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      GrownNode& node = tree_.nodes[i];
      node.weight = sums_[i].rows > 0 ? sums_[i].value.weight() : 0;
      node.rows = sums_[i].rows;
      node.value = sums_[i].rows > 0 ? sums_[i].value.mean() : 0;
      node.impurity = sums_[i].rows > 0 ? sums_[i].value.variance() : 0;
    }
  }

  // In the direction in which they were told apart, by more than chance.
  [[nodiscard]] bool differ(const GrownNode& node) const {
    const NodeSums &left = sums_[static_cast<std::size_t>(node.left)],
                   &right = sums_[static_cast<std::size_t>(node.right)];
    if (left.rows == 0 || right.rows == 0) return false;
    const double expected = tree_.nodes[static_cast<std::size_t>(node.right)].value -
                            tree_.nodes[static_cast<std::size_t>(node.left)].value;
    const double found = right.value.mean() - left.value.mean();
    const double chance = z_95 * std::hypot(left.value.se().value_or(0), right.value.se().value_or(0));
    return found * expected > 0 && std::abs(found) > chance;
  }

  [[nodiscard]] LargeValueRegions shown() const {
    LargeValueRegions regions;
    regions.mean = tree_.nodes[0].value;
    regions.found = tree_.nodes.size() > 1;
    regions.rules = leaf_rules(tree_, fitted_.data);
    std::vector<Rule>& rules = regions.rules.rules;
    std::erase_if(rules, [](const Rule& rule) { return !(rule.support > 0); });
    // Share of all that there is.
    for (Rule& rule : rules) {
      if (regions.mean > 0 && std::isfinite(regions.mean)) rule.importance = rule.support * *rule.effect / regions.mean;
    }
    std::stable_sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) { return *a.effect > *b.effect; });
    for (const Rule& rule : rules) regions.se.push_back(se_of(rule));
    return regions;
  }
  // Of the leaf that it is about.
  [[nodiscard]] double se_of(const Rule& rule) const {
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      if (tree_.nodes[i].is_leaf() && sums_[i].rows > 0 && tree_.nodes[i].value == *rule.effect)
        return sums_[i].value.se().value_or(0);
    }
    return 0;
  }

  const NumberedRows &fitted_, &judged_;
  const RegionOptions& options_;
  const Context& context_;
  GrownTree tree_;
  std::vector<NodeSums> sums_;
};

}  // namespace

bool too_few_for_regions(std::size_t rows) { return rows < fewest_to_divide; }

bool is_for_fitting(std::uint64_t seed, std::uint64_t row) { return random_bits(seed, half_stream, row) % 2 == 0; }

LargeValueRegions large_value_regions(const NumberedRows& fitted, const NumberedRows& judged,
                                      const RegionOptions& options, const Context& context) {
  return RegionSearch(fitted, judged, options, context).found();
}

}  // namespace sightglass
