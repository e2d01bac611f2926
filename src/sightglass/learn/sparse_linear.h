// Which few features does the outcome depend on, and by how much per unit of each?
//
//   minimise  (1 / 2n) ‖y − a − Xβ‖² + λ (α ‖β‖₁ + ½ (1 − α) ‖β‖²)
//
// or, in the place of the squares, half the mean deviance of classes (logistic, softmax), counts (Poisson) and positive
// amounts (Gamma; both by the log link). Numbers are standardised for it and given back in their own units; a level of
// a categorical feature is 1 where it is there (or all levels of a feature are one term, which is in the model or not);
// a missing number is taken for the mean, and has an indicator of its own. λ is chosen by cross-validation, or by how
// many terms there shall be, or given; λ = 0 is the plain model with standard errors.
//
// Tibshirani 1996, Regression shrinkage and selection via the lasso; Zou and Hastie 2005 (elastic net); Yuan and Lin
// 2006 (groups); Friedman, Hastie and Tibshirani 2010 (the path). Cost: rows × terms² / 2 once, and a path on these
// products, for numbers; for other outcomes as much for some penalties of the path, and rows × terms for all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sightglass/base/options.h"
#include "sightglass/learn/learner.h"

namespace sightglass {

struct SparseLinearOptions {
  std::string family = "auto";
  double l1_ratio = 1;
  std::optional<double> penalty;
  std::optional<std::int64_t> terms;
  std::string choose = "one-se";
  std::int64_t folds = 10;
  std::int64_t path_length = 100;
  double path_ratio = 1e-3;
  std::string categories = "one-hot";
  std::string missing = "indicator";
  bool standardize = true;
  std::int64_t seed = 0;

  static void fields(auto&& field) {
    using Options = SparseLinearOptions;
    field("family", &Options::family,
          {.help = "distribution of the outcome; auto: gaussian for numbers, binomial or multinomial for classes",
           .choices = {"auto", "gaussian", "binomial", "multinomial", "poisson", "gamma"}});
    field("l1_ratio", &Options::l1_ratio,
          {.help = "1: lasso, which sets terms to 0; 0: ridge, which shrinks all; between: elastic net",
           .type = OptionType::share});
    field("penalty", &Options::penalty,
          {.help = "a fixed penalty λ; 0: the plain model, with standard errors; default: chosen by cross-validation",
           .range = at_least(0),
           .aliases = {"lambda", "alpha"}});
    field("terms", &Options::terms,
          {.help = "exactly so many terms, without a penalty on them; default: as many as the penalty leaves",
           .type = OptionType::count,
           .range = at_least(0, "terms")});
    field("choose", &Options::choose,
          {.help = "penalty of the smallest cross-validated loss, or the largest one whose loss is within one standard "
                   "error of it",
           .choices = {"min", "one-se"}});
    field("folds", &Options::folds,
          {.help = "parts of the rows for cross-validation",
           .type = OptionType::count,
           .range = between(2, 100, "folds")});
    field("path_length", &Options::path_length,
          {.help = "penalties to try", .type = OptionType::count, .range = between(2, 10'000, "penalties")});
    field("path_ratio", &Options::path_ratio,
          {.help = "smallest penalty, as a share of the one that leaves no term", .range = between(1e-10, 0.99)});
    field("categories", &Options::categories,
          {.help = "one-hot: each level is a term; grouped: all levels of a feature are one term",
           .choices = {"one-hot", "grouped"}});
    field("missing", &Options::missing,
          {.help = "indicator: a missing number is taken for the mean and has a term of its own; refuse: an error",
           .choices = {"indicator", "refuse"}});
    field("standardize", &Options::standardize, {.help = "penalise terms by their standard deviation, not by unit"});
    field("seed", &Options::seed, {.help = "of the division into folds", .type = OptionType::seed});
  }
};

[[nodiscard]] LearnerEntry sparse_linear();

}  // namespace sightglass
