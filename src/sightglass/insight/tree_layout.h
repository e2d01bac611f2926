// Where the nodes of a tree stand in a picture: leaves side by side, an inner node in the middle above its children. Of
// a large tree only the nodes with most rows are shown: what is below the others is folded.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sightglass/result/shapes/tree.h"

namespace sightglass {

struct TreePlace {
  std::size_t node = 0;    // in ShownTree::nodes
  std::size_t parent = 0;  // among the places; of the root its own
  bool first = true;       // child: its rows meet the parent's condition
  std::size_t depth = 0;
  double across = 0;                        // in widths of a leaf, from the first leaf's edge
  bool is_leaf = true;                      // nothing is shown below it
  std::size_t folded = 0;                   // leaves that are below it and not shown
  std::vector<ShownCondition> rule = {};    // what its rows meet, one condition per feature where that can be said
  std::vector<std::string> rule_more = {};  // and what can only be said in words
};

struct TreeLayout {
  std::vector<TreePlace> places;  // a node before its children, the first child's part before the second's
  std::size_t leaves = 0;         // that are shown
  std::size_t all_leaves = 0;
  std::size_t depth = 0;        // of the deepest that is shown
  std::size_t whole_depth = 0;  // of all
};

[[nodiscard]] TreeLayout tree_layout(const ShownTree& tree, std::size_t most_leaves, std::size_t most_depth);
// How a row gets there from the parent: "temp > 13", "season is not winter"; of the root "all rows".
[[nodiscard]] std::string step_text(const ShownTree& tree, const TreeLayout& layout, std::size_t place,
                                    std::size_t most_levels = shown_levels);
// All that its rows meet: "7 < hour <= 9 & season = winter".
[[nodiscard]] std::string rule_text(const TreePlace& place, std::size_t most_levels = shown_levels);

}  // namespace sightglass
