// Decision tree (CART): which few questions tell high outcomes from low ones?
//
// Rows are split in two, again and again, each time by the question about one feature that lowers the impurity of the
// outcome most:
//
//   decrease(t, s) = i(t) - w_L/w_t · i(t_L) - w_R/w_t · i(t_R)
//
// with i the variance of numbers, and of classes Gini Σ p_k (1 - p_k) or entropy -Σ p_k log2 p_k. A leaf predicts the
// mean of its rows, or the shares of the classes. Splits equal those of scikit-learn where there are no ties (tree/
// grow.h says how ties are resolved); besides, levels are split into groups, missing values go to the better side, and
// predictions can be made to rise or fall with a feature. Cost-complexity pruning takes branches back that gain less
// than alpha per leaf.
//
// L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984.
// Cost: O(rows · features) per level of the tree, after one sort by radix.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/learn/learner.h"
#include "sightglass/learn/tree/grow.h"

namespace sightglass {

struct DecisionTreeOptions {
  std::string criterion = "auto";
  std::optional<std::int64_t> max_depth;
  std::int64_t max_leaves = 0;
  std::int64_t min_leaf_rows = 5;
  std::int64_t min_split_rows = 2;
  double min_decrease = 0;
  double alpha = 0;
  std::string prune = "none";
  std::string rule = "1se";
  std::int64_t folds = 10;
  std::vector<std::string> monotone;
  std::int64_t seed = 0;

  static void fields(auto&& field) {
    using Self = DecisionTreeOptions;
    field("criterion", &Self::criterion,
          {.help = "what splits lower: variance of numbers; gini or entropy of classes; auto: variance, or gini",
           .choices = {"auto", "variance", "gini", "entropy"}});
    field(
        "max_depth", &Self::max_depth,
        {.help = "the most questions about a row; 0 = any number. Not given: 4, or any number with {option:max_leaves}",
         .range = at_least(0)});
    field("max_leaves", &Self::max_leaves,
          {.help = "the most leaves, of which those that gain most are made first; 0 = any number",
           .type = OptionType::count,
           .range = at_least(0),
           .aliases = {"max_leaf_nodes"}});
    field("min_leaf_rows", &Self::min_leaf_rows,
          {.help = "the fewest rows of a leaf, whatever they weigh",
           .type = OptionType::count,
           .range = at_least(1),
           .aliases = {"min_samples_leaf"}});
    field("min_split_rows", &Self::min_split_rows,
          {.help = "the fewest rows that are split",
           .type = OptionType::count,
           .range = at_least(2),
           .aliases = {"min_samples_split"}});
    field("min_decrease", &Self::min_decrease,
          {.help = "by how much a split must lower the impurity of the whole tree",
           .range = at_least(0),
           .aliases = {"min_impurity_decrease"}});
    field("alpha", &Self::alpha,
          {.help = "what a leaf costs, in impurity of the whole tree: branches that gain less are taken back",
           .range = at_least(0),
           .aliases = {"ccp_alpha"}});
    field("prune", &Self::prune, {.help = "cv: cross-validation chooses {option:alpha}", .choices = {"none", "cv"}});
    field(
        "rule", &Self::rule,
        {.help = "of {option:prune}: the smallest tree within one standard error of the best (1se), or the best (min)",
         .choices = {"1se", "min"}});
    field("folds", &Self::folds,
          {.help = "parts of the rows in cross-validation", .type = OptionType::count, .range = between(2, 1000)});
    field("monotone", &Self::monotone,
          {.help = "numeric features with which predictions only rise or fall: temp=increasing, wind=decreasing",
           .aliases = {"monotonic_cst"}});
    field("seed", &Self::seed, {.help = "of the folds", .type = OptionType::seed});
  }
};

[[nodiscard]] LearnerEntry decision_tree();

}  // namespace sightglass
