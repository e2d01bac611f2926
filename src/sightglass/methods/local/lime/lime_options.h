// What LIME is told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/base/options.h"

namespace sightglass {

struct LimeOptions {
  std::vector<std::int64_t> rows;
  std::optional<std::int64_t> explain = std::nullopt;
  std::int64_t terms = 10;
  std::string estimator = "auto";
  std::int64_t samples = 5000;
  std::int64_t repeats = 5;
  std::string bins = "quartiles";
  std::string draw = "data";
  std::string around = "data";
  std::optional<double> width = std::nullopt;
  std::string kernel = "root";
  std::string select = "auto";
  double penalty = 1;
  std::int64_t pick = 0;
  std::vector<std::string> noisy;
  std::int64_t near_rows = 50;
  std::int64_t use_rows = 10000;

  static void fields(auto&& field) {
    field("rows", &LimeOptions::rows, {.help = "only these rows, counted from 0", .type = OptionType::rows});
    field("explain", &LimeOptions::explain,
          {.help = "rows to explain where none are named, drawn at random; 0 = all; default: 3, with {option:pick} or "
                   "{option:noisy} 500",
           .type = OptionType::row_count});
    field("terms", &LimeOptions::terms,
          {.help = "features of an explanation at the most; 0 = all",
           .type = OptionType::count,
           .range = between(0, 1000),
           .aliases = {"num_features"}});
    field(
        "estimator", &LimeOptions::estimator,
        {"exact: what infinitely many samples would give, from the leaves of a tree ensemble or the terms of a linear "
         "model; controlled: samples whose chance errors are taken off by the exact line of the margin, behind a "
         "link; auto: the first of these that can be had",
         {"auto", "exact", "controlled", "sampling"}});
    field("samples", &LimeOptions::samples,
          {.help = "rows made up around the explained one (it is the first of them); exact lines are only measured on "
                   "them, on 1000 at the most",
           .type = OptionType::count,
           .range = between(10, 1'000'000),
           .aliases = {"num_samples"}});
    field("repeats", &LimeOptions::repeats,
          {.help = "of sampling: how often an explanation is found, each time from other samples, to see whether it is "
                   "stable",
           .type = OptionType::count,
           .range = between(1, 100)});
    field("bins", &LimeOptions::bins,
          {"what a term of a number says: in which quarter (or tenth) of the data it lies, or by how many standard "
           "deviations it is above the mean",
           {"quartiles", "deciles", "none"}});
    field("draw", &LimeOptions::draw,
          {"values within a bin: those of the data, or a normal distribution that is cut off at the bin's ends, as the "
           "package lime has it",
           {"data", "normal"}});
    field("around", &LimeOptions::around,
          {"without {option:bins|bins}: where numbers are drawn around, the mean of the data or the row",
           {"data", "row"}});
    field("width", &LimeOptions::width,
          {.help = "σ of the kernel, in features that differ; default: 0.75 √p",
           .range = above(0),
           .aliases = {"kernel_width"}});
    field("kernel", &LimeOptions::kernel,
          {"a sample's weight at distance D: √exp(−D²/σ²), as the package lime has it, or without the root",
           {"root", "plain"}});
    field("select", &LimeOptions::select,
          {"how the features of an explanation are chosen; auto: forward up to 6 {option:terms|terms}, else by weight",
           {"auto", "forward", "weights", "lasso-path"}});
    field("penalty", &LimeOptions::penalty,
          {.help = "of sampling: α of the weighted ridge regression", .range = at_least(0)});
    field("pick", &LimeOptions::pick,
          {.help = "show so many rows only, chosen so that their explanations cover as much as possible",
           .type = OptionType::count,
           .range = between(0, 1000)});
    field("noisy", &LimeOptions::noisy,
          {.help = "features that were made of random numbers: counts the predictions whose explanation names another "
                   "class without them",
           .type = OptionType::features});
    field("near_rows", &LimeOptions::near_rows,
          {.help = "rows of the data nearest to the explained one on which its line is measured, too",
           .type = OptionType::row_count,
           .range = between(0, 10000)});
    field("use_rows", &LimeOptions::use_rows,
          {.help = "rows that bins, frequencies and neighbours are taken from, drawn at random; 0 = all",
           .type = OptionType::row_count});
  }
};

}  // namespace sightglass
