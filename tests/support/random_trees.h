// Random tree ensembles on the columns of random_data.h: numeric and categorical splits, missing either way,
// thresholds that hit values of the data exactly.
#pragma once

#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "sightglass/model/trees/ensemble.h"

namespace sightglass::testing {

// What sets the frameworks apart.
struct TreeFamily {
  Comparison comparison = Comparison::float32_less;
  bool float32_sums = false;
  bool categories_left = false;
  bool zero_is_missing = false;
  bool vector_leaves = false;
  double divisor = 1;
  LinkFunction link;
  bool symmetric = false;  // all splits of a level are the same, and the base is added last
  bool shares = false;     // leaves hold the shares of three classes; the last one has none where d is 4 or more
};

inline const std::map<std::string, TreeFamily>& tree_families() {
  static const std::map<std::string, TreeFamily> families = {
      {"xgboost", {.comparison = Comparison::float32_less, .float32_sums = true}},
      {"lightgbm",
       {.comparison = Comparison::float64_less_equal,
        .categories_left = true,
        .zero_is_missing = true,
        .link = {Link::logistic, 0.7}}},
      {"catboost", {.comparison = Comparison::float32_less_equal, .link = {Link::variance}, .symmetric = true}},
      {"forest",
       {.comparison = Comparison::float32_less_equal, .vector_leaves = true, .divisor = 30, .link = {Link::softmax}}},
  };
  return families;
}

// As scikit-learn's forests of classes: probabilities are averaged.
inline TreeFamily averaged_classes() {
  return {.comparison = Comparison::float32_less_equal, .vector_leaves = true, .divisor = 30, .shares = true};
}

class TreeBuilder {
 public:
  TreeBuilder(std::uint64_t seed, const TreeFamily& family) : random_(seed), family_(family) {
    parts_.signature.format = "random";
    parts_.signature.features = {{.name = "a"},
                                 {.name = "b"},
                                 {.name = "c", .categorical = true, .levels = {"red", "blue", "green"}},
                                 {.name = "d"}};
    parts_.signature.outputs = {"first", "second"};
    parts_.signature.has_margin = family.link.link != Link::identity;
    parts_.comparison = family.comparison;
    parts_.float32_sums = family.float32_sums;
    parts_.divisor = family.divisor;
    parts_.link = family.link;
    parts_.base = {0.25, -0.5};
    parts_.base_last = family.symmetric;
    if (!family.shares) return;
    parts_.signature.task = Task::multiclass;
    parts_.signature.outputs = {"none", "some", "all"};
    parts_.base = {0, 0, 0};
  }

  TreeEnsemble::Parts build(std::uint32_t trees, int depth) {
    for (std::uint32_t tree = 0; tree < trees; ++tree) {
      if (family_.symmetric) draw_levels(depth);
      const auto root = static_cast<std::uint32_t>(family_.shares ? grow_shares(depth) : grow(depth));
      parts_.trees.push_back({root, family_.vector_leaves ? 0 : tree % 2});
    }
    return std::move(parts_);
  }

  // Each split has a leaf on one side.
  TreeEnsemble::Parts chains(std::uint32_t trees, int depth) {
    for (std::uint32_t tree = 0; tree < trees; ++tree) {
      const auto root = static_cast<std::uint32_t>(chain(depth));
      parts_.trees.push_back({root, family_.vector_leaves ? 0 : tree % 2});
    }
    return std::move(parts_);
  }

 private:
  std::int32_t chain(int depth) {
    const auto index = parts_.nodes.size();
    parts_.nodes.emplace_back();
    const TreeNode node = depth == 0 ? leaf() : split(1);
    parts_.nodes[index] = node;
    if (depth > 0) {
      const std::int32_t next = chain(depth - 1);
      (random_() % 2 == 0 ? parts_.nodes[index].left : parts_.nodes[index].right) = next;
    }
    return static_cast<std::int32_t>(index);
  }
  std::int32_t grow(int depth) {
    const auto index = parts_.nodes.size();
    parts_.nodes.emplace_back();
    const bool ends = depth == 0 || (!family_.symmetric && random_() % 5 == 0);
    const TreeNode node = ends ? leaf() : split(depth);
    parts_.nodes[index] = node;
    return static_cast<std::int32_t>(index);
  }
  // The splits of a symmetric tree, from the bottom up.
  void draw_levels(int depth) {
    levels_ = {TreeNode{}};
    for (int level = 0; level < depth; ++level) levels_.push_back(question());
  }

  double value() { return static_cast<double>(static_cast<float>(static_cast<double>(random_() % 2000) / 1000 - 1)); }

  TreeNode leaf() {
    if (!family_.vector_leaves) return {.threshold = value()};
    const auto row = static_cast<std::int32_t>(parts_.leaf_values.size() / parts_.base.size());
    if (family_.shares) return shares(row);
    for (std::size_t k = 0; k < parts_.base.size(); ++k) parts_.leaf_values.push_back(value());
    return {.leaf = row};
  }

  TreeNode shares(std::int32_t row) {
    std::vector<double> rows;
    for (std::size_t k = 0; k < parts_.base.size(); ++k) rows.push_back(static_cast<double>(1 + random_() % 7));
    if (!all_classes_) rows.back() = 0;
    const double all = std::accumulate(rows.begin(), rows.end(), 0.0);
    for (const double each : rows) parts_.leaf_values.push_back(each / all);
    return {.leaf = row};
  }
  std::int32_t grow_shares(int depth) {
    const auto index = parts_.nodes.size();
    parts_.nodes.push_back({.feature = 3, .threshold = 3.5});
    const std::int32_t left = grow(depth - 1);
    all_classes_ = false;
    const std::int32_t right = grow(depth - 1);
    all_classes_ = true;
    parts_.nodes[index].left = left;
    parts_.nodes[index].right = right;
    return static_cast<std::int32_t>(index);
  }

  TreeNode split(int depth) {
    TreeNode node = levels_.empty() ? question() : levels_[static_cast<std::size_t>(depth)];
    node.left = grow(depth - 1);
    node.right = grow(depth - 1);
    return node;
  }
  TreeNode question() {
    TreeNode node;
    node.feature = static_cast<std::int32_t>(random_() % 4);
    node.missing_left = random_() % 2 == 0;
    if (node.feature == 2) {
      node.categories = static_cast<std::int32_t>(parts_.category_sets.size());
      node.categories_left = family_.categories_left;
      parts_.category_sets.push_back({{1 + random_() % 6}});
    } else {
      // Multiples of a half: b has such values, d whole ones.
      node.threshold = static_cast<double>(random_() % 21) / 2 - (node.feature == 3 ? 0 : 5);
      node.zero_is_missing = family_.zero_is_missing && random_() % 2 == 0;
      const bool may_be_infinite = family_.comparison == Comparison::float64_less_equal;
      if (may_be_infinite && random_() % 16 == 0) node.threshold = std::numeric_limits<double>::infinity();
    }
    return node;
  }

  std::mt19937_64 random_;
  TreeFamily family_;
  bool all_classes_ = true;
  std::vector<TreeNode> levels_;
  TreeEnsemble::Parts parts_;
};

inline std::unique_ptr<TreeEnsemble> random_trees(std::uint64_t seed, const TreeFamily& family) {
  return std::make_unique<TreeEnsemble>(TreeBuilder(seed, family).build(30, 4), "random trees");
}

// Trees over many features: each path meets others.
inline TreeEnsemble::Parts wide_trees(std::size_t features, std::uint32_t trees, int depth, bool chain) {
  std::mt19937_64 random(11);
  TreeEnsemble::Parts parts;
  for (std::size_t feature = 0; feature < features; ++feature)
    parts.signature.features.push_back({.name = std::to_string(feature)});
  parts.signature.outputs = {"y"};
  parts.base = {0};
  const auto grow = [&](auto& self, int left) -> std::int32_t {
    const auto index = parts.nodes.size();
    parts.nodes.push_back({.threshold = 1});
    if (left == 0) return static_cast<std::int32_t>(index);
    const std::int32_t a = self(self, left - 1);
    const std::int32_t b = self(self, chain ? 0 : left - 1);
    parts.nodes[index] = {.left = a,
                          .right = b,
                          .feature = static_cast<std::int32_t>(random() % features),
                          .threshold = static_cast<double>(random() % 7),
                          .missing_left = random() % 2 == 0};
    return static_cast<std::int32_t>(index);
  };
  for (std::uint32_t tree = 0; tree < trees; ++tree)
    parts.trees.push_back({static_cast<std::uint32_t>(grow(grow, depth)), 0});
  return parts;
}

}  // namespace sightglass::testing
