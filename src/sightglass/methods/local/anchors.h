// Which few conditions of a row settle what the model says of it, whatever else the row is like?
//   max coverage(A) over rules A that hold for x,   P(f(z) = f(x) | A(z)) >= τ
// over the data's own rows that meet the rule and over perturbed rows with the rule held, each with an interval. For
// numbers "=" is "within 0.1 standard deviations of f". Ribeiro, Singh & Guestrin, Anchors: high-precision
// model-agnostic explanations, AAAI 2018. Search: all rules of at most five conditions over the data's rows
// (anchoring/row_search.h), which proves that none covers more, or KL-LUCB with a beam (anchoring/beam_search.h) where
// there are few rows. Rules that hold for certain, of tree ensembles: anchoring/certain_rule.h. Cost: one prediction
// per row of the data, 65,536 perturbed rows once for all rows that are explained, and 2,000 for each rule that is
// checked, or all that there are where a tree ensemble tells few apart: then that precision is exact.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct AnchorsOptions {
  std::vector<std::int64_t> rows;
  std::int64_t explain = 10;
  double precision = 0.95;
  double delta = 0.05;
  double epsilon = 0.1;
  std::string search = "auto";
  std::int64_t max_conditions = 5;
  std::int64_t bins = 4;
  std::string borders = "quantiles";
  std::string outcome = "auto";
  double tolerance = 0.1;
  std::int64_t min_rows = 10;
  std::int64_t beam = 4;
  std::int64_t perturbed_rows = 65'536;
  std::int64_t exact_rows = 65'536;
  std::int64_t use_rows = 1'000'000;
  std::int64_t max_rules = 5'000'000;
  bool certain = false;
  std::int64_t boxes = 5000;

  static void fields(auto&& field) {
    field("rows", &AnchorsOptions::rows, {.help = "only these rows, counted from 0", .type = OptionType::rows});
    field("explain", &AnchorsOptions::explain,
          {.help = "rows to explain where none are named, drawn at random; 0 = all", .type = OptionType::row_count});
    field("precision", &AnchorsOptions::precision,
          {.help = "share of rows under a rule that are to have the outcome of the row",
           .type = OptionType::share,
           .aliases = {"threshold"}});
    field("delta", &AnchorsOptions::delta,
          {.help = "how often a bound may be wrong", .type = OptionType::share, .range = between(1e-6, 0.5)});
    field("epsilon", &AnchorsOptions::epsilon,
          {.help = "how far below {option:precision|the precision} its lower bound may be; of sampling: difference in "
                   "precision that does not matter while rules are compared",
           .type = OptionType::share,
           .range = between(0.001, 0.5)});
    field(
        "search", &AnchorsOptions::search,
        {"rows: all rules over the rows of the data; sampling: KL-LUCB with a beam over perturbed rows; auto: rows if "
         "there are 200 of them",
         {"auto", "rows", "sampling"}});
    field("max_conditions", &AnchorsOptions::max_conditions,
          {.help = "conditions of a rule, at the most", .type = OptionType::count, .range = between(0, 8)});
    field("bins", &AnchorsOptions::bins,
          {.help = "parts of about equally many rows that a number is divided into",
           .type = OptionType::count,
           .range = between(2, 32)});
    field("borders", &AnchorsOptions::borders,
          {"where parts of a number end: at quantiles, or at those split points of the model that are nearest to these",
           {"quantiles", "splits"}});
    field("outcome", &AnchorsOptions::outcome,
          {"what is to stay the same: class, the most probable one (of a class that is named, whether it is that); "
           "label, whether an output is above one half, one output at a time; labels, the set of outputs above one "
           "half; number, each output within {option:tolerance|the tolerance}; auto: by what the model predicts",
           {"auto", "class", "label", "labels", "number"}});
    field("tolerance", &AnchorsOptions::tolerance,
          {.help = "of numbers: how far predictions may be apart, in standard deviations of the predictions",
           .range = at_least(0)});
    field("min_rows", &AnchorsOptions::min_rows,
          {.help = "rows of the data that a rule must hold for, at least",
           .type = OptionType::count,
           .range = at_least(1)});
    field("beam", &AnchorsOptions::beam,
          {.help = "of sampling: rules that are made longer at a time",
           .type = OptionType::count,
           .range = between(1, 64),
           .aliases = {"beam_size"}});
    field("perturbed_rows", &AnchorsOptions::perturbed_rows,
          {.help = "rows to make up for all rules together, fewer if there are hundreds of features",
           .type = OptionType::count,
           .range = between(1000, 10'000'000)});
    field("exact_rows", &AnchorsOptions::exact_rows,
          {.help =
               "rules are checked on all perturbed rows that differ for the model, instead of on 2,000 that are drawn, "
               "where these are no more than so many (2,000 if the model is no tree ensemble)",
           .type = OptionType::count,
           .range = between(0, 1'000'000)});
    field("use_rows", &AnchorsOptions::use_rows,
          {.help =
               "rows of the data to search and to count, drawn at random, fewer if there are hundreds of features; 0 = "
               "as many as fit",
           .type = OptionType::row_count});
    field("max_rules", &AnchorsOptions::max_rules,
          {.help = "rules to look at for a row, at the most", .type = OptionType::count, .range = at_least(1)});
    field(
        "certain", &AnchorsOptions::certain,
        {"besides, of tree ensembles: the smallest set of features whose values settle the outcome for every possible "
         "input, proven"});
    field("boxes", &AnchorsOptions::boxes,
          {.help = "of {option:certain|certain rules}: sets of inputs to look at for each question, at the most, and "
                   "for each "
                   "feature while smaller rules are searched",
           .type = OptionType::count,
           .range = at_least(1)});
  }
};

[[nodiscard]] MethodEntry anchors();

}  // namespace sightglass
