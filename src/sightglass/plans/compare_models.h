// How do two models differ, and where? Both on the same rows: what they need (permutation importance), what features do
// in both (ALE on the same axes), how far their predictions d_i = b(x_i) - a(x_i) are apart, of classes
// 1/2 Σ_k |b_k(x_i) - a_k(x_i)|, in which rows and regions most, and who is right there. Cost: that of its methods for
// both models, and two predictions of each row.
#pragma once

#include <string>
#include <vector>

#include "sightglass/methods/run/method.h"
#include "sightglass/model/model_option.h"

namespace sightglass {

struct CompareModelsOptions {
  ModelOption other_model;
  std::vector<std::string> names;
  std::vector<std::string> features;
  std::int64_t top = 6;
  std::int64_t bins = 40;
  std::int64_t repeats = 5;
  std::int64_t examples = 10;
  std::int64_t max_depth = 3;
  std::int64_t min_leaf_rows = 0;

  static void fields(auto&& field) {
    using Self = CompareModelsOptions;
    field("other_model", &Self::other_model, {.help = "the second model"});
    field("names", &Self::names,
          {.help = "what the two are called, the first one first; default: by their files",
           .type = OptionType::model_names});
    field("features", &Self::features,
          {.help = "features whose effects are compared; default: the most important ones of both",
           .type = OptionType::features});
    field("top", &Self::top,
          {.help = "how many of the most important features of each model have their effects compared",
           .type = OptionType::count,
           .range = between(0, 1000)});
    field("bins", &Self::bins, {.help = "bins of numeric features for ALE, at the most", .type = OptionType::count});
    field("repeats", &Self::repeats,
          {.help = "times that each feature is shuffled for its importance",
           .type = OptionType::count,
           .aliases = {"n_repeats"}});
    field("examples", &Self::examples,
          {.help = "how many of the rows are shown in which they disagree most",
           .type = OptionType::count,
           .range = between(0, 100)});
    field("max_depth", &Self::max_depth,
          {.help = "the most conditions of a region in which they disagree", .range = between(1, 10)});
    field("min_leaf_rows", &Self::min_leaf_rows,
          {.help = "the fewest rows of such a region; 0 = one in thirty, and at least 20",
           .type = OptionType::count,
           .range = at_least(0),
           .aliases = {"min_samples_leaf"}});
  }
};

[[nodiscard]] MethodEntry compare_models();

}  // namespace sightglass
