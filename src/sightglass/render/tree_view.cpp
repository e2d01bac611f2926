#include "sightglass/render/tree_view.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/insight/tree_layout.h"
#include "sightglass/render/text/page_internal.h"
#include "sightglass/render/vega/tree_chart_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t leaves_in_text = 32, depth_in_text = 8;
constexpr std::size_t rules_in_text = 12;

const ShownTree& tree_of(const ItemGroup& group) { return *group.item<ShownTree>(); }

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string size_text(const TreeLayout& layout, const char* between) {
  return counted(layout.all_leaves, "leaf", "leaves") + between + "depth " + std::to_string(layout.whole_depth);
}

double class_share(const ShownTree& tree, const ShownNode& node) {
  const auto found = std::find(tree.classes.begin(), tree.classes.end(), node.predicted_class);
  const auto at = static_cast<std::size_t>(found - tree.classes.begin());
  return at < node.shares.size() ? node.shares[at] : node.value;
}

std::string share_of_rows(const ShownTree& tree, const ShownNode& node) {
  return tree.nodes[0].count > 0 ? percent(node.count / tree.nodes[0].count) : "";
}

// "├─ " and what stands above it.
std::vector<std::string> branches_of(const TreeLayout& layout, bool unicode) {
  std::vector<std::string> heads(layout.places.size());
  std::vector<std::string> trunks(layout.places.size());  // before the lines of a node's children
  for (std::size_t i = 1; i < layout.places.size(); ++i) {
    const TreePlace& place = layout.places[i];
    const std::string& trunk = trunks[place.parent];
    heads[i] = trunk + (place.first ? (unicode ? "├─ " : "|- ") : (unicode ? "└─ " : "`- "));
    trunks[i] = trunk + (place.first ? (unicode ? "│  " : "|  ") : "   ");
  }
  return heads;
}

// Leaves with the highest predictions first, of classes those with most rows.
std::vector<std::size_t> leaves_in_order(const ShownTree& tree, const TreeLayout& layout) {
  std::vector<std::size_t> leaves;
  for (std::size_t i = 0; i < layout.places.size(); ++i) {
    if (layout.places[i].is_leaf) leaves.push_back(i);
  }
  const auto key = [&](std::size_t i) {
    const ShownNode& node = tree.nodes[layout.places[i].node];
    const double size = tree.classes.empty() ? node.value : node.count;
    return std::isnan(size) ? -INFINITY : size;
  };
  std::stable_sort(leaves.begin(), leaves.end(), [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  return leaves;
}

std::string leaf_value(const ShownTree& tree, const ShownNode& node) {
  if (tree.classes.empty()) return readable(node.value);
  return printable(node.predicted_class, 40) + " (" + percent(class_share(tree, node)) + " of them)";
}

void rule_lines(text::Page& page, const ShownTree& tree, const TreeLayout& layout) {
  const auto leaves = leaves_in_order(tree, layout);
  if (leaves.size() < 2) return;
  page.line();
  page.line(page.dim("  Its leaves as rules:"));
  for (std::size_t i = 0; i < std::min(leaves.size(), rules_in_text); ++i) {
    const TreePlace& place = layout.places[leaves[i]];
    const ShownNode& node = tree.nodes[place.node];
    const std::string text = rule_text(place) + (page.unicode() ? " → " : " -> ") + page.ascii(leaf_value(tree, node)) +
                             " (" + share_of_rows(tree, node) + " of rows)";
    bool first = true;
    for (const auto& part : wrap(text, page.width() - 6)) {
      page.line((first ? "  - " : "      ") + part);
      first = false;
    }
  }
  if (leaves.size() > rules_in_text)
    page.line(page.dim("  " + std::to_string(leaves.size() - rules_in_text) + " more; csv and json have all"));
}

void tree_section(text::Page& page, const ItemGroup& group) {
  const ShownTree& tree = tree_of(group);
  const TreeLayout layout = tree_layout(tree, leaves_in_text, depth_in_text);
  const std::string qualifier = group_qualifier(page.result(), group);
  page.title(group_title(group) + (qualifier.empty() ? "" : page.dot() + qualifier), size_text(layout, page.dot()));
  const auto heads = branches_of(layout, page.unicode());
  std::vector<double> values, counts;
  for (const TreePlace& place : layout.places) {
    const ShownNode& node = tree.nodes[place.node];
    values.push_back(tree.classes.empty() ? node.value : class_share(tree, node));
    counts.push_back(node.count);
  }
  const ColumnFormat format(values), count_format(counts);
  std::vector<text::Bar> bars;
  for (std::size_t i = 0; i < layout.places.size(); ++i) {
    const TreePlace& place = layout.places[i];
    const ShownNode& node = tree.nodes[place.node];
    std::string name = heads[i] + step_text(tree, layout, i);
    if (place.folded > 0) name += (page.unicode() ? " … " : " ... ") + counted(place.folded, "leaf", "leaves");
    const std::string value =
        tree.classes.empty() ? format(values[i]) : printable(node.predicted_class, 16) + " " + percent(values[i]);
    bars.push_back({.name = name,
                    .value = values[i],
                    .cells = {page.ascii(value), page.ascii(count_format(counts[i])), share_of_rows(tree, node)},
                    .faded = !place.is_leaf});
  }
  page.bars(bars, {tree.classes.empty() ? "prediction" : "class", "rows", "share"});
  if (layout.leaves < layout.all_leaves) {
    page.line(page.dim("  " + std::to_string(layout.leaves) + " of " + std::to_string(layout.all_leaves) +
                       " leaves; csv and json have all"));
  }
  rule_lines(page, tree, layout);
  if (tree.proof && !proof_text(*tree.proof).empty()) page.wrapped(capitalised(proof_text(*tree.proof)) + ".", 2);
}

std::string tree_description(const Result& result, const ItemGroup& group) {
  const ShownTree& tree = tree_of(group);
  const TreeLayout layout = tree_layout(tree, leaves_in_text, depth_in_text);
  std::string text = "a decision tree with " + size_text(layout, ", ") + ".";
  if (tree.nodes[0].split) text += " The first question is whether " + condition_text(*tree.nodes[0].split) + ".";
  const auto leaves = leaves_in_order(tree, layout);
  if (leaves.size() < 2) return text;
  const auto leaf = [&](std::size_t at) {
    const TreePlace& place = layout.places[at];
    const ShownNode& node = tree.nodes[place.node];
    return leaf_value(tree, node) + " where " + rule_text(place) + " (" + share_of_rows(tree, node) + " of rows)";
  };
  if (!tree.classes.empty()) return text + " The largest leaf: " + leaf(leaves.front()) + ".";
  return text + " The highest " + prediction_title(result, Quantity::single, tree.output) + " is " +
         leaf(leaves.front()) + ", the lowest " + leaf(leaves.back()) + ".";
}

std::string tree_reading(const Result&, const ItemGroup& group) {
  const ShownTree& tree = tree_of(group);
  const std::string colours = tree.classes.empty()
                                  ? "Colours show the prediction: blue is below the average of all rows, orange above."
                                  : "Colours show the most frequent class, the stronger the larger its share.";
  return "Start with all rows and follow the answers: rows that meet a condition go where it says yes, all others "
         "where "
         "it says no. Where values are missing, the side that says \"or missing\" takes those rows. A leaf has the "
         "prediction and how many rows end there; the thicker a line, the more rows take it. " +
         colours;
}

std::vector<std::string> tree_chips(const ItemGroup& group) {
  const ShownTree& tree = tree_of(group);
  const TreeLayout layout = tree_layout(tree, leaves_in_text, depth_in_text);
  std::vector<std::string> list{counted(layout.all_leaves, "leaf", "leaves")};
  std::set<std::string> features;
  for (const ShownNode& node : tree.nodes) {
    if (node.split) features.insert(node.split->feature);
  }
  list.push_back(counted(features.size(), "feature", "features"));
  if (tree.proof && tree.proof->status == ProofStatus::optimal) list.emplace_back("proven best");
  if (tree.proof && tree.proof->status == ProofStatus::bounded) list.emplace_back("proven bound");
  return list;
}

}  // namespace

ShapeView ViewOf<ShownTree>::view() {
  return {.text = tree_section,
          .chart = [](const Result& result, const ItemGroup& group,
                      int) { return vega::tree_chart(result, tree_of(group)); },
          .chapter = model_chapter(30),
          .words = {.describe = tree_description, .how_to_read = tree_reading, .badges = tree_chips},
          .narrow_chart = [](const Result& result,
                             const ItemGroup& group) { return vega::tree_outline(result, tree_of(group)); },
          .wide = true};
}

}  // namespace sightglass
