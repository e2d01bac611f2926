// What does each feature add to the prediction of a single row, compared with the average prediction?
//   φ_j = Σ_{S ∌ j} |S|! (p − |S| − 1)! / p! · [v(S ∪ j) − v(S)],   v(S) = mean over background rows b of f(x_S, b_−S)
// Base + Σ φ_j = f(x), base = mean f over the background. Pairs: the Shapley interaction index, halved off the
// diagonal, so that a row of the matrix adds up to φ_j. Shapley (1953); Štrumbelj & Kononenko (2010); Lundberg & Lee
// (2017), A unified approach to interpreting model predictions. Trees: read off counts of rows at their leaves, exactly
// and against all rows, on the scale on which trees add up. Cost per row of other models: 2^p × background rows
// predictions, or, from random orders, 2 (p − 1) × background rows for each round of them.
#pragma once

#include "sightglass/methods/local/shapley/coalitions.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

struct ShapOptions {
  std::vector<std::int64_t> rows;
  std::int64_t explain = 1000;
  std::string background = "rows";
  std::int64_t background_rows = 100;
  bool interactions = false;
  std::vector<std::string> groups;
  std::string estimator = "auto";
  double precision = 0.02;
  std::int64_t permutations = 20;
  // Model rows: as for partial dependence functions (pd_rows.h), and twice that, because a picture of many rows needs
  // them.
  std::int64_t predictions = 10'000'000;

  static void fields(auto&& field) {
    field("rows", &ShapOptions::rows, {.help = "only these rows, counted from 0", .type = OptionType::rows});
    field("explain", &ShapOptions::explain,
          {.help = "rows to write out where none are named, drawn at random; 0 = all. Trees explain all rows for the "
                   "ranking, other models only these, fewer if {option:predictions|predictions} do not suffice",
           .type = OptionType::row_count});
    field("background", &ShapOptions::background,
          {"what a feature that is not known yet takes its value from: other rows, or the cover of a tree's branches",
           {"rows", "cover"}});
    field("background_rows", &ShapOptions::background_rows,
          {.help = "rows to compare with, drawn at random; 0 = all. Trees are compared with all rows",
           .type = OptionType::row_count});
    field("interactions", &ShapOptions::interactions, {"what pairs of features add together, besides"});
    field(
        "groups", &ShapOptions::groups,
        {.help = "features whose value is known together or not at all, each group as name=a,b; a group has one value; "
                 "features in no group stay single. The model is then asked, also where it is made of trees",
         .type = OptionType::groups});
    field("estimator", &ShapOptions::estimator,
          {"every coalition of features (at most 15 features or groups), or random orders of them; auto: every "
           "coalition if "
           "{option:predictions|predictions} suffice",
           {"auto", "exact", "sampling"}});
    field("precision", &ShapOptions::precision,
          {.help = "of sampling: stop when standard errors are below this share of the row's largest value",
           .type = OptionType::share});
    field("permutations", &ShapOptions::permutations,
          {.help = "of sampling: random orders per background row, each with its reverse, at the most",
           .type = OptionType::count,
           .range = at_least(static_cast<double>(fewest_rounds))});
    field("predictions", &ShapOptions::predictions,
          {.help = "predictions to ask for where rows are not named; 0 = no limit",
           .type = OptionType::predictions,
           .aliases = {"budget"}});
  }
};

[[nodiscard]] MethodEntry shap();

}  // namespace sightglass
