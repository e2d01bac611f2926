#include "sightglass/plans/compare_models.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/methods/performance/regions/large_value_regions.h"
#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/numeric/normal.h"
#include "sightglass/numeric/weighted_mean.h"
#include "sightglass/plans/compare_models/both_models.h"
#include "sightglass/plans/plan_session.h"
#include "sightglass/result/shapes/curve.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/figure.h"
#include "sightglass/result/shapes/importance.h"

namespace sightglass {

namespace {

constexpr std::size_t most_divided_rows = 100'000;
constexpr std::uint64_t divided_stream = 0x6d6f'6465'6c73;  // "models"

using Texts = std::vector<std::string>;

struct Names {
  std::string first, second;
};

Names names_of(const CompareModelsOptions& options) {
  if (options.names.empty()) return {"first model", "second model"};
  if (options.names.size() != 2) throw Error(ErrorKind::usage, option_name("names") + ": two models have two names");
  if (options.names[0] == options.names[1])
    throw Error(ErrorKind::usage, option_name("names") + ": both models are called " + printable(options.names[0]),
                "give them different names");
  return {options.names[0], options.names[1]};
}

class ModelComparison {
 public:
  ModelComparison(const SessionPlanInput& input, const CompareModelsOptions& options)
      : input_(input), options_(options), names_(names_of(options)), both_(*input.session, *input.other_session) {}

  Result made() {
    compare_scores();
    compare_predictions();
    rank_features();
    compare_effects();
    show_regions();
    show_rows();
    return std::move(result_);
  }

 private:
  // What a method says of either model, of which the results are called like it.
  [[nodiscard]] Result of(std::size_t model, std::string_view method, const Value& own) const {
    return model == 0 ? input_.run(method, own) : input_.run_other(method, own);
  }
  [[nodiscard]] const std::string& name(std::size_t model) const { return model == 0 ? names_.first : names_.second; }

  void compare_scores() {
    if (!input_.has_target) return;
    for (const std::size_t model : {0, 1}) {
      for (const ResultItem& item : of(model, "performance", Value::object()).results) {
        const auto* figure = item.as<Figure>();
        if (figure == nullptr) continue;
        Figure named = *figure;
        named.group = name(model);
        result_.results.emplace_back(std::move(named));
      }
    }
    compare_errors();
  }

  // Of the same rows, so that what is hard for both does not count.
  void compare_errors() {
    WeightedMean less, second_better;
    for (std::size_t row = 0; row < both_.rows(); ++row) {
      const auto first = both_.error(0, row), second = both_.error(1, row);
      if (!first || !second || !(both_.weight(row) > 0)) continue;
      less.add(*first - *second, both_.weight(row));
      // Of classes only the rows that tell them apart.
      if (both_.classes().empty() || *first != *second) second_better.add(*second < *first ? 1 : 0, both_.weight(row));
    }
    if (!less.any()) return;
    const bool classes = !both_.classes().empty();
    const std::string &a = names_.first, &b = names_.second;
    result_.results.emplace_back(
        Figure{.name = classes ? "rows that only " + b + " gets right, minus rows that only " + a + " gets right"
                               : "mean absolute error of " + a + " minus that of " + b,
               .id = "error-difference",
               .output = {},
               .group = {},
               .value = less.mean(),
               .se = less.se(),
               .meaning = std::string(classes ? "as a share of all rows; " : "on the same rows; ") + "above 0: " + b +
                          (classes ? " is right more often" : " is nearer to the truth on average")});
    if (!second_better.any()) return;
    result_.results.emplace_back(
        Figure{.name = classes ? "rows that " + b + " gets right, of those that only one model gets right"
                               : "rows for which " + b + " is nearer to the truth",
               .id = "second-better",
               .output = {},
               .group = {},
               .value = second_better.mean(),
               .se = second_better.se(),
               .meaning = classes ? "above 50 %: " + b + " is right more often than " + a
                                  : "as a share of all rows; for the others " + a + " is as near, or nearer"});
    const auto se = less.se();
    if (se && std::abs(less.mean()) <= z_95 * *se) {
      result_.caveats.push_back(
          {.id = "no-better-model",
           .severity = Severity::caution,
           .message = "on these rows neither " + a + " nor " + b + " is better by more than chance",
           .evidence = Value::object({{"difference", less.mean()}, {"se", *se}}),
           .advice = "choose by what they do, or compare them on more rows"});
    }
  }

  void compare_predictions() {
    WeightedMean apart, same;
    for (std::size_t row = 0; row < both_.rows(); ++row) {
      if (!(both_.weight(row) > 0)) continue;
      apart.add(both_.distance(row), both_.weight(row));
      if (!both_.classes().empty()) same.add(both_.same_class(row) ? 1 : 0, both_.weight(row));
    }
    if (!apart.any()) return;
    if (same.any()) {
      result_.results.emplace_back(
          Figure{.name = "rows for which " + names_.first + " and " + names_.second + " predict the same class",
                 .id = "class-agreement",
                 .output = {},
                 .group = {},
                 .value = same.mean(),
                 .se = same.se(),
                 .meaning = "share of rows"});
    }
    result_.results.emplace_back(
        Figure{.name = "how far the predictions of " + names_.first + " and " + names_.second + " are apart",
               .id = "mean-distance",
               .output = {},
               .group = {},
               .value = apart.mean(),
               .se = apart.se(),
               .meaning = both_.classes().empty() ? "size of the difference, on average over rows"
                                                  : "probability that one gives to other classes than the other "
                                                    "does, on average over rows"});
  }

  // By the truth where it is known, else by how far features move predictions.
  void rank_features() {
    for (const std::size_t model : {0, 1}) {
      const Result found = input_.has_target
                               ? of(model, "permutation-importance", Value::object({{"repeats", options_.repeats}}))
                               : of(model, "pd-importance", Value::object());
      std::vector<std::pair<double, std::string>> ranked;
      for (const ResultItem& item : found.results) {
        const auto* entry = item.as<Importance>();
        if (entry == nullptr) continue;
        const auto known =
            std::find_if(ranked.begin(), ranked.end(), [&](const auto& each) { return each.second == entry->feature; });
        if (known == ranked.end()) {
          ranked.emplace_back(entry->importance, entry->feature);
        } else {
          known->first = std::max(known->first, entry->importance);
        }
        Importance named = *entry;
        named.group = name(model);
        result_.results.emplace_back(std::move(named));
      }
      std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
      for (std::size_t i = 0; i < ranked.size() && i < static_cast<std::size_t>(options_.top); ++i) {
        if (std::find(wanted_.begin(), wanted_.end(), ranked[i].second) == wanted_.end())
          wanted_.push_back(ranked[i].second);
      }
    }
    if (!options_.features.empty()) wanted_ = options_.features;
  }

  // One chart for each feature, with a line for each model that has it.
  void compare_effects() {
    std::map<std::string, std::vector<Curve>> curves;
    for (const std::size_t model : {0, 1}) {
      const MethodInput& input = (model == 0 ? input_.session : input_.other_session)->input();
      Texts known;
      for (const std::uint32_t column : input.features) {
        const std::string& feature = input.schema[column].name;
        if (std::find(wanted_.begin(), wanted_.end(), feature) != wanted_.end()) known.push_back(feature);
      }
      if (known.empty()) continue;
      const Value own = Value::object({{"features", known}, {"bins", options_.bins}});
      for (const ResultItem& item : of(model, "ale", own).results) {
        const auto* curve = item.as<Curve>();
        if (curve == nullptr) continue;
        curves[curve->axis.feature].push_back(*curve);
        Curve& named = curves[curve->axis.feature].back();
        named.series = name(model);
        // What each calls its only output is the same thing.
        const Texts& outputs = input_.session->input().outputs;
        if (both_.classes().empty() && outputs.size() == 1) named.output = outputs.front();
      }
    }
    for (const std::string& feature : wanted_) {
      for (Curve& curve : curves[feature]) result_.results.emplace_back(std::move(curve));
    }
  }

  // By the features of either.
  void show_regions() {
    MethodInput input = input_.session->input();
    for (const std::uint32_t column : input_.other_session->input().features) {
      if (std::find(input.features.begin(), input.features.end(), column) == input.features.end())
        input.features.push_back(column);
    }
    const LabelledRows rows = rows_to_divide(input);
    std::vector<std::size_t> halves[2];
    for (std::size_t row = 0; row < rows.rows(); ++row)
      halves[is_for_fitting(input.seed, rows.ids[row]) ? 0 : 1].push_back(row);
    if (halves[1].empty() || too_few_for_regions(rows.rows())) return;
    NumberedRows numbered[2];
    for (const std::size_t half : {0, 1}) {
      numbered[half].data = features_of(input, rows, input.features, halves[half]);
      for (const std::size_t row : halves[half]) {
        numbered[half].values.push_back(rows.predictions[row]);
        numbered[half].weights.push_back(rows.weights[row]);
      }
    }
    LargeValueRegions regions =
        large_value_regions(numbered[0], numbered[1],
                            {.max_depth = options_.max_depth, .min_leaf_rows = options_.min_leaf_rows}, *input.context);
    if (!regions.found) {
      result_.caveats.push_back({.id = "no-region",
                                 .severity = Severity::note,
                                 .message = "no group of rows was found in which " + names_.first + " and " +
                                            names_.second + " differ more than elsewhere by more than chance",
                                 .evidence = Value::object({{"rows", rows.rows()}}),
                                 .advice = marked("use more rows, or smaller regions with {option:min_leaf_rows}")});
      return;
    }
    regions.rules.name = "Where " + names_.first + " and " + names_.second + " differ";
    regions.rules.unit = "difference";
    regions.rules.details = Value::object({{"mean", regions.mean}, {"fitted_rows", halves[0].size()}});
    regions.rules.details.set("judged_rows", halves[1].size());
    regions.rules.details.set("se", regions.se);
    result_.results.emplace_back(std::move(regions.rules));
  }

  // In place of predictions, how far the models are apart. Of many rows some.
  [[nodiscard]] LabelledRows rows_to_divide(const MethodInput& input) const {
    LabelledRows rows;
    rows.outputs = 1;
    rows.values.resize(input.features.size());
    const double share =
        static_cast<double>(most_divided_rows) / static_cast<double>(std::max<std::size_t>(both_.rows(), 1));
    const auto stream =
        input_.session->rows().open(input.features, static_cast<std::size_t>(input_.session->options().batch));
    std::size_t at = 0;
    while (const auto block = stream->next()) {
      for (std::size_t row = 0; row < block->rows; ++row, ++at) {
        if (!(both_.weight(at) > 0)) continue;
        if (share < 1 && static_cast<double>(random_bits(input.seed, divided_stream, both_.id(at))) >= share * 0x1p64)
          continue;
        rows.ids.push_back(both_.id(at));
        rows.weights.push_back(both_.weight(at));
        rows.predictions.push_back(both_.distance(at));
        for (std::size_t j = 0; j < input.features.size(); ++j)
          rows.values[j].push_back(block->columns[input.features[j]].number(row));
      }
    }
    return rows;
  }

  // As both see the rows.
  void show_rows() {
    const auto rows = both_.farthest(static_cast<std::size_t>(options_.examples));
    if (rows.empty()) return;
    std::vector<std::int64_t> ids;
    for (const std::size_t row : rows) ids.push_back(static_cast<std::int64_t>(both_.id(row)));
    // They are named by their places in all the data.
    const Value own = Value::object({{"rows", ids}, {"neighbors", 1}, {"scale", "response"}, {"sample", 0}});
    std::map<std::uint64_t, const Examples*> seen[2];
    const Result of_both[2] = {of(0, "neighbors", own), of(1, "neighbors", own)};
    for (const std::size_t model : {0, 1}) {
      for (const ResultItem& item : of_both[model].results) {
        const auto* found = item.as<Examples>();
        if (found != nullptr && found->of_row) seen[model][*found->of_row] = found;
      }
    }
    Examples examples;
    examples.role = ExampleRole::picked;
    examples.measure = "difference";
    examples.details.set("models", Texts{names_.first, names_.second});
    std::set<std::string> features;
    for (const std::size_t row : rows) {
      Example& example = examples.rows.emplace_back();
      example.row = both_.id(row);
      example.score = both_.difference(row).value_or(both_.distance(row));
      for (const std::size_t model : {0, 1}) {
        const Examples& own_row = *seen[model].at(example.row);
        const Value& details = own_row.details;
        example.row_label = own_row.of_row_label;
        examples.dates.insert(own_row.dates.begin(), own_row.dates.end());
        for (const auto& [feature, value] : details.find("own")->as_object()) {
          example.data.set(feature, value);
          if (features.insert(feature).second) examples.features.push_back(feature);
        }
        const Value* predicted = details.find("own_predicted");
        (model == 0 ? example.predicted_class : example.other_class) =
            predicted != nullptr ? predicted->as_string() : std::string();
        (model == 0 ? example.prediction : example.other_prediction) = details.find("own_prediction")->as_number();
        if (const Value* outcome = details.find("own_outcome"); outcome != nullptr && model == 0) {
          if (outcome->is_string()) {
            example.own_class = outcome->as_string();
          } else if (outcome->is_number()) {
            example.target = outcome->as_number();
          }
        }
      }
    }
    result_.results.emplace_back(std::move(examples));
  }

  const SessionPlanInput& input_;
  const CompareModelsOptions& options_;
  Names names_;
  BothModels both_;
  Texts wanted_;  // features whose effects are compared
  Result result_;
};

Result plan_compare_models(const PlanInput& plain, const Value& given) {
  const auto& input = static_cast<const SessionPlanInput&>(plain);
  const auto options = read_options<CompareModelsOptions>(given);
  if (input.other_session == nullptr) {
    throw Error(ErrorKind::usage, "two models are compared, and there is one",
                marked("give the second with {option:other_model}"));
  }
  return ModelComparison(input, options).made();
}

}  // namespace

MethodEntry compare_models() {
  return {.name = "compare-models",
          .alias = "models",
          .about = {.title = "Two models compared", .short_name = "", .family = Family::performance},
          .question = "How do two models differ, in which rows and regions most, and which is nearer to the truth?",
          .when = "to choose between two models, or before a new version replaces the one that is in use",
          .when_not = "rows that one of them was trained on and the other was not: that one looks better than it is",
          .formula = "d_i = b(x_i) − a(x_i); of classes ½ Σ_k |b_k(x_i) − a_k(x_i)|",
          .paper = "Biecek & Burzykowski 2021, Explanatory Model Analysis",
          .results = {"figure", "importance", "curve", "rules", "examples"},
          .expresses = "scores, importances and effects side by side, and where predictions are farthest apart",
          .cost = "performance, permutation importance and ALE of both models, and two predictions of each row",
          .random = true,
          .options = describe_options<CompareModelsOptions>(),
          .plan = plan_compare_models};
}

}  // namespace sightglass
