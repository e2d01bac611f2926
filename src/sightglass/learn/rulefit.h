// RuleFit: which rules and straight lines, added up, say most of the outcome?
//
//   F(x) = a_0 + Σ a_k r_k(x) + Σ b_j l_j(x_j)
//
// Rules r_k (1 where all conditions hold, else 0) are the nodes of many small boosted trees: each sees
// min(n/2, 100 + 6√n) rows, has 2 + ⌊Exp(mean_leaves − 2)⌋ leaves, and changes the prediction by a hundredth of what it
// says; until there are Σ 2(t_m − 1) = max_rules of them. Linear terms l_j are numbers kept between their quantiles
// 0.025 and 0.975, as strongly penalised as a typical rule. The lasso chooses among all: mean loss + λ (Σ |a_k| + Σ
// |b_j|), with λ where the loss of held-out rows is least. Numbers are predicted by squared error, two classes by
// log-odds, several by softmax.
//
// Two errors are shown. That of the lasso's cross-validation is optimistic, as rules were grown from all rows; the
// honest one grows rules anew for each fold (honest_folds), with the λ that was chosen.
//
// Importance of a rule with support s: |a| √(s(1 − s)); of a linear term: |b| sd; of a feature the sum of its terms', a
// rule's divided equally among its features. For one row: |a| |r(x) − s|, |b| |l(x) − mean| (rules/rule_model.h).
//
// Numbers have at most 254 cuts. Levels beyond the 254 most frequent meet no condition.
//
// J. Friedman, B. Popescu, Predictive learning via rule ensembles, Annals of Applied Statistics 2(3), 2008.
// Cost: trees are cheap; products of the terms that the lasso looks at with all rules, n/64 words each; each honest
// fold a fit without cross-validation. Memory: a bit per row and rule, (folds + 1) · 8 bytes per pair of rules looked
// at.
#pragma once

#include <cstdint>
#include <string>

#include "sightglass/learn/learner.h"

namespace sightglass {

struct RulefitOptions {
  std::int64_t rules = 0;
  bool linear = true;
  std::string choose = "min";
  std::int64_t max_rules = 2000;
  double mean_leaves = 4;
  double learning_rate = 0.01;
  std::int64_t folds = 10;
  std::int64_t honest_folds = 5;
  std::int64_t seed = 0;

  static void fields(auto&& field) {
    using Self = RulefitOptions;
    field("rules", &Self::rules,
          {.help = "at most so many rules and linear terms, no two of which say nearly the same, with coefficients "
                   "found anew without a penalty; 0 = as many as predict best",
           .type = OptionType::count,
           .range = at_least(0)});
    field("linear", &Self::linear, {.help = "whether numbers are terms of their own beside the rules"});
    field("choose", &Self::choose,
          {.help = "the penalty that predicts best (min), or the largest within one standard error of it (one-se)",
           .choices = {"min", "one-se"}});
    field("max_rules", &Self::max_rules,
          {.help = "rules to generate, from which those that matter are chosen",
           .type = OptionType::count,
           .range = between(2, 20'000)});
    field("mean_leaves", &Self::mean_leaves,
          {.help = "leaves of the trees that rules come from, on average: more make longer rules",
           .range = between(2, 100),
           .aliases = {"tree_size"}});
    field("learning_rate", &Self::learning_rate,
          {.help = "how much of what a tree says is added before the next one",
           .range = between(0, 1),
           .aliases = {"memory_par"}});
    field("folds", &Self::folds,
          {.help = "parts of the rows by which the penalty is chosen",
           .type = OptionType::count,
           .range = between(2, 100),
           .aliases = {"cv"}});
    field("honest_folds", &Self::honest_folds,
          {.help =
               "parts of the rows for the honest error, for each of which rules are grown anew; 0 = it is not measured",
           .type = OptionType::count,
           .range = between(0, 100)});
    field("seed", &Self::seed,
          {.help = "of the rows that trees see, their sizes and the folds", .type = OptionType::seed});
  }
};

[[nodiscard]] LearnerEntry rulefit();

}  // namespace sightglass
