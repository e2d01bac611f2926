#include "sightglass/insight/tree_layout.h"

#include <gtest/gtest.h>

namespace sightglass {
namespace {

// A full tree that asks the same feature at 8, then at 4 and 12, and so on.
ShownTree full_tree(std::size_t depth) {
  ShownTree tree;
  struct Part {
    double low, high;
    std::size_t depth;
  };
  std::vector<Part> parts{{0, 16, 0}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part part = parts[i];
    const double middle = (part.low + part.high) / 2;
    ShownNode node{.count = part.high - part.low, .value = middle};
    if (part.depth < depth) {
      node.split = ShownCondition{.feature = "x", .at_most = middle};
      node.children = {parts.size(), parts.size() + 1};
      parts.push_back({part.low, middle, part.depth + 1});
      parts.push_back({middle, part.high, part.depth + 1});
    }
    tree.nodes.push_back(node);
  }
  return tree;
}

TEST(TreeLayout, LeavesStandSideBySide) {
  const ShownTree tree = full_tree(2);
  const TreeLayout layout = tree_layout(tree, 32, 8);
  ASSERT_EQ(layout.places.size(), 7u);
  EXPECT_EQ(layout.leaves, 4u);
  EXPECT_EQ(layout.depth, 2u);
  EXPECT_EQ(layout.places[0].across, 2.0);
  EXPECT_EQ(layout.places[1].across, 1.0);
  EXPECT_EQ(layout.places[2].across, 0.5);
  EXPECT_EQ(layout.places[3].across, 1.5);
  EXPECT_EQ(layout.places[4].across, 3.0);
  EXPECT_EQ(layout.places[4].parent, 0u);
  EXPECT_FALSE(layout.places[4].first);
  EXPECT_EQ(step_text(tree, layout, 0), "all rows");
  EXPECT_EQ(step_text(tree, layout, 4), "x > 8");
  // Bounds of one feature on the way down are one condition.
  EXPECT_EQ(rule_text(layout.places[3]), "4 < x <= 8");
  EXPECT_EQ(rule_text(layout.places[6]), "x > 12");
  EXPECT_EQ(rule_text(layout.places[0]), "all rows");
}

TEST(TreeLayout, LargeTreesAreFolded) {
  const ShownTree tree = full_tree(10);
  const TreeLayout few = tree_layout(tree, 5, 100);
  EXPECT_EQ(few.leaves, 5u);
  EXPECT_EQ(few.all_leaves, 1024u);
  EXPECT_EQ(few.whole_depth, 10u);
  std::size_t folded = 0;
  for (const TreePlace& place : few.places) folded += place.folded;
  EXPECT_EQ(folded, 1024u);
  const TreeLayout shallow = tree_layout(tree, 1000, 3);
  EXPECT_EQ(shallow.leaves, 8u);
  EXPECT_EQ(shallow.depth, 3u);
}

// As deep as it has nodes: nothing here calls itself.
TEST(TreeLayout, AVeryDeepTreeIsNoTrouble) {
  ShownTree tree;
  const std::size_t size = 20001;
  for (std::size_t i = 0; i + 2 < size; i += 2) {
    tree.nodes.push_back({.split = ShownCondition{.feature = "x", .above = 1}, .children = {i + 1, i + 2}, .count = 1});
    tree.nodes.push_back({.count = 1});
  }
  tree.nodes.push_back({.count = 1});
  const TreeLayout layout = tree_layout(tree, 32, 1000000);
  EXPECT_EQ(layout.leaves, 32u);
  EXPECT_EQ(layout.whole_depth, (size - 1) / 2);
}

}  // namespace
}  // namespace sightglass
