// Which words of a text speak for a prediction, and which against it?
//   min over b, β of Σ_i w_i (f(x_i) − b − Σ_j z_ij β_j)² + α Σ β_j²,   w = √exp(−D²/σ²),   D = 1 − √(kept words /
//   words)
// Each sample x_i is the text with some of its distinct words left out (z_ij = 0), everywhere where they stand; how
// many is uniform, then which. K words, by forward selection or largest weights. Ribeiro, Singh & Guestrin (2016), "Why
// should I trust you?"; limits of infinitely many samples: Mardaoui & Garreau (2021), arXiv:2010.12487. Texts of few
// words are explained by all samples there are. Cost: `samples` predictions per text, fewer where samples are the same.
#pragma once

#include <optional>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct LimeTextOptions {
  std::string text_column;
  std::vector<std::int64_t> rows;
  std::optional<std::int64_t> explain = std::nullopt;
  std::int64_t terms = 10;
  std::int64_t samples = 5000;
  double width = 0.25;
  std::string select = "auto";
  double penalty = 1;
  std::string mask;
  bool places = false;
  std::int64_t most_words = 500;
  std::int64_t pick = 0;

  static void fields(auto&& field) {
    field(
        "text_column", &LimeTextOptions::text_column,
        {.help = "column with the texts; may be left out where only one column has text", .type = OptionType::column});
    field("rows", &LimeTextOptions::rows, {.help = "only these rows, counted from 0", .type = OptionType::rows});
    field("explain", &LimeTextOptions::explain,
          {.help = "rows to explain where none are named, drawn at random; 0 = all; default: 3, with {option:pick} 100",
           .type = OptionType::row_count});
    field("terms", &LimeTextOptions::terms,
          {.help = "words of an explanation at the most; 0 = all",
           .type = OptionType::count,
           .range = between(0, 1000),
           .aliases = {"num_features"}});
    field("samples", &LimeTextOptions::samples,
          {.help = "texts with words left out that the model is asked about (the whole text is the first of them)",
           .type = OptionType::count,
           .range = between(10, 1'000'000),
           .aliases = {"num_samples"}});
    field(
        "width", &LimeTextOptions::width,
        {.help = "σ of the kernel, in distances from 0 (all words are there) to 1 (none); the package lime calls 0.25 "
                 "25",
         .range = above(0)});
    field("select", &LimeTextOptions::select,
          {"how the words of an explanation are chosen; auto: forward up to 6 {option:terms|terms}, else by weight",
           {"auto", "forward", "weights"}});
    field("penalty", &LimeTextOptions::penalty, {.help = "α of the weighted ridge regression", .range = at_least(0)});
    field("mask", &LimeTextOptions::mask, {"what stands where a word is left out; default: nothing"});
    field("places", &LimeTextOptions::places,
          {"explain each place where a word stands for itself, not all places together"});
    field("most_words", &LimeTextOptions::most_words,
          {.help = "different words (or places) of a text that are explained, from its beginning; those beyond stay in "
                   "every sample",
           .type = OptionType::count,
           .range = between(1, 5000)});
    field("pick", &LimeTextOptions::pick,
          {.help = "show so many texts only, chosen so that the words of their explanations cover as much as possible",
           .type = OptionType::count,
           .range = between(0, 1000)});
  }
};

[[nodiscard]] MethodEntry lime_text();

}  // namespace sightglass
