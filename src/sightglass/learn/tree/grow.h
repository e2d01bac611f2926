// Grows one classification or regression tree (CART: Breiman, Friedman, Olshen, Stone 1984) from exact splits.
//
// Every split of every feature is tried: each threshold between two numbers of the node, each cut of the levels in the
// order of their mean outcome (which is the best of all subsets for numbers and two classes: Fisher 1958; with more
// classes all subsets of up to eight levels, and beyond that, where the best may be missed, cuts in the order of the
// first principal component of their class shares: Coppersmith, Hong, Hosking 1999), with
// missing values on either side, and missing values against all others. The split that lowers the impurity most is
// taken. Gains that differ by rounding alone (1e-10 of the node's impurity) are ties, which go to the first feature,
// the lowest threshold, and missing values on the right. A split that lowers nothing is not made.
//
// Under monotone constraints, means on both sides of a constrained feature's split stand in its order, nodes below keep
// to their side of the middle between them, and a leaf whose mean does not is given the nearest value that does (as in
// scikit-learn).
//
// Cost: O(rows · features) per level of the tree, after features have been sorted once (sorted_features.h).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/tree/sorted_features.h"

namespace sightglass {

enum class Impurity { variance, gini, entropy };

// What the tree is to predict. Rows with weight 0 take no part, as if they were not there: bootstraps and folds need no
// copy of the data.
struct TreeOutcome {
  std::span<const double> values;        // numbers, or indices of classes
  std::size_t classes = 0;               // 0: numbers
  std::span<const double> weights = {};  // none: every row weighs 1
};

struct GrowOptions {
  Impurity impurity = Impurity::variance;
  std::size_t max_depth = std::numeric_limits<std::size_t>::max();
  std::size_t max_leaves = std::numeric_limits<std::size_t>::max();  // the splits with the largest gain are made first
  std::size_t min_leaf_rows = 1;
  std::size_t min_split_rows = 2;
  double min_decrease = 0;                   // of the whole tree's impurity by a split
  std::vector<Monotone> monotone = {};       // one per feature, or none; numbers and two classes only
  std::vector<std::uint32_t> features = {};  // that may be split on, ascending; none: all
};

struct GrownNode {
  std::int32_t left = -1, right = -1;  // -1: a leaf
  std::uint32_t feature = 0;
  // Left go numbers <= threshold (-infinity: none), or these levels, ascending; all other levels go right.
  double threshold = 0;
  std::vector<std::uint32_t> levels = {};
  bool missing_left = false;  // where there was none to learn from: to the heavier side
  std::uint64_t rows = 0;
  double weight = 0;
  double impurity = 0;  // variance, Gini or entropy (in bits) of the node's rows
  double gain = 0;      // by how much its split lowers the whole tree's impurity
  double value = 0;     // mean outcome, share of the second class; with more classes that of the most frequent one
  [[nodiscard]] bool is_leaf() const { return left < 0; }
};

struct GrownTree {
  std::size_t classes = 0;
  std::vector<GrownNode> nodes;            // the root first, then all below its left child, then the others
  std::vector<double> shares;              // of each class, node after node; none of numbers
  std::vector<std::uint32_t> node_of_row;  // the leaf of each row; of rows without weight: no_node

  static constexpr std::uint32_t no_node = std::numeric_limits<std::uint32_t>::max();
  [[nodiscard]] std::span<const double> shares_of(std::size_t node) const {
    return std::span(shares).subspan(node * classes, classes);
  }
  [[nodiscard]] std::size_t leaves() const { return (nodes.size() + 1) / 2; }
  [[nodiscard]] std::size_t depth() const;
};

// Throws Error(data) where no row has weight.
[[nodiscard]] GrownTree grow(const SortedFeatures& sorted, const TreeOutcome& outcome, const GrowOptions& options,
                             const Context& context);

// Where a value goes: NaN is missing, a level its index.
[[nodiscard]] bool goes_left(const GrownNode& node, bool categorical, double value);
// The leaf of a row of the data.
[[nodiscard]] std::size_t leaf_of(const GrownTree& tree, const TrainingData& data, std::size_t row);
// The same tree with these nodes as leaves, and nothing below them.
[[nodiscard]] GrownTree cut_back(const GrownTree& tree, const std::vector<bool>& becomes_leaf);

}  // namespace sightglass
