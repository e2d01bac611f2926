#include <algorithm>
#include <cmath>
#include <string>

#include "sightglass/model/readers/xgboost_internal.h"

namespace sightglass {

namespace {

void check_length(const JsonValue& list, std::size_t size, std::size_t count) {
  if (size != count) {
    list.fail("has " + std::to_string(size) + " items, left_children has " + std::to_string(count));
  }
}

// NaN and infinities, which the document shows as {} and [], become NaN: whoever uses the number looks.
std::vector<float> numbers(const JsonValue& list) {
  std::vector<float> values;
  list.each([&](const JsonValue& item) {
    const bool stands_for_nan = item.is_object() || item.is_array();
    values.push_back(stands_for_nan ? std::numeric_limits<float>::quiet_NaN() : item.float32());
  });
  return values;
}

std::vector<std::uint8_t> bits(const JsonValue& list, std::size_t count) {
  std::vector<std::uint8_t> values;
  list.each([&](const JsonValue& item) { values.push_back(item.boolean_or_bit() ? 1 : 0); });
  check_length(list, values.size(), count);
  return values;
}

[[noreturn]] void fail_node(const JsonValue& tree, std::size_t node, const std::string& what) {
  tree.fail("node " + std::to_string(node) + " " + what);
}

}  // namespace

// One tree as the file has it: an item for each node.
struct XgboostTrees::Arrays {
  std::vector<std::int32_t> left, right, feature;
  std::vector<float> condition;
  std::vector<std::uint8_t> missing_left, by_category;
  std::vector<float> cover;
  std::vector<std::int32_t> set;  // index into category_sets, -1 for none
  // Vector leaves: their values, row after row. By node up to XGBoost 3.1; since 3.2 by leaf, and a leaf's right
  // child is its row.
  std::vector<float> leaf_vectors;
  std::size_t leaf_width = 1;
  bool vectors_by_leaf = false;
};

void XgboostTrees::read(const JsonValue& value, std::uint32_t output, float weight, bool used) {
  const JsonObject tree(value);
  const JsonValue parameter_value = tree.require("tree_param");
  const JsonObject parameters(parameter_value);
  Arrays arrays;
  const JsonValue left = tree.require("left_children");
  arrays.left = left.integers(-1, xgboost_most_int32);
  const std::size_t count = arrays.left.size();
  if (count == 0) left.fail("is empty: a tree has at least one node");
  const JsonValue nodes = parameters.require("num_nodes");
  if (static_cast<std::size_t>(nodes.integer(0, xgboost_most_int32)) != count) {
    nodes.fail("is not the length of left_children, " + std::to_string(count));
  }
  const JsonValue right = tree.require("right_children");
  arrays.right = right.integers(-1, xgboost_most_int32);
  check_length(right, arrays.right.size(), count);
  const JsonValue feature = tree.require("split_indices");
  arrays.feature = feature.integers(0, xgboost_most_int32);
  check_length(feature, arrays.feature.size(), count);
  const JsonValue condition = tree.require("split_conditions");
  arrays.condition = numbers(condition);
  check_length(condition, arrays.condition.size(), count);
  arrays.missing_left = bits(tree.require("default_left"), count);
  if (const auto types = tree.find("split_type")) arrays.by_category = bits(*types, count);
  arrays.by_category.resize(count, 0);
  if (const auto size = parameters.find("size_leaf_vector")) {
    arrays.leaf_width = static_cast<std::size_t>(std::max<std::int64_t>(1, size->integer(0, xgboost_most_int32)));
    if (arrays.leaf_width > 1 && arrays.leaf_width != parts_.base.size()) {
      size->fail("is " + std::to_string(arrays.leaf_width) + ", the model has " + std::to_string(parts_.base.size()) +
                 " outputs");
    }
  }
  if (arrays.leaf_width > 1) read_leaf_vectors(tree, arrays, arrays.leaf_width);
  read_covers(tree, arrays, count);
  if (!used) return;
  if (!parts_.trees.empty() && (arrays.leaf_width > 1) != !parts_.leaf_values.empty()) {
    value.fail("has leaves of another size than the trees before it");
  }
  read_category_sets(tree, arrays);
  add(value, arrays, output, weight);
}

void XgboostTrees::finish() {
  if (!covers_known_) parts_.covers.clear();
}

void XgboostTrees::read_covers(const JsonObject& tree, Arrays& arrays, std::size_t count) {
  const auto covers = tree.find("sum_hessian");
  if (!covers) {
    covers_known_ = false;
    return;
  }
  covers->each([&](const JsonValue& item) {
    double cover = 0;
    const bool number = item.element().get(cover) == simdjson::SUCCESS;
    if (!number && !item.is_object() && !item.is_array()) item.fail("is not a number");
    // A custom objective may have negative or infinite hessians: such covers say nothing.
    if (!number || !(cover >= 0) || cover > static_cast<double>(std::numeric_limits<float>::max())) {
      covers_known_ = false;
      cover = 0;
    }
    arrays.cover.push_back(static_cast<float>(cover));
  });
  check_length(*covers, arrays.cover.size(), count);
}

void XgboostTrees::read_leaf_vectors(const JsonObject& tree, Arrays& arrays, std::size_t width) const {
  const auto by_leaf = tree.find("leaf_weights");
  arrays.vectors_by_leaf = by_leaf.has_value();
  const JsonValue list = by_leaf ? *by_leaf : tree.require("base_weights");
  arrays.leaf_vectors = numbers(list);
  const std::size_t size = arrays.leaf_vectors.size();
  if (by_leaf ? size % width != 0 : size != width * arrays.left.size()) {
    list.fail("has " + std::to_string(size) + " items, which are not " + std::to_string(width) + " for each " +
              (by_leaf ? "leaf" : "node"));
  }
}

void XgboostTrees::read_category_sets(const JsonObject& tree, Arrays& arrays) {
  arrays.set.assign(arrays.left.size(), -1);
  const auto node_value = tree.find("categories_nodes");
  if (!node_value) return;
  const auto nodes = node_value->integers(0, static_cast<std::int64_t>(arrays.left.size()) - 1);
  if (nodes.empty()) return;
  const JsonValue start_value = tree.require("categories_segments");
  const JsonValue size_value = tree.require("categories_sizes");
  const auto codes = tree.require("categories").integers(0, xgboost_code_limit - 1);
  const auto limit = static_cast<std::int64_t>(codes.size());
  const auto starts = start_value.integers(0, limit);
  const auto sizes = size_value.integers(0, limit);
  if (starts.size() != nodes.size()) start_value.fail("has another length than categories_nodes");
  if (sizes.size() != nodes.size()) size_value.fail("has another length than categories_nodes");
  std::int64_t total = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    // Segments do not overlap in a real file; without this check they would cost quadratic time.
    total += sizes[i];
    if (total > limit || std::int64_t{starts[i]} + sizes[i] > limit) size_value.fail("goes beyond categories");
    std::int32_t& set_index = arrays.set[static_cast<std::size_t>(nodes[i])];
    if (set_index >= 0) node_value->fail("has node " + std::to_string(nodes[i]) + " twice");
    const auto first = codes.begin() + starts[i];
    const std::int32_t largest = sizes[i] == 0 ? 0 : *std::max_element(first, first + sizes[i]);
    const std::size_t words = static_cast<std::size_t>(largest) / 64 + 1;
    if (words > set_words_left_) node_value->fail("has category codes out of all proportion to the file");
    set_words_left_ -= words;
    CategorySet set;
    set.bits.resize(words);
    std::for_each(first, first + sizes[i], [&](std::int32_t code) {
      set.bits[static_cast<std::size_t>(code) / 64] |= std::uint64_t{1} << (code % 64);
    });
    set_index = static_cast<std::int32_t>(parts_.category_sets.size());
    parts_.category_sets.push_back(std::move(set));
  }
}

// Copies the nodes that the root leads to. Pruning leaves dead ones behind (up to XGBoost 1.x).
void XgboostTrees::add(const JsonValue& value, const Arrays& arrays, std::uint32_t output, float weight) {
  const std::size_t count = arrays.left.size();
  const std::size_t root = parts_.nodes.size();
  const std::size_t leaf_rows = parts_.leaf_values.size() / arrays.leaf_width;
  if (arrays.vectors_by_leaf) append_leaves(arrays.leaf_vectors);
  std::vector<std::size_t> order = {0};
  std::vector<std::uint8_t> seen(count, 0);
  seen[0] = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t node = order[i];
    TreeNode copy;
    parts_.covers.push_back(covers_known_ ? static_cast<double>(arrays.cover[node]) : 0);
    if (arrays.left[node] < 0) {
      if (arrays.leaf_width == 1) {
        set_leaf(value, arrays, node, weight, copy);
      } else {
        set_vector_leaf(value, arrays, node, leaf_rows, copy);
      }
      parts_.nodes.push_back(copy);
      continue;
    }
    for (const std::int32_t child : {arrays.left[node], arrays.right[node]}) {
      if (child < 0 || static_cast<std::size_t>(child) >= count) {
        fail_node(value, node,
                  "has the child " + std::to_string(child) + ", the tree has " + std::to_string(count) + " nodes");
      }
      if (seen[static_cast<std::size_t>(child)] != 0) {
        fail_node(value, node, "has the child " + std::to_string(child) + ", which has a parent already: not a tree");
      }
      seen[static_cast<std::size_t>(child)] = 1;
      order.push_back(static_cast<std::size_t>(child));
    }
    copy.left = static_cast<std::int32_t>(root + order.size() - 2);
    copy.right = copy.left + 1;
    set_split(value, arrays, node, copy);
    parts_.nodes.push_back(copy);
  }
  if (parts_.nodes.size() >= static_cast<std::size_t>(xgboost_most_int32) / 2) value.fail("is one node too many");
  parts_.trees.push_back({static_cast<std::uint32_t>(root), output});
}

void XgboostTrees::append_leaves(std::span<const float> values) {
  parts_.leaf_values.insert(parts_.leaf_values.end(), values.begin(), values.end());
}

void XgboostTrees::set_leaf(const JsonValue& value, const Arrays& arrays, std::size_t node, float weight,
                            TreeNode& leaf) const {
  if (arrays.right[node] >= 0) fail_node(value, node, "has a right child but no left one");
  // In float32, as XGBoost multiplies before it adds.
  leaf.threshold = static_cast<double>(arrays.condition[node] * weight);
  if (!std::isfinite(leaf.threshold)) fail_node(value, node, "has a leaf value that is not a finite number");
}

void XgboostTrees::set_vector_leaf(const JsonValue& value, const Arrays& arrays, std::size_t node,
                                   std::size_t first_row, TreeNode& leaf) {
  const std::size_t width = arrays.leaf_width;
  if (arrays.vectors_by_leaf) {
    const std::size_t rows = arrays.leaf_vectors.size() / width;
    if (arrays.right[node] < 0 || static_cast<std::size_t>(arrays.right[node]) >= rows) {
      fail_node(value, node,
                "is leaf " + std::to_string(arrays.right[node]) + ", leaf_weights has " + std::to_string(rows));
    }
    leaf.leaf = static_cast<std::int32_t>(first_row) + arrays.right[node];
    return;
  }
  if (arrays.right[node] >= 0) fail_node(value, node, "has a right child but no left one");
  leaf.leaf = static_cast<std::int32_t>(parts_.leaf_values.size() / width);
  append_leaves(std::span(arrays.leaf_vectors).subspan(node * width, width));
}

void XgboostTrees::set_split(const JsonValue& value, const Arrays& arrays, std::size_t node, TreeNode& split) {
  const std::size_t features = parts_.signature.features.size();
  split.missing_left = arrays.missing_left[node] != 0;
  split.feature = arrays.feature[node];
  if (static_cast<std::size_t>(split.feature) >= features) {
    fail_node(value, node,
              "splits feature " + std::to_string(split.feature) + ", num_feature is " + std::to_string(features));
  }
  FeatureInfo& feature = parts_.signature.features[static_cast<std::size_t>(split.feature)];
  if (arrays.by_category[node] == 0) {
    split.threshold = static_cast<double>(arrays.condition[node]);
    if (std::isnan(split.threshold)) fail_node(value, node, "has a split condition that is not a finite number");
    if (feature.categorical) {
      fail_node(value, node, "splits the categorical feature " + printable(feature.name, 60) + " by a threshold");
    }
    return;
  }
  // The threshold of a split by categories means nothing; up to XGBoost 2.x it is NaN.
  if (arrays.set[node] < 0) fail_node(value, node, "splits by categories but lists none");
  if (types_known_ && !feature.categorical) {
    fail_node(value, node,
              "splits by categories, but feature_types calls " + printable(feature.name, 60) + " a number");
  }
  feature.categorical = true;
  split.categories = arrays.set[node];
  // The listed categories go right; all others go left, also unknown, negative and too large codes.
  split.categories_left = false;
  if (!old_categories_ || split.missing_left) return;
  // All others but those beyond XGBoost's own bit set, whose words have 32 bits.
  std::vector<std::uint64_t>& words = parts_.category_sets[static_cast<std::size_t>(split.categories)].bits;
  const bool half = words.back() >> 32 == 0;
  for (std::uint64_t& word : words) word = ~word;
  if (half) words.back() &= 0xffffffffU;
  split.categories_left = true;
}

}  // namespace sightglass
