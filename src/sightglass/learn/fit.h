// Fits a learner to the rows of a table: a model, its file, and how it explains itself.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/base/options.h"
#include "sightglass/data/table.h"
#include "sightglass/learn/learner.h"
#include "sightglass/result/result.h"

namespace sightglass {

// What every learner is told, whatever its own options.
struct FitOptions {
  std::string target;
  std::vector<std::string> features;
  std::string task = "auto";
  std::string where;

  static void fields(auto&& field) {
    field("target", &FitOptions::target, {.help = "column with the outcome to learn", .type = OptionType::column});
    field("features", &FitOptions::features,
          {.help = "columns to learn from; default: all but target and weights", .type = OptionType::features});
    field("task", &FitOptions::task,
          {.help = "what the outcome is; auto: classes where it is text or true and false, else a number",
           .choices = {"auto", "regression", "classification"}});
    field("where", &FitOptions::where,
          {.help = "condition on the rows to learn from; default: all rows", .type = OptionType::condition});
  }
};

struct FittedModel {
  std::unique_ptr<Model> model;
  std::string file;        // its bytes
  Result result;           // how the model explains itself; also in the file
  std::uint64_t size = 0;  // in the learner's unit
};

// `options` holds FitOptions and the learner's own side by side. Throws Error.
[[nodiscard]] FittedModel fit(std::string_view learner, const Table& table, const Value& options, Context& context);

// The model of what was learned from these data, without a word about it; `where` stands in front of errors.
[[nodiscard]] std::unique_ptr<Model> make_model(const LearnerEntry& entry, const TrainingData& data,
                                                const Learned& learned, std::string_view where);

// How the model of a file's bytes explains itself; nothing if they are none of ours. `where` stands in front of errors.
[[nodiscard]] std::optional<Result> explanation_in(std::string_view content, std::string_view where);
// How a saved model explains itself; nothing if the file is none of ours.
[[nodiscard]] std::optional<Result> saved_explanation(const std::string& location);

}  // namespace sightglass
