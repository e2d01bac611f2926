// What every method is told, whatever its own options.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/methods/caveats/caveats.h"
#include "sightglass/methods/run/options.h"

namespace sightglass {

struct RunOptions : CaveatOptions {
  std::string target;       // the data's column with the truth; never a feature of an opaque model
  std::string output;       // the class or output to explain; empty = all
  std::string scale;        // "response", "margin", or empty = chosen
  std::string engine;       // "blackbox", "trees", or empty = chosen
  std::string where;        // the rows to use, see data/condition.h; empty = all
  std::int64_t sample = 0;  // rows to use; 0 = all
  std::int64_t seed = 0;
  std::int64_t batch = 4096;  // rows in a block: fixes how a model's calls are cut

  static void fields(auto&& field) {
    field("target", &RunOptions::target,
          {.help = "column of the data with the true outcome", .type = OptionType::column});
    field("output", &RunOptions::output,
          {.help = "class or output to explain; default: all", .type = OptionType::output});
    field(
        "scale", &RunOptions::scale,
        {"scale of the predictions; default: response, but for interactions, decomposition and shap margin (before the "
         "link) where the model has one",
         {"", "response", "margin"}});
    field("engine", &RunOptions::engine,
          {"blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the model has "
           "them",
           {"", "blackbox", "trees"}});
    field("where", &RunOptions::where,
          {.help = "condition on the rows to use, for example: temp > 20 and season = winter; default: all rows",
           .type = OptionType::condition});
    field("sample", &RunOptions::sample,
          {.help = "rows to use, drawn at random; 0 = all", .type = OptionType::row_count, .range = at_least(0)});
    field("seed", &RunOptions::seed,
          {.help = "seed of everything random", .type = OptionType::seed, .aliases = {"random_state"}});
    field("batch", &RunOptions::batch,
          {.help = "rows in a block", .type = OptionType::row_count, .range = at_least(1, "row")});
    CaveatOptions::fields(field);
  }
};

// Splits options into those of a run and the rest; throws Error(usage) on a name that neither knows.
[[nodiscard]] std::pair<Value, Value> split_options(const Value& given, const std::vector<OptionSpec>& own);

}  // namespace sightglass
