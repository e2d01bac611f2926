#include "sightglass/learn/tree/show.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "sightglass/result/shapes/figure.h"

namespace sightglass {

namespace {

// The output that a tree's single values are of; of more than two classes there is one each.
std::string output_of(const TrainingData& data) { return data.task() == Task::multiclass ? "" : data.outputs()[0]; }

// What rows on a path may have in one feature.
struct PathCondition {
  std::uint32_t feature = 0;
  std::optional<double> above = std::nullopt, at_most = std::nullopt;
  std::optional<std::vector<std::uint32_t>> levels = std::nullopt;  // none: any
  bool missing = true;
};
using Path = std::vector<PathCondition>;

class PathReader {
 public:
  PathReader(const GrownTree& tree, const TrainingData& data) : tree_(tree), data_(data), parents_(tree.nodes.size()) {
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      if (!tree.nodes[i].is_leaf()) parents_[tree.nodes[i].left] = parents_[tree.nodes[i].right] = i;
    }
    for (const TrainingFeature& feature : data.features) {
      const auto is_missing = [](double value) { return std::isnan(value); };
      has_missing_.push_back(std::any_of(feature.values.begin(), feature.values.end(), is_missing));
    }
  }

  // The path of every leaf.
  [[nodiscard]] std::vector<std::pair<std::size_t, Path>> leaves() const {
    std::vector<std::pair<std::size_t, Path>> found, waiting = {{0, {}}};
    while (!waiting.empty()) {
      auto [index, path] = std::move(waiting.back());
      waiting.pop_back();
      const GrownNode& node = tree_.nodes[index];
      if (node.is_leaf()) {
        found.emplace_back(index, std::move(path));
      } else {
        waiting.emplace_back(node.right, extended(path, node, false));
        waiting.emplace_back(node.left, extended(std::move(path), node, true));
      }
    }
    return found;
  }

  // What sends rows to the first child.
  [[nodiscard]] ShownCondition split(std::size_t index) const {
    const GrownNode& node = tree_.nodes[index];
    ShownCondition condition = shown(extended({}, node, true).front());
    const bool comes = missing_values_reach(index);
    condition.missing = comes && node.missing_left;
    condition.missing_otherwise = comes && !node.missing_left;
    return condition;
  }

  // In words of the data. A missing value is mentioned where the feature has any.
  [[nodiscard]] ShownCondition shown(const PathCondition& condition) const {
    const FeatureInfo& info = data_.features[condition.feature].info;
    ShownCondition shown;
    shown.feature = info.name;
    shown.categorical = info.categorical;
    shown.dates = info.dates;
    shown.above = condition.above;
    shown.at_most = condition.at_most;
    if (condition.levels) {
      for (const std::uint32_t level : *condition.levels) shown.levels.push_back(info.levels[level]);
    }
    shown.missing = condition.missing && has_missing_[condition.feature];
    return shown;
  }

 private:
  // Whether rows without a value of the node's feature get there: splits above may have sent them elsewhere.
  [[nodiscard]] bool missing_values_reach(std::size_t index) const {
    const std::uint32_t feature = tree_.nodes[index].feature;
    if (!has_missing_[feature]) return false;
    for (std::size_t child = index; child != 0;) {
      const std::size_t parent = parents_[child];
      const GrownNode& above = tree_.nodes[parent];
      const bool left = static_cast<std::size_t>(above.left) == child;
      if (above.feature == feature && above.missing_left != left) return false;
      child = parent;
    }
    return true;
  }

  [[nodiscard]] Path extended(Path path, const GrownNode& node, bool left) const {
    auto place = std::find_if(path.begin(), path.end(), [&](const auto& c) { return c.feature == node.feature; });
    if (place == path.end()) place = path.insert(path.end(), {.feature = node.feature});
    PathCondition& condition = *place;
    const FeatureInfo& info = data_.features[node.feature].info;
    const bool splits_off_missing = !info.categorical && std::isinf(node.threshold);
    if (info.categorical) {
      // Both lists are ascending. Along a path they get shorter, so that many levels cost little at many nodes.
      std::vector<std::uint32_t> kept;
      if (left && !condition.levels) {
        kept = node.levels;
      } else {
        if (!condition.levels) {
          condition.levels.emplace(info.levels.size());
          std::iota(condition.levels->begin(), condition.levels->end(), 0U);
        }
        const auto& before = *condition.levels;
        if (left) {
          std::set_intersection(before.begin(), before.end(), node.levels.begin(), node.levels.end(),
                                std::back_inserter(kept));
        } else {
          std::set_difference(before.begin(), before.end(), node.levels.begin(), node.levels.end(),
                              std::back_inserter(kept));
        }
      }
      condition.levels = std::move(kept);
    } else if (splits_off_missing) {
      if (left) condition.above = condition.at_most = std::nullopt;  // of numbers nothing is left
    } else if (left) {
      condition.at_most = std::min(condition.at_most.value_or(node.threshold), node.threshold);
    } else {
      condition.above = std::max(condition.above.value_or(node.threshold), node.threshold);
    }
    condition.missing = condition.missing && node.missing_left == left;
    return path;
  }

  const GrownTree& tree_;
  const TrainingData& data_;
  std::vector<bool> has_missing_;     // per feature
  std::vector<std::size_t> parents_;  // per node; of the root itself
};

Figure figure(const TrainingData& data, const char* name, std::size_t value, const char* meaning) {
  Figure figure;
  figure.name = name;
  figure.id = name;
  figure.output = output_of(data);
  figure.value = static_cast<double>(value);
  figure.meaning = meaning;
  return figure;
}

}  // namespace

TreeStructure tree_structure(const GrownTree& tree, const TrainingData& data) {
  TreeStructure structure;
  std::int32_t leaves = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const GrownNode& grown = tree.nodes[i];
    TreeNode node;
    node.left = grown.left;
    node.right = grown.right;
    if (grown.is_leaf()) {
      if (tree.classes > 2) {
        const auto shares = tree.shares_of(i);
        structure.leaf_values.insert(structure.leaf_values.end(), shares.begin(), shares.end());
        node.leaf = leaves++;
      } else {
        node.threshold = grown.value;
      }
    } else {
      node.feature = static_cast<std::int32_t>(grown.feature);
      node.missing_left = grown.missing_left;
      if (data.features[grown.feature].info.categorical) {
        node.categories = static_cast<std::int32_t>(structure.category_sets.size());
        node.categories_left = true;
        CategorySet& set = structure.category_sets.emplace_back();
        for (const std::uint32_t level : grown.levels) {
          set.bits.resize(std::max(set.bits.size(), std::size_t{level / 64} + 1));
          set.bits[level / 64] |= std::uint64_t{1} << (level % 64);
        }
      } else if (std::isinf(grown.threshold)) {
        // In a model, missing values are split off as what is not <= infinity.
        std::swap(node.left, node.right);
        node.threshold = std::numeric_limits<double>::infinity();
        node.missing_left = false;
      } else {
        node.threshold = grown.threshold;
      }
    }
    structure.nodes.push_back(node);
    structure.covers.push_back(grown.weight);
  }
  return structure;
}

ShownTree shown_tree(const GrownTree& tree, const TrainingData& data) {
  const PathReader reader(tree, data);
  ShownTree shown;
  shown.output = output_of(data);
  shown.classes = data.classes;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const GrownNode& grown = tree.nodes[i];
    ShownNode node;
    node.count = grown.weight;
    node.value = grown.value;
    node.impurity = grown.impurity;
    if (tree.classes > 0) {
      const auto shares = tree.shares_of(i);
      node.shares.assign(shares.begin(), shares.end());
      node.predicted_class = data.classes[most_probable(tree.shares_of(i))];
    }
    if (!grown.is_leaf()) {
      node.split = reader.split(i);
      node.children = {static_cast<std::uint64_t>(grown.left), static_cast<std::uint64_t>(grown.right)};
    }
    shown.nodes.push_back(std::move(node));
  }
  return shown;
}

Rules leaf_rules(const GrownTree& tree, const TrainingData& data) {
  const PathReader reader(tree, data);
  Rules rules;
  rules.output = output_of(data);
  rules.effects_add = false;
  for (const auto& [leaf, path] : reader.leaves()) {
    Rule rule;
    for (const PathCondition& condition : path) rule.conditions.push_back(reader.shown(condition));
    rule.effect = tree.nodes[leaf].value;
    rule.support = tree.nodes[leaf].weight / tree.nodes[0].weight;
    if (tree.classes > 0) {
      const std::size_t predicted = most_probable(tree.shares_of(leaf));
      rule.predicted_class = data.classes[predicted];
      rule.precision = tree.shares_of(leaf)[predicted];
    }
    rules.rules.push_back(std::move(rule));
  }
  std::stable_sort(rules.rules.begin(), rules.rules.end(),
                   [](const Rule& a, const Rule& b) { return a.support > b.support; });
  return rules;
}

Learned learned_tree(const GrownTree& tree, const TrainingData& data) {
  Learned learned;
  learned.structure = tree_structure(tree, data);
  learned.size = tree.leaves();
  learned.shown.emplace_back(shown_tree(tree, data));
  learned.shown.emplace_back(leaf_rules(tree, data));
  learned.shown.emplace_back(figure(data, "leaves", tree.leaves(), "groups of rows that the tree tells apart"));
  learned.shown.emplace_back(figure(data, "depth", tree.depth(), "the most questions that are asked about a row"));
  learned.detail.set("leaves", static_cast<std::uint64_t>(tree.leaves()));
  learned.detail.set("depth", static_cast<std::uint64_t>(tree.depth()));
  return learned;
}

}  // namespace sightglass
