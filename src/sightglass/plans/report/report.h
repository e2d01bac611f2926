// What a careful analyst would ask of a model, all of it: the results that one page shows. Ordinary results of ordinary
// methods in the order in which a person reads, so that each can be saved and the page drawn again from them.
// A budget of time is kept by looking at fewer rows: the model's speed is measured once, the number of rows is then
// fixed and recorded, and what did not fit is named.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/methods/registry.h"

namespace sightglass {

// What can be left out of a report by its name, and the method that it is made by.
struct SkippablePart {
  std::string_view name, method;
};
// Some of the methods are still to come: their parts are there as soon as the catalogue has them.
inline constexpr SkippablePart skippable_parts[] = {
    {"pd-importance", "pd-importance"},
    {"shap", "shap"},
    {"partial-dependence", "partial-dependence"},
    {"ice", "ice"},
    {"regional-effects", "regional-effects"},
    {"interactions", "interactions"},
    {"decomposition", "decomposition"},
    {"ale-pairs", "ale"},
    {"pd-pairs", "partial-dependence"},
    {"surrogate", "surrogate"},
    {"prototypes", "prototypes"},
    {"what-if", "ice"},
    {"anchors", "anchors"},
};
// "pd-importance, shap, …": those whose methods there are.
[[nodiscard]] std::string skippable_names();

struct ReportOptions {
  std::vector<std::string> features;
  std::int64_t top = 8;
  std::int64_t pairs = 6;
  std::int64_t examples = 10;
  std::string budget = "2m";
  bool no_rows = false;
  std::vector<std::string> skip;
  std::int64_t predictions = 0;
  std::string title;

  static void fields(auto&& field) {
    field("features", &ReportOptions::features, {"features to explain; default: all that the model uses"});
    field("top", &ReportOptions::top, {"how many of the most important features are followed for single rows"});
    field("pairs", &ReportOptions::pairs, {"how many of the strongest pairs are drawn"});
    field("examples", &ReportOptions::examples, {"how many single rows are explained, at the most"});
    field("budget", &ReportOptions::budget,
          {"time that it may take, about: 90s, 5m, 1h; above that fewer rows are used. 0 = no limit, and so with "
           "sample"});
    field("no_rows", &ReportOptions::no_rows, {"leave out everything that shows single rows of the data"});
    field("skip", &ReportOptions::skip, {"parts to leave out"});  // report_options() names them
    field(
        "predictions", &ReportOptions::predictions,
        {"predictions that interactions, decomposition and Shapley values may ask for, each; 0 = as these methods do"});
    field("title", &ReportOptions::title, {"title of the page"});
  }
};

// Its own options and those of every run.
[[nodiscard]] std::vector<OptionSpec> report_options();

// The first result has no items: it says what was asked for, decided and left out.
[[nodiscard]] std::vector<Result> report(const Model& model, const Source& source, const Value& options,
                                         Context& context);

}  // namespace sightglass
