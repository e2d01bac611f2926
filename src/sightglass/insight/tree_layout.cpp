#include "sightglass/insight/tree_layout.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace sightglass {

namespace {

// Per node; children stand behind their parents.
std::vector<std::size_t> leaves_below(const ShownTree& tree) {
  std::vector<std::size_t> leaves(tree.nodes.size(), 1);
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    if (tree.nodes[i].children.empty()) continue;
    leaves[i] = 0;
    for (const std::uint64_t child : tree.nodes[i].children) leaves[i] += leaves[child];
  }
  return leaves;
}

std::vector<std::size_t> depths_of(const ShownTree& tree) {
  std::vector<std::size_t> depths(tree.nodes.size(), 0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    for (const std::uint64_t child : tree.nodes[i].children) depths[child] = depths[i] + 1;
  }
  return depths;
}

// Those whose children are shown: the ones with most rows first, as long as there is room for leaves.
std::vector<bool> opened_nodes(const ShownTree& tree, const std::vector<std::size_t>& depths, std::size_t most_leaves,
                               std::size_t most_depth) {
  std::vector<bool> opened(tree.nodes.size(), false);
  const auto later = [&](std::size_t a, std::size_t b) {
    return std::pair(tree.nodes[a].count, b) < std::pair(tree.nodes[b].count, a);
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> next(later);
  next.push(0);
  std::size_t leaves = 1;
  while (!next.empty() && leaves < most_leaves) {
    const std::size_t node = next.top();
    next.pop();
    if (tree.nodes[node].children.empty() || depths[node] == most_depth) continue;
    opened[node] = true;
    ++leaves;
    for (const std::uint64_t child : tree.nodes[node].children) next.push(child);
  }
  return opened;
}

void add_to_rule(TreePlace& place, const ShownCondition& split, bool first) {
  const auto condition = first ? std::optional(split) : opposite(split);
  if (!condition) {
    const std::string text = opposite_text(split);
    auto& more = place.rule_more;
    if (std::find(more.begin(), more.end(), text) == more.end()) more.push_back(text);
    return;
  }
  for (ShownCondition& known : place.rule) {
    if (const auto joint = both(known, *condition)) {
      known = *joint;
      return;
    }
  }
  place.rule.push_back(*condition);
}

}  // namespace

TreeLayout tree_layout(const ShownTree& tree, std::size_t most_leaves, std::size_t most_depth) {
  TreeLayout layout;
  if (tree.nodes.empty()) return layout;
  const std::vector<std::size_t> below = leaves_below(tree);
  const std::vector<std::size_t> depths = depths_of(tree);
  layout.whole_depth = *std::max_element(depths.begin(), depths.end());
  const std::vector<bool> opened = opened_nodes(tree, depths, most_leaves, most_depth);
  layout.all_leaves = below[0];
  std::vector<TreePlace> waiting{TreePlace{}};
  while (!waiting.empty()) {
    TreePlace place = std::move(waiting.back());
    waiting.pop_back();
    const ShownNode& node = tree.nodes[place.node];
    const std::size_t at = layout.places.size();
    place.is_leaf = !opened[place.node];
    layout.depth = std::max(layout.depth, place.depth);
    if (place.is_leaf) {
      place.folded = node.children.empty() ? 0 : below[place.node];
      place.across = static_cast<double>(layout.leaves++) + 0.5;
    } else {
      for (const bool first : {false, true}) {  // the last that waits comes first
        TreePlace child{.node = node.children[first ? 0 : 1], .parent = at, .first = first, .depth = place.depth + 1};
        child.rule = place.rule;
        child.rule_more = place.rule_more;
        add_to_rule(child, *node.split, first);
        waiting.push_back(std::move(child));
      }
    }
    layout.places.push_back(std::move(place));
  }
  for (std::size_t i = layout.places.size(); i-- > 1;)
    layout.places[layout.places[i].parent].across += layout.places[i].across / 2;
  return layout;
}

std::string step_text(const ShownTree& tree, const TreeLayout& layout, std::size_t place, std::size_t most_levels) {
  if (place == 0) return "all rows";
  const TreePlace& shown = layout.places[place];
  const ShownCondition& split = *tree.nodes[layout.places[shown.parent].node].split;
  return shown.first ? condition_text(split, most_levels) : opposite_text(split, most_levels);
}

std::string rule_text(const TreePlace& place, std::size_t most_levels) {
  if (place.rule.empty() && place.rule_more.empty()) return "all rows";
  std::string text = place.rule.empty() ? "" : conditions_text(place.rule, most_levels);
  for (const std::string& more : place.rule_more) text += (text.empty() ? "" : " & ") + more;
  return text;
}

}  // namespace sightglass
