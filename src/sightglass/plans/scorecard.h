// How good are the explanations of these rows? The qualities of Robnik-Šikonja & Bohanec 2018 (Perturbation-based
// explanations of prediction models), as numbers: fidelity near and far, accuracy, stability over similar rows,
// consistency between two models, size, certainty, importance, novelty of the rows, rows covered; one column for each
// method. docs/scorecard.md has the formulas. Cost: the methods', for each row and its nearest ones, and for Shapley
// values (features + 32) × 256 predictions per row.
#pragma once

#include <optional>

#include "sightglass/methods/run/method.h"
#include "sightglass/model/model_option.h"

namespace sightglass {

struct ScorecardOptions {
  std::vector<std::int64_t> rows;
  std::vector<std::string> of;
  std::int64_t neighbors = 10;
  ModelOption other_model;
  std::string want;
  std::optional<double> at_least;
  std::optional<double> at_most;
  std::optional<double> change;

  static void fields(auto&& field) {
    field("rows", &ScorecardOptions::rows,
          {.help = "the rows whose explanations are judged, counted from 0", .type = OptionType::rows});
    field("of", &ScorecardOptions::of,
          {"explanations to judge; default: all that this model and these data allow",
           {"lime", "shap", "anchors", "counterfactuals"}});
    field("neighbors", &ScorecardOptions::neighbors,
          {.help = "most similar rows whose explanations are compared with that of a row",
           .type = OptionType::count,
           .range = between(1, 100)});
    field("other_model", &ScorecardOptions::other_model,
          {.help = "a second model: how alike are the explanations of both, and their predictions?"});
    field("want", &ScorecardOptions::want,
          {.help = "of counterfactuals: the class for which the smallest change is looked for"});
    field("at_least", &ScorecardOptions::at_least,
          {.help = "of counterfactuals: the smallest change with which the prediction is this or more"});
    field("at_most", &ScorecardOptions::at_most,
          {.help = "of counterfactuals: the smallest change with which the prediction is this or less"});
    field("change", &ScorecardOptions::change,
          {.help = "of counterfactuals: the smallest change with which the prediction rises by this or more; below 0: "
                   "falls"});
  }
};

[[nodiscard]] MethodEntry scorecard();

}  // namespace sightglass
