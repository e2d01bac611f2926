// The list of all methods, and the one way to run them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/data/table.h"
#include "sightglass/methods/caveats/caveats.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

[[nodiscard]] const std::vector<MethodEntry>& methods();
// By name or alias; throws Error(usage) with the nearest name.
[[nodiscard]] const MethodEntry& find_entry(const std::vector<MethodEntry>& entries, std::string_view name);
[[nodiscard]] const MethodEntry& find_method(std::string_view name);

// The catalogue's entry of a method, and of its options: what the command line and Python show.
[[nodiscard]] Value describe(const MethodEntry& entry);
[[nodiscard]] Value describe(const std::vector<OptionSpec>& options);
// "post hoc, model-agnostic"; "global and single rows".
[[nodiscard]] std::string kind_of(const MethodEntry& entry);
[[nodiscard]] std::string scope_of(const MethodEntry& entry);

// What every method is told, whatever its own options.
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
    field("seed", &RunOptions::seed, {.help = "seed of everything random", .type = OptionType::seed});
    field("batch", &RunOptions::batch,
          {.help = "rows in a block", .type = OptionType::row_count, .range = at_least(1, "row")});
    CaveatOptions::fields(field);
  }
};

// The rows of one group.
struct GroupRows {
  std::vector<std::uint64_t> rows;  // ascending
  std::uint32_t column = 0;         // in which they are alike
};

// What runs of several methods over the same model and data need not find out again: how the features are related, and
// how good the model is. Not for several threads.
struct RunMemory {
  // By what they depend on.
  std::map<std::string, std::shared_ptr<const DataProfile>> profiles;
  std::map<std::string, std::optional<ModelSkill>> skills;

  [[nodiscard]] static std::string profile_key(const RunOptions& options);
  [[nodiscard]] static std::string skill_key(const RunOptions& options);
};

// A method, a model and data that fit together: what run() prepares before the first stage. Whoever divides
// the work (tests do, a cluster may) takes the stages from here.
struct Preparation {
  // group: the rows that may be used; null = all. memory: of runs with the same model, source and group.
  Preparation(std::string_view method, const Model& model, const Source& source, const Value& options, Context& context,
              const GroupRows* group = nullptr, RunMemory* memory = nullptr);

  [[nodiscard]] const Source& rows() const { return picked_ ? static_cast<const Source&>(*picked_) : *source_; }
  // The first stage: it learns how the features are related, then the method's own stages follow. They refer to
  // this preparation, which must outlive them.
  [[nodiscard]] std::unique_ptr<Stage> start() const;
  // Adds all rows of a part of the data to a partial.
  void map(const Stage& stage, const Source& part, Partial& partial) const;
  // Writes down what was computed from what, and what to beware of.
  void finish(Result& result) const;

  const MethodEntry& entry;
  RunOptions options;
  Value method_options;
  std::unique_ptr<Evaluator> evaluator;
  std::unique_ptr<MethodInput> input;
  std::uint64_t available_rows = 0;  // in the data
  std::uint64_t eligible_rows = 0;   // of which a sample may be drawn

 private:
  void pick_rows(const GroupRows* group, Context& context);
  // The stages that come after the profile: how good the model is, then the method's own.
  [[nodiscard]] std::unique_ptr<Stage> after_profile() const;

  const Source* source_;
  RunMemory* memory_;
  std::unique_ptr<Source> picked_;
  bool margin_by_default_ = false;
  bool uncoded_ = false;                     // trees with too many split points to be explained by their structure
  bool no_margin_ = false;                   // though the method would be better off with one
  mutable std::optional<ModelSkill> skill_;  // measured on the way, where there is a target
};

// Splits options into those of a run and the rest; throws Error(usage) on a name that neither knows.
[[nodiscard]] std::pair<Value, Value> split_options(const Value& given, const std::vector<OptionSpec>& own);

// Runs a method over a source. `options` holds RunOptions and the method's own options side by side. Groups of
// rows and plans: plans/explain.h.
[[nodiscard]] Result run(std::string_view method, const Model& model, const Source& source, const Value& options,
                         Context& context, const GroupRows* group = nullptr, RunMemory* memory = nullptr);

}  // namespace sightglass
