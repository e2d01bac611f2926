// Optimal decision tree: which is the best of all small trees, and is it proven?
//
// A greedy tree takes the best split now and may miss the best tree. Here all trees of a depth on a list of cuts
// (yes-or-no questions) are searched at once, and the result says how far from the best any of them could be:
//
//   minimise Σ_leaves w · i(leaf) / w_total + alpha · leaves
//
// with i the variance of numbers, Gini Σ p_k (1 - p_k) or misclassification 1 - max p_k of classes. "Optimal" means:
// among trees on these cuts, which the result lists. Cuts are all there are, where these are few, and otherwise those
// that boosted trees make most of (tree/cuts.h). Missing values are on the yes side of some cuts and on the no side of
// others; levels are cut one by one and in the order of their mean outcome. Depth 3 is always solved; depth 4 as far as
// max_nodes, or the time, allows.
//
// E. Demirović et al., MurTree: Optimal Decision Trees via Dynamic Programming and Search, JMLR 2022.
// J. van der Linden et al., Necessary and Sufficient Conditions for Optimal Decision Trees using Dynamic Programming
// (STreeD), NeurIPS 2023.
// Cost: cuts · (rows · features² + cuts²); for depth 4 a factor `cuts` more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sightglass/learn/learner.h"

namespace sightglass {

struct OptimalTreeOptions {
  std::string criterion = "auto";
  std::int64_t max_depth = 3;
  std::int64_t max_leaves = 0;
  std::int64_t min_leaf_rows = 5;
  double alpha = 0;
  std::int64_t max_cuts = 100;
  std::int64_t max_nodes = 100000;
  std::optional<double> seconds;

  static void fields(auto&& field) {
    using Self = OptimalTreeOptions;
    field("criterion", &Self::criterion,
          {.help = "what is made as small as can be: variance of numbers; gini or misclassification of classes; auto: "
                   "variance, or gini",
           .choices = {"auto", "variance", "gini", "misclassification"}});
    field("max_depth", &Self::max_depth, {.help = "the most questions about a row", .range = between(1, 4)});
    field("max_leaves", &Self::max_leaves,
          {.help = "the most leaves; 0 = as many as the depth allows",
           .type = OptionType::count,
           .range = at_least(0),
           .aliases = {"max_leaf_nodes"}});
    field("min_leaf_rows", &Self::min_leaf_rows,
          {.help = "the fewest rows of a leaf, each by its weight, which is 1 on average; 1: any row is enough",
           .type = OptionType::count,
           .range = at_least(1),
           .aliases = {"min_samples_leaf"}});
    field("alpha", &Self::alpha,
          {.help = "what a leaf costs, in impurity of the whole tree", .range = at_least(0), .aliases = {"ccp_alpha"}});
    field("max_cuts", &Self::max_cuts,
          {.help = "the most questions that are tried", .type = OptionType::count, .range = between(1, 500)});
    field("max_nodes", &Self::max_nodes,
          {.help = "with {option:max_depth} 4: sets of rows that are solved before the search gives up its proof",
           .type = OptionType::count,
           .range = at_least(0)});
    field("seconds", &Self::seconds,
          {.help = "with {option:max_depth} 4: the same by time, which makes results depend on the machine",
           .range = at_least(0)});
  }
};

[[nodiscard]] LearnerEntry optimal_tree();

}  // namespace sightglass
