#include "sightglass/plans/explain_row.h"

#include "sightglass/base/error.h"
#include "sightglass/plans/explain.h"
#include "sightglass/plans/method_advice.h"

namespace sightglass {

namespace {

constexpr std::size_t most_rows = 30;  // more is no page that anybody reads

// What is asked about a row, in the order of reading.
struct RowPart {
  std::string_view method, title;
  bool always = false;  // without it there is no explanation
  // Its options besides the rows.
  void (*add)(const ExplainRowOptions& options, Value& own) = nullptr;
};
constexpr RowPart row_parts[] = {
    {"shap", "what each feature adds", true,
     [](const ExplainRowOptions& options, Value& own) { own.set("background_rows", options.background_rows); }},
    {"what-if", "what if one value were another", true,
     [](const ExplainRowOptions& options, Value& own) { own.set("grid", options.grid); }},
    {"anchors", "the rule that holds the prediction"},
    {"counterfactuals", "the smallest change for another outcome", false,
     [](const ExplainRowOptions& options, Value& own) {
       if (!options.want.empty()) own.set("want", options.want);
       if (options.at_least) own.set("at_least", *options.at_least);
       if (options.at_most) own.set("at_most", *options.at_most);
       if (options.change) own.set("change", *options.change);
     }},
    {"neighbors", "the most similar rows", true,
     [](const ExplainRowOptions& options, Value& own) { own.set("neighbors", options.neighbors); }},
};

// What a method cannot do with this model or these data is no reason to say nothing else.
bool may_fail(const RowPart& part, const Error& error) {
  const bool of_the_method =
      error.kind() == ErrorKind::usage || error.kind() == ErrorKind::data || error.kind() == ErrorKind::model;
  return !part.always && of_the_method;
}

Caveat left_out(const RowPart& part, const Error& error) {
  std::vector<OptionSpec> at_hand = shared_options();
  for (OptionSpec& spec : describe_options<ExplainRowOptions>()) at_hand.push_back(std::move(spec));
  return {.id = "part-left-out",
          .severity = Severity::note,
          .message = std::string(part.title) + " is left out: " + error.message_text(),
          .evidence = Value::object({{"method", std::string(part.method)}}),
          .advice = advice_within(at_hand, error.advice_text(), find_method(part.method))};
}

Result plan_explain_row(const PlanInput& input, const Value& given) {
  const auto options = read_options<ExplainRowOptions>(given);
  if (options.rows.empty())
    throw Error(ErrorKind::usage, "which row is to be explained?",
                marked("name it with {the option:rows}, counted from 0"));
  if (options.rows.size() > most_rows) {
    throw Error(ErrorKind::usage,
                std::to_string(options.rows.size()) + " rows are too many for one page, which has room for " +
                    std::to_string(most_rows),
                marked("name fewer {option:rows|rows}; the method {method:shap} sums up all of them"));
  }
  Result result;
  for (const RowPart& part : row_parts) {
    Value own = Value::object({{"rows", options.rows}, {"scale", input.scale}});
    const std::size_t told_to_all = own.as_object().size();
    if (part.add != nullptr) part.add(options, own);
    const bool asked_for = own.as_object().size() > told_to_all;
    try {
      Result found = input.run(part.method, own);
      for (ResultItem& item : found.results) {
        // Of many rows shap makes a ranking, which says nothing of any of them.
        if (!item.is<Importance>()) result.results.push_back(std::move(item));
      }
    } catch (const Error& error) {
      if (asked_for || !may_fail(part, error)) throw;
      result.caveats.push_back(left_out(part, error));
    }
  }
  return result;
}

}  // namespace

MethodEntry explain_row() {
  return {.name = "explain-row",
          .alias = "",
          .about = {.title = "One row explained", .short_name = "", .family = Family::local},
          .question = "Why does the model predict what it does for this row, and what would change it?",
          .when = "somebody asks about one prediction: all that can be said about it, in one place",
          .when_not = "what the model does in general: its effects and rankings over all rows say that",
          .formula = "those of its methods, all on the scale of the predictions",
          .paper = "Biecek & Burzykowski 2021, Explanatory Model Analysis",
          .scopes = {Scope::local},
          .results = {"attributions", "curves", "rules", "counterfactuals", "examples"},
          .expresses =
              "what each feature adds, what one value alone would change, a rule, the smallest change, similar rows",
          .cost = "those of its methods, for one row",
          .random = true,
          .options = describe_options<ExplainRowOptions>(),
          .plan = plan_explain_row};
}

}  // namespace sightglass
