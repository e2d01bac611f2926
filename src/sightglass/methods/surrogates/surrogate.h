// Global surrogates. Question: which simple model says nearly the same as this one, and where does it not?
// A learner g (a tree, a sparse linear model, rules, an additive model) is fitted to the predictions f(x) of the model
// on the rows of the data, never to the outcome. How far it can stand for the model is its fidelity,
//   R² = 1 − Σ w (f(x) − g(x))² / Σ w (f(x) − mean f)²,
// on the rows that it was fitted to, on rows held out, and region by region, because one figure can hide a region where
// it fails. The rows can also be made of a grid of feature values: fidelity is then told on these and on the data. With
// a target the performance of both on it stands beside. Craven & Shavlik, Extracting tree-structured representations of
// trained networks, NIPS 1995; Molnar, Interpretable Machine Learning, ch. Global surrogate. Cost: one prediction per
// row used or made; then that of the learners.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct SurrogateOptions {
  std::vector<std::string> learner;
  std::vector<std::string> features;
  std::int64_t size = 0;
  double held_out = 0.25;
  std::int64_t regions = 4;
  std::int64_t refits = 20;
  bool frontier = true;
  std::optional<std::int64_t> near = std::nullopt;
  double width = 0.75;
  bool votes = false;
  std::int64_t proof = 64;
  std::int64_t fit_rows = 20000;
  std::string rows_from = "data";
  std::int64_t grid = 10;
  std::int64_t far_rows = 1000;
  double alternatives = 0.01;

  static void fields(auto&& field) {
    field(
        "learner", &SurrogateOptions::learner,
        {.help = "which surrogates to fit: linear, tree, optimal-tree, rules (at most 10 of them), rulefit (rules and "
                 "linear terms), gam; default: all but rulefit",
         .choices = {"linear", "tree", "optimal-tree", "rules", "rulefit", "gam"},
         .aliases = {"kind"}});
    field("features", &SurrogateOptions::features,
          {.help = "features that surrogates may use; default: all that the model uses", .type = OptionType::features});
    field("size", &SurrogateOptions::size,
          {.help = "leaves, rules or terms at most; 0 = 8 leaves or terms, 10 rules", .type = OptionType::count});
    field("held_out", &SurrogateOptions::held_out,
          {.help = "share of the rows on which fidelity is measured and nothing is fitted", .type = OptionType::share});
    field("regions", &SurrogateOptions::regions,
          {.help = "parts into which each feature is cut to look for regions where a surrogate fails; 0 = none",
           .type = OptionType::count});
    field("refits", &SurrogateOptions::refits,
          {.help = "refits on resampled rows: how often each split, rule or term comes back; 0 = none",
           .type = OptionType::count});
    field("frontier", &SurrogateOptions::frontier, {.help = "fidelity against size, for several sizes of each kind"});
    field("near", &SurrogateOptions::near,
          {.help = "row whose surroundings are to be explained: rows count by how near they are to it",
           .range = at_least(0)});
    field(
        "width", &SurrogateOptions::width,
        {.help = "with {option:near}: how far rows count, in standard deviations of each feature", .range = above(0)});
    field(
        "votes", &SurrogateOptions::votes,
        {.help = "of a model with classes: learn the class that it predicts, all classes by one surrogate, instead of "
                 "the probability of each"});
    field("proof", &SurrogateOptions::proof,
          {.help = "of a tree ensemble: boxes of inputs to look at for a proof of how far a surrogate tree can be off "
                   "in each "
                   "of its leaves; 0 = none",
           .type = OptionType::count});
    field("fit_rows", &SurrogateOptions::fit_rows,
          {.help = "rows to fit to, drawn at random; 0 = all", .type = OptionType::row_count});
    field("rows_from", &SurrogateOptions::rows_from,
          {.help = "what to fit to: rows of the data, or rows made of a grid of values of {option:features}, whatever "
                   "their combination",
           .choices = {"data", "grid"}});
    field("grid", &SurrogateOptions::grid,
          {.help = "values of each number for rows that are made of them, at the most",
           .type = OptionType::count,
           .range = between(2, 1000, "values")});
    field("far_rows", &SurrogateOptions::far_rows,
          {.help = "with rows from the data: rows made of all values, to see how surrogates do off the data; 0 = none",
           .type = OptionType::count});
    field(
        "alternatives", &SurrogateOptions::alternatives,
        {.help = "list other trees whose fidelity is lower by no more than this; 0 = none", .type = OptionType::share});
  }
};

[[nodiscard]] MethodEntry surrogate();

}  // namespace sightglass
