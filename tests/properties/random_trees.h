// Random tree ensembles on the columns of random_data.h: numeric and categorical splits, missing either way,
// thresholds that hit values of the data exactly.
#pragma once

#include <random>

#include "sightglass/model/trees/ensemble.h"

namespace sightglass::testing {

inline std::int32_t grow(TreeEnsemble::Parts& parts, std::mt19937_64& random, int depth) {
  const auto index = static_cast<std::int32_t>(parts.nodes.size());
  parts.nodes.emplace_back();
  TreeNode node;
  if (depth == 0 || random() % 5 == 0) {
    node.threshold = static_cast<float>(static_cast<double>(random() % 2000) / 1000 - 1);
  } else {
    node.feature = static_cast<std::int32_t>(random() % 4);
    node.missing_left = random() % 2 == 0;
    if (node.feature == 2) {
      node.categories = static_cast<std::int32_t>(parts.category_sets.size());
      parts.category_sets.push_back({{1 + random() % 6}});
    } else {
      // Multiples of a half: b has such values, d whole ones.
      node.threshold = static_cast<double>(random() % 21) / 2 - (node.feature == 3 ? 0 : 5);
    }
    node.left = grow(parts, random, depth - 1);
    node.right = grow(parts, random, depth - 1);
  }
  parts.nodes[static_cast<std::size_t>(index)] = node;
  return index;
}

inline std::unique_ptr<Model> random_trees(std::uint64_t seed, Comparison comparison) {
  std::mt19937_64 random(seed);
  TreeEnsemble::Parts parts;
  parts.signature.format = "random";
  parts.signature.features = {{.name = "a"},
                              {.name = "b"},
                              {.name = "c", .categorical = true, .levels = {"red", "blue", "green"}},
                              {.name = "d"}};
  parts.signature.outputs = {"first", "second"};
  parts.comparison = comparison;
  parts.base = {0.25, -0.5};
  for (std::uint32_t tree = 0; tree < 30; ++tree) {
    const auto root = static_cast<std::uint32_t>(grow(parts, random, 4));
    parts.trees.push_back({root, tree % 2});
  }
  return std::make_unique<TreeEnsemble>(std::move(parts), "random trees");
}

}  // namespace sightglass::testing
