// Additive model (GAM): what does each feature do by itself, and which pairs do more together?
//
//   margin(x) = intercept + Σ_j f_j(x_j) + Σ_(j,k) f_jk(x_j, x_k),   prediction = link⁻¹(margin)
//
// Each f_j is a table over at most 256 bins of the feature, one of them for missing values, each f_jk one over coarser
// bins of two. They are boosted: round after round, feature after feature, a piece with few leaves is added that lowers
// the loss most (a Newton step), made small by the learning rate, until rows that are held out are predicted no better.
// Pairs are found by FAST on what single features leave over and boosted thereafter; single features are then boosted
// anew. All of it is done on several bags of rows, and averaged; how far the bags differ makes the bands. In the end
// components are made pure: over the training rows each has mean 0, and a pair says nothing about either of its
// features alone. Squared error for numbers, log-loss for classes (softmax for more than two), Poisson deviance for
// counts on request. Within one round losses are parabolas (their second-order expansion), so that a pass over the rows
// adds the last piece and sums up gradients for the next at once.
//
// Y. Lou, R. Caruana, J. Gehrke, Intelligible models for classification and regression, 2012; with G. Hooker, Accurate
// intelligible models with pairwise interactions, 2013; B. Lengerich et al., Purifying interaction effects with the
// functional ANOVA, 2020. Cost: bags × rounds × features passes over the rows; the search for pairs is one pass per
// pair.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/learn/learner.h"

namespace sightglass {

struct GamOptions {
  std::int64_t pairs = 10;
  std::vector<std::string> named_pairs;
  std::string loss = "auto";
  std::vector<std::string> monotone;
  std::int64_t bags = 8;
  std::int64_t rounds = 2000;
  std::int64_t smoothing_rounds = 200;
  double learning_rate = 0.1;
  std::optional<std::int64_t> leaves;
  std::optional<std::int64_t> min_leaf_rows;
  double validation = 0.15;
  std::int64_t early_stopping = 50;
  std::int64_t bins = 256;
  std::int64_t pair_bins = 32;
  std::int64_t seed = 0;

  static void fields(auto&& field) {
    using Self = GamOptions;
    field("pairs", &Self::pairs,
          {.help = "how many pairs of features may have a term of their own: those that say most together; 0 = none",
           .type = OptionType::count,
           .range = between(0, 10000),
           .aliases = {"interactions"}});
    field("named_pairs", &Self::named_pairs,
          {.help = "pairs to have a term, instead of those that are found", .type = OptionType::pairs});
    field(
        "loss", &Self::loss,
        {.help = "what is lowered: squared error, or poisson deviance of counts; auto: squared of numbers, log-loss of "
                 "classes",
         .choices = {"auto", "squared", "poisson", "log-loss"},
         .aliases = {"objective"}});
    field("monotone", &Self::monotone,
          {.help = "numeric features with which the prediction only rises or falls: temp=increasing, wind=decreasing; "
                   "they are in no pair",
           .aliases = {"monotonic_cst", "monotone_constraints"}});
    field("bags", &Self::bags,
          {.help = "fits with other rows held out, which are averaged; their differences are the bands; 1 = no bands",
           .type = OptionType::count,
           .range = between(1, 1000),
           .aliases = {"outer_bags"}});
    field("rounds", &Self::rounds,
          {.help = "the most rounds of boosting, for single features and then for pairs",
           .type = OptionType::count,
           .range = between(1, 1000000),
           .aliases = {"max_rounds"}});
    field("smoothing_rounds", &Self::smoothing_rounds,
          {.help = "rounds before those with the best cuts, in which cuts are drawn at random; more is smoother",
           .type = OptionType::count,
           .range = at_least(0)});
    field("learning_rate", &Self::learning_rate,
          {.help = "share of each step that is taken; smaller is smoother and slower",
           .range = {.least = 0, .most = 1, .above = true, .unit = {}}});
    field(
        "leaves", &Self::leaves,
        {.help =
             "leaves of a piece along one feature; not given: 2, which is smoother, or 3 from 10,000 rows on, which is "
             "faster",
         .type = OptionType::count,
         .range = between(2, 256),
         .aliases = {"max_leaves"}});
    field("min_leaf_rows", &Self::min_leaf_rows,
          {.help = "the fewest rows of a leaf, each by its weight, which is 1 on average; not given: 10, or a tenth of "
                   "fewer than "
                   "100 rows, at least 3",
           .type = OptionType::count,
           .range = at_least(1),
           .aliases = {"min_samples_leaf"}});
    field("validation", &Self::validation,
          {.help = "share of the rows of each bag that is held out and decides when to stop; 0 = none: all rounds are "
                   "done, once",
           .type = OptionType::share,
           .range = between(0, 0.9),
           .aliases = {"validation_size"}});
    field("early_stopping", &Self::early_stopping,
          {.help = "stop after so many rounds without a lower loss of held-out rows",
           .type = OptionType::count,
           .range = at_least(1),
           .aliases = {"early_stopping_rounds"}});
    field("bins", &Self::bins,
          {.help = "the most bins of a feature, one of them for missing values",
           .type = OptionType::count,
           .range = between(3, 256),
           .aliases = {"max_bins"}});
    field("pair_bins", &Self::pair_bins,
          {.help = "the most bins of a feature in a pair, one of them for missing values",
           .type = OptionType::count,
           .range = between(3, 256),
           .aliases = {"max_interaction_bins"}});
    field("seed", &Self::seed, {.help = "of the rows that bags hold out", .type = OptionType::seed});
  }
};

[[nodiscard]] LearnerEntry gam();

}  // namespace sightglass
