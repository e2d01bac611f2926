// Which few words of a text settle what the model says of it, whatever other words are left out?
//   max coverage(A) over sets of words A of x,   P(f(z) = f(x) | A ⊂ z) >= τ
// where z is the text with each other word left out with probability one half. The shorter the rule the more texts z it
// covers; of equally short ones the most precise. Search by KL-LUCB with a beam (anchoring/beam_search.h); a rule that
// was found is checked on 2,000 texts that had no part in finding it. Beside it stands how many texts of the data have
// all its words, and how often the model says the same of these. Ribeiro, Singh & Guestrin, Anchors, AAAI 2018; limits:
// Lopardo, Precioso & Garreau 2023, arXiv:2205.13789. Cost: `samples` predictions per text, 2,000 for each rule that is
// checked, and what the search wants besides.
#pragma once

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct AnchorsTextOptions {
  std::string text_column;
  std::vector<std::int64_t> rows;
  std::int64_t explain = 3;
  double precision = 0.95;
  double delta = 0.05;
  double epsilon = 0.1;
  std::int64_t max_words = 5;
  std::string outcome = "auto";
  double tolerance = 0.1;
  std::int64_t beam = 4;
  std::int64_t samples = 4000;
  std::string mask;
  std::int64_t most_words = 500;
  std::int64_t use_rows = 20'000;

  static void fields(auto&& field) {
    field(
        "text_column", &AnchorsTextOptions::text_column,
        {.help = "column with the texts; may be left out where only one column has text", .type = OptionType::column});
    field("rows", &AnchorsTextOptions::rows, {.help = "only these rows, counted from 0", .type = OptionType::rows});
    field("explain", &AnchorsTextOptions::explain,
          {.help = "rows to explain where none are named, drawn at random; 0 = all", .type = OptionType::row_count});
    field("precision", &AnchorsTextOptions::precision,
          {.help = "share of texts with the words of a rule that are to have the outcome of the row",
           .type = OptionType::share,
           .aliases = {"threshold"}});
    field("delta", &AnchorsTextOptions::delta,
          {.help = "how often a bound may be wrong", .type = OptionType::share, .range = between(1e-6, 0.5)});
    field("epsilon", &AnchorsTextOptions::epsilon,
          {.help = "how far below {option:precision|the precision} its lower bound may be, and difference in precision "
                   "that does not matter while rules are compared",
           .type = OptionType::share,
           .range = between(0.001, 0.5)});
    field("max_words", &AnchorsTextOptions::max_words,
          {.help = "words of a rule, at the most", .type = OptionType::count, .range = between(0, 8)});
    field(
        "outcome", &AnchorsTextOptions::outcome,
        {"what is to stay the same: class, the most probable one; label, whether an output is above one half; labels, "
         "the set of outputs above one half; number, each output within {option:tolerance|the tolerance}; auto: by "
         "what the model predicts",
         {"auto", "class", "label", "labels", "number"}});
    field("tolerance", &AnchorsTextOptions::tolerance,
          {.help = "of numbers: how far predictions may be apart, in standard deviations of the predictions",
           .range = at_least(0)});
    field("beam", &AnchorsTextOptions::beam,
          {.help = "rules that are made longer at a time",
           .type = OptionType::count,
           .range = between(1, 64),
           .aliases = {"beam_size"}});
    field("samples", &AnchorsTextOptions::samples,
          {.help = "texts with words left out that all rules of a text are compared by",
           .type = OptionType::count,
           .range = between(100, 1'000'000)});
    field("mask", &AnchorsTextOptions::mask, {"what stands where a word is left out; default: nothing"});
    field("most_words", &AnchorsTextOptions::most_words,
          {.help = "different words of a text that a rule can name, from its beginning; those beyond stay in every "
                   "sample",
           .type = OptionType::count,
           .range = between(1, 5000)});
    field("use_rows", &AnchorsTextOptions::use_rows,
          {.help = "texts of the data to count, drawn at random; 0 = all", .type = OptionType::row_count});
  }
};

[[nodiscard]] MethodEntry anchors_text();

}  // namespace sightglass
