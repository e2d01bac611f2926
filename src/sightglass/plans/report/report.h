// What a careful analyst would ask of a model, all of it: the results that one page shows. Ordinary results of ordinary
// methods in the order in which a person reads, so that each can be saved and the page drawn again from them.
// A budget of time is kept by looking at fewer rows: the parts are tried on few rows, the number of rows is then fixed
// and recorded, and what did not fit is named. What comes is left out, or taken back, as the time goes by.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/methods/registry.h"
#include "sightglass/model/model_option.h"

namespace sightglass {

// What can be left out of a report by its name, and the method that it is made by.
struct SkippablePart {
  std::string_view name, method;
};
inline constexpr SkippablePart skippable_parts[] = {
    {"confusion-matrix", "confusion-matrix"},
    {"roc", "roc"},
    {"precision-recall", "precision-recall"},
    {"calibration", "calibration"},
    {"threshold", "threshold"},
    {"performance-by", "performance"},
    {"residuals", "residuals"},
    {"error-regions", "error-regions"},
    {"importance-by", "permutation-importance"},
    {"pd-importance", "pd-importance"},
    {"shap", "shap"},
    {"example-shap", "shap"},
    {"partial-dependence", "partial-dependence"},
    {"effects-by", "ale"},
    {"ice", "ice"},
    {"regional-effects", "regional-effects"},
    {"interactions", "interactions"},
    {"decomposition", "decomposition"},
    {"ale-pairs", "ale"},
    {"pd-pairs", "partial-dependence"},
    {"what-if", "what-if"},
    {"anchors", "anchors"},
    {"counterfactuals", "counterfactuals"},
    {"neighbors", "neighbors"},
    {"surrogates", "surrogate"},
    {"prototypes", "prototypes"},
    {"prototype-shap", "shap"},
};
// "pd-importance, shap, …"
[[nodiscard]] std::string skippable_names();
// Parts that may use other rows than the others: those that are always there, and scores.
inline constexpr std::string_view own_rows_parts[] = {"performance", "permutation-importance", "performance-by", "ale",
                                                      "m-plot"};
[[nodiscard]] std::string own_rows_names();

struct ReportOptions {
  std::vector<std::string> features;
  std::string by;
  std::int64_t top = 8;
  std::int64_t pairs = 6;
  std::int64_t examples = 10;
  std::string budget = "2m";
  bool no_rows = false;
  std::vector<std::string> skip;
  std::int64_t predictions = 0;
  std::vector<std::string> part_rows;
  std::string title;
  ModelOption other_model;
  std::vector<std::string> names;

  static void fields(auto&& field) {
    field("features", &ReportOptions::features,
          {.help = "features to explain; default: all that the model uses", .type = OptionType::features});
    field("by", &ReportOptions::by,
          {.help = "column whose groups are compared: how good the predictions are, what matters and what the most "
                   "important features do in each; its levels or values, or quarters of many numbers",
           .type = OptionType::grouping});
    field("top", &ReportOptions::top,
          {.help = "how many of the most important features are followed for single rows",
           .type = OptionType::count,
           .range = between(0, 1000)});
    field("pairs", &ReportOptions::pairs,
          {.help = "how many of the strongest pairs are drawn", .type = OptionType::count, .range = between(0, 1000)});
    field("examples", &ReportOptions::examples,
          {.help = "how many single rows are explained, at the most",
           .type = OptionType::count,
           .range = between(0, 1000)});
    field("budget", &ReportOptions::budget,
          {.help = "time that it may take, about: 90s, 5m, 1h; above that fewer rows are used. 0 = no limit, and so "
                   "with {option:sample}",
           .type = OptionType::duration});
    field("no_rows", &ReportOptions::no_rows, {"leave out everything that shows single rows of the data"});
    field("skip", &ReportOptions::skip, {"parts to leave out: " + skippable_names()});
    field("predictions", &ReportOptions::predictions,
          {.help = "predictions that interactions, decomposition and Shapley values may ask for, each; 0 = as these "
                   "methods do",
           .type = OptionType::predictions});
    field("part_rows", &ReportOptions::part_rows,
          {"rows of single parts, as ale=500; 0 = all, as scores have where time chooses fewer: " + own_rows_names()});
    field("title", &ReportOptions::title, {"title of the page"});
    field("other_model", &ReportOptions::other_model,
          {.help = "a second model: the page compares both (as {method:compare-models})"});
    field("names", &ReportOptions::names,
          {.help = "what two models are called, the first one first; default: by their files",
           .type = OptionType::model_names});
  }
};

// Its own options and those of every run.
[[nodiscard]] std::vector<OptionSpec> report_options();

// How to do a report again, on any machine: nothing is left for the time to decide.
struct Repetition {
  std::vector<std::string> replaced;  // options, whatever was given
  Value instead = Value::object();    // what to give in their place
};
// recorded: the options of a report's first result.
[[nodiscard]] Repetition repetition(const Value& recorded);

// The first result has no items: it says what was asked for, decided and left out. own: how a model of ours explains
// itself (learn/fit.h), which comes second. other: a second model, as explain() takes it; a report of two models is how
// they differ. spent: seconds of the budget that are over, as for reading the data.
[[nodiscard]] std::vector<Result> report(const Model& model, const Source& source, const Value& options,
                                         Context& context, std::optional<Result> own = std::nullopt,
                                         const ModelOption& other = {}, double spent = 0);

}  // namespace sightglass
