// What every method is told, whatever its own options.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sightglass/base/options.h"
#include "sightglass/base/value.h"

namespace sightglass {

// Those that explain the margin unless told otherwise, in words: "interactions, decomposition and shap".
[[nodiscard]] std::string margin_methods();

struct NewRows;

struct RunOptions {
  std::string target;       // the data's column with the truth; never a feature of an opaque model
  std::string output;       // the class or output to explain; empty = all
  std::string scale;        // "response", "margin", or empty = chosen
  std::string engine;       // "blackbox", "trees", or empty = chosen
  std::string where;        // the rows to use, see data/condition.h; empty = all
  std::int64_t sample = 0;  // rows to use; 0 = all
  std::int64_t seed = 0;
  std::int64_t batch = 4096;  // rows in a block: fixes how a model's calls are cut
  // When to caution, see methods/caveats.
  double correlation_threshold = 0.6;
  double extrapolation_threshold = 0.1;
  std::int64_t sparse_rows = 10;
  double sparse_share = 0.005;
  double heterogeneity_threshold = 0.25;
  double skill_threshold = 0.1;
  std::int64_t caveat_rows = 20000;
  std::int64_t skill_rows = 2000;
  bool training_data = false;
  // Rows of another table that may be named beside those of the data, see data/new_rows.h; null: there are none.
  std::shared_ptr<const NewRows> new_rows;

  static void fields(auto&& field) {
    field("target", &RunOptions::target,
          {.help = "column of the data with the true outcome", .type = OptionType::column});
    field("output", &RunOptions::output,
          // A class is what most people want to name; other outputs have names too.
          {.help = "class or output to explain; default: all", .type = OptionType::output, .flag = "class"});
    field("scale", &RunOptions::scale,
          {"scale of the predictions; default: response, but for " + margin_methods() +
               " margin (before the link) where the model has one",
           {"", "response", "margin"}});
    field("engine", &RunOptions::engine,
          {"blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the model has "
           "them",
           {"", "blackbox", "trees"}});
    field("where", &RunOptions::where,
          {.help = "condition on the rows to use, for example: temp > 20 and season = winter; default: all rows",
           .type = OptionType::condition});
    field("sample", &RunOptions::sample,
          {.help = "rows to use, drawn at random; 0 = all", .type = OptionType::row_count});
    field("seed", &RunOptions::seed,
          {.help = "seed of everything random", .type = OptionType::seed, .aliases = {"random_state"}});
    field("batch", &RunOptions::batch,
          {.help = "rows in a block", .type = OptionType::row_count, .range = at_least(1, "row")});
    caveat_fields(field);
  }
  static void caveat_fields(auto&& field) {
    field("correlation_threshold", &RunOptions::correlation_threshold,
          {.help = "caution when two features go together more than this (lower 95 % bound, 0 to 1)",
           .type = OptionType::share});
    field("extrapolation_threshold", &RunOptions::extrapolation_threshold,
          {.help = "caution when a larger share of rows becomes combinations that the data do not contain",
           .type = OptionType::share});
    field("sparse_rows", &RunOptions::sparse_rows,
          {.help = "caution where a curve has fewer rows near it", .type = OptionType::row_count});
    field("sparse_share", &RunOptions::sparse_share,
          {.help = "the same as a share of all rows; the larger of both counts", .type = OptionType::share});
    field("heterogeneity_threshold", &RunOptions::heterogeneity_threshold,
          {.help = "caution when single rows move differently from the average by more than this share",
           .type = OptionType::share});
    field("skill_threshold", &RunOptions::skill_threshold,
          {.help = "warning when the model predicts the target hardly better than a constant (1 = perfect)",
           .range = at_most(1)});
    field("caveat_rows", &RunOptions::caveat_rows,
          {.help = "rows drawn to find out how features go together, fewer if there are hundreds of features; 0 = all",
           .type = OptionType::row_count});
    field("skill_rows", &RunOptions::skill_rows,
          {.help = "rows predicted to compare the model with a constant; 0 = all", .type = OptionType::row_count});
    field("training_data", &RunOptions::training_data, {"the model was trained on these data"});
  }
};

// Splits options into those of a run and the rest; throws Error(usage) on a name that neither knows.
[[nodiscard]] std::pair<Value, Value> split_options(const Value& given, const std::vector<OptionSpec>& own);

}  // namespace sightglass
