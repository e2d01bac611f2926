#include "sightglass/result/shapes/tree.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/result/fields.h"
#include "sightglass/result/item.h"
#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/shapes/axis.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

namespace {

void describe_split(std::optional<ShownCondition>& split, Fields& fields) {
  bool there = split.has_value();
  ShownCondition held = split.value_or(ShownCondition());
  fields.optional_group({"split", "Rows that meet it go to the first child; null: a leaf."}, there,
                        [&](Fields& inside) { describe_fields(held, inside); });
  if (there && split != held) split = std::move(held);
}

void describe_node(ShownNode& node, const std::vector<std::string>& classes, Fields& fields) {
  describe_split(node.split, fields);
  fields.indices({"children", "Places of the two children among the nodes, or none."}, node.children);
  fields.number({"count", "(Weighted) rows.", Presence::required}, node.count);
  fields.number({"value", "What is predicted there, of this output.", Presence::required}, node.value);
  fields.only_if(!node.predicted_class.empty(),
                 [&] { fields.text({"class", "Of a tree of classes: the most frequent one."}, node.predicted_class); });
  fields.only_if(!node.shares.empty(), [&] {
    fields.numbers({"shares", "Of a tree of classes: that of each class, in the order of classes."}, node.shares,
                   classes.size());
  });
  describe_some(fields, {"se"}, node.se);
  describe_some(fields, {"impurity"}, node.impurity);
  describe_some(fields, {"agreement", "Of a surrogate: R², or the share of equal classes, of the rows there."},
                node.agreement);
  describe_some(fields, {"stability", "Of a split: share of refits on resampled rows in which it came back."},
                node.stability);
}

// Whoever draws it follows children without looking: they must be there, behind their parent, and reached once.
void check_nodes(const ShownTree& tree, const JsonNode& item) {
  const std::vector<JsonNode> nodes = item.at("nodes").items();
  if (nodes.empty()) item.at("nodes").fail("at least one node, please");
  std::vector<bool> reached(nodes.size(), false);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const ShownNode& node = tree.nodes[i];
    if (i > 0 && !reached[i]) nodes[i].fail("no node before it has it as a child");
    if (!std::isfinite(node.count) || node.count < 0) nodes[i].at("count").fail("expected a number of at least 0");
    if (node.split.has_value() != !node.children.empty()) nodes[i].fail("a split and two children belong together");
    if (!node.children.empty() && node.children.size() != 2)
      nodes[i].at("children").fail_length(node.children.size(), 2);
    for (const std::uint64_t child : node.children) {
      if (child <= i || child >= nodes.size())
        nodes[i]
            .at("children")
            .fail("expected places behind " + std::to_string(i) + " and below " + std::to_string(nodes.size()));
      if (reached[child]) nodes[i].at("children").fail(std::to_string(child) + " has a parent already");
      reached[child] = true;
    }
    if (node.stability && !(*node.stability >= 0 && *node.stability <= 1))
      nodes[i].at("stability").fail("expected a share between 0 and 1");
    for (const double share : node.shares) {
      if (!(share >= 0 && share <= 1)) nodes[i].at("shares").fail("expected shares between 0 and 1");
    }
  }
}

}  // namespace

void describe_fields(ShownTree& tree, Fields& fields) {
  fields.about("A decision tree: a model of its own, or a surrogate.");
  fields.text({"name", "What a picture of it is called; empty: \"Decision tree\"."}, tree.name);
  describe_output(tree.output, tree.group, fields);
  fields.text({"unit", "Of values; empty if unknown."}, tree.unit);
  fields.only_if(!tree.classes.empty(), [&] { fields.texts({"classes", "Of a tree of classes."}, tree.classes); });
  fields.records({"nodes", "The root first; a child stands behind its parent.", Presence::required},
                 {.size = tree.nodes.size(),
                  .resize = [&](std::size_t size) { tree.nodes.resize(size); },
                  .describe = [&](std::size_t i, Fields& node) { describe_node(tree.nodes[i], tree.classes, node); }});
  describe_proof(tree.proof, fields);
  fields.object({"details", "How it was grown; free-form."}, tree.details);
  fields.check([&](const JsonNode& item) { check_nodes(tree, item); });
}

void tidy_rows(const ShownTree& tree, TidyRows& rows) {
  static const TableKind tree_table{
      .priority = 25,
      .columns = {"node", "parent", "condition", "split", "count", "share", "value", "class", "output", "group", "se",
                  "impurity", "agreement", "stability", "tree"},
      .always = {"node", "count", "value"}};
  const std::size_t size = tree.nodes.size();
  std::vector<std::size_t> parent(size, size);
  std::vector<std::string> condition(size);
  for (std::size_t i = 0; i < size; ++i) {
    const ShownNode& node = tree.nodes[i];
    for (std::size_t c = 0; c < node.children.size(); ++c) {
      parent[node.children[c]] = i;
      condition[node.children[c]] = c == 0 ? condition_text(*node.split) : opposite_text(*node.split);
    }
    rows.row(tree_table, tree).set("node", std::uint64_t{i});
    if (parent[i] < size) rows.set("parent", std::uint64_t{parent[i]}).set("condition", condition[i]);
    if (node.split) rows.set("split", condition_text(*node.split));
    rows.set("count", node.count);
    if (tree.nodes[0].count > 0) rows.set("share", node.count / tree.nodes[0].count);
    rows.set("value", node.value);
    if (!node.predicted_class.empty()) rows.set("class", node.predicted_class);
    rows.set("se", node.se).set("impurity", node.impurity).set("agreement", node.agreement);
    rows.set("stability", node.stability);
    if (!tree.name.empty()) rows.set("tree", tree.name);
  }
}

std::string item_title(const ShownTree& tree) { return tree.name.empty() ? "Decision tree" : printable(tree.name); }

ItemFeatures item_features(const ShownTree& tree) {
  ItemFeatures features{FeatureUse::importance, {}};
  std::set<std::string> known;
  for (const ShownNode& node : tree.nodes) {
    if (node.split && known.insert(node.split->feature).second) features.together.push_back({node.split->feature});
  }
  return features;
}

void item_set_dates(ShownTree& item, const Dates& dates) {
  for (ShownNode& node : item.nodes) {
    if (node.split) node.split->dates = date_kind(dates, node.split->feature);
  }
}

}  // namespace sightglass
