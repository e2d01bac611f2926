#include "sightglass/learn/rules/rule_items.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/learn/shown_parts.h"
#include "sightglass/numeric/largest_first.h"
#include "sightglass/result/shapes/figure.h"
#include "sightglass/result/shapes/importance.h"
#include "sightglass/result/shapes/penalty_path.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/terms.h"

namespace sightglass {

namespace {

constexpr std::size_t terms_of_path = 20;

std::string unit_of(const TrainingData& data) { return data.classes.empty() ? "" : "log-odds"; }

std::vector<ShownCondition> shown_conditions(const TrainingData& data, const std::vector<TermCondition>& conditions) {
  std::vector<ShownCondition> shown;
  for (const TermCondition& condition : conditions)
    shown.push_back(shown_condition(data.features[condition.feature].info, condition));
  return shown;
}

// Rules that a rule of the model stands for: they were as good as chosen, and say nearly the same.
Value stands_for(const FittedRules& fitted, std::size_t rule) {
  Value others = Value::array();
  const std::vector<std::uint32_t>& numbers = fitted.model.numbers;
  for (const std::uint32_t term : fitted.path[*fitted.chosen_from].solution.terms()) {
    if (std::find(numbers.begin(), numbers.end(), term) == numbers.end() &&
        fitted.terms.nearly_same(numbers[rule], term))
      others.push_back(conditions_text(shown_conditions(fitted.data, fitted.terms.conditions(term))));
  }
  return others;
}

Rules shown_rules(const FittedRules& fitted, std::size_t output) {
  const RuleModel& model = fitted.model;
  Rules rules{.output = fitted.data.outputs()[output], .group = {}, .unit = unit_of(fitted.data)};
  rules.intercept = model.structure.intercept[output];
  const RuleImportance importance = rule_importance(model, output, fitted.data.features.size());
  const std::vector<std::size_t> order = largest_first(std::span(importance.terms).first(model.rules));
  std::vector<std::uint64_t> place_of(model.rules);
  for (const std::size_t t : order) {
    const Term& term = model.structure.terms[t];
    place_of[t] = rules.rules.size();
    if (term.weights[output] == 0) continue;
    rules.rules.push_back({.conditions = shown_conditions(fitted.data, term.conditions),
                           .effect = term.weights[output],
                           .support = term.moments->mean,
                           .importance = importance.terms[t]});
  }
  Value groups = Value::array();
  for (const auto& group : similar_rules(model, fitted.terms)) {
    Value places = Value::array();
    for (const std::size_t t : group) {
      if (model.structure.terms[t].weights[output] != 0) places.push_back(place_of[t]);
    }
    if (places.as_array().size() > 1) groups.push_back(std::move(places));
  }
  // Rules that hold for nearly the same rows are read together: their effects add up.
  if (!groups.as_array().empty()) rules.details.set("similar", std::move(groups));
  if (!fitted.chosen_from) return rules;
  Value left_out = Value::array();
  for (const std::size_t t : order) {
    Value others = stands_for(fitted, t);
    if (fitted.model.structure.terms[t].weights[output] == 0 || others.as_array().empty()) continue;
    left_out.push_back(Value::object({{"rule", place_of[t]}, {"stands_for", std::move(others)}}));
  }
  if (!left_out.as_array().empty()) rules.details.set("left_out", std::move(left_out));
  return rules;
}

Terms shown_terms(const FittedRules& fitted, std::size_t output) {
  const RuleModel& model = fitted.model;
  Terms terms{.output = fitted.data.outputs()[output], .group = {}, .unit = unit_of(fitted.data)};
  terms.intercept = model.structure.intercept[output];
  terms.link = shown_link(link_of(fitted.data.task()));
  const RuleImportance importance = rule_importance(model, output, fitted.data.features.size());
  Value bounds = Value::object();
  for (const std::size_t i : largest_first(std::span(importance.terms).subspan(model.rules))) {
    const std::size_t t = model.rules + i;
    const Term& term = model.structure.terms[t];
    if (term.weights[output] == 0) continue;
    const std::string& name = fitted.data.features[term.feature].info.name;
    terms.terms.push_back({.features = {name},
                           .coefficient = term.weights[output],
                           .standardized = term.weights[output] * term.moments->sd});
    bounds.set(name, Value(std::vector<double>{term.low, term.high}));
  }
  // Beyond these quantiles a feature's number counts as the quantile; rules come on top.
  terms.details.set("kept_between", std::move(bounds)).set("besides", "rules");
  return terms;
}

void add_importances(const FittedRules& fitted, std::size_t output, std::vector<ResultItem>& items) {
  const RuleImportance importance = rule_importance(fitted.model, output, fitted.data.features.size());
  for (const std::size_t f : largest_first(importance.features)) {
    const std::string& name = fitted.data.features[f].info.name;
    items.push_back(Importance{.feature = name,
                               .features = {name},
                               .output = fitted.data.outputs()[output],
                               .group = {},
                               .measure = {.other = "importance of its rules and terms"},
                               .importance = importance.features[f]});
  }
}

std::string term_name(const FittedRules& fitted, std::size_t term) {
  const Term& shown = fitted.model.structure.terms[term];
  if (shown.conditions.empty()) return fitted.data.features[shown.feature].info.name;
  return conditions_text(shown_conditions(fitted.data, shown.conditions));
}

PenaltyPath shown_path(const FittedRules& fitted, std::size_t output) {
  PenaltyPath path{.output = fitted.data.outputs()[output], .group = {}};
  for (const RulePathPoint& point : fitted.path) {
    path.penalties.push_back(point.penalty);
    path.nonzero.push_back(point.solution.terms().size());
    path.cv_mean.push_back(point.cv_mean);
    path.cv_se.push_back(point.cv_se);
  }
  path.loss = fitted.data.classes.empty() ? "mean squared error" : "log-loss";
  path.chosen = fitted.chosen;
  path.minimum = path_minimum(fitted.path);
  path.one_se = path_one_se(fitted.path);
  const RuleImportance importance = rule_importance(fitted.model, output, fitted.data.features.size());
  std::vector<std::size_t> order = largest_first(importance.terms);
  if (order.size() > terms_of_path) order.resize(terms_of_path);
  for (const std::size_t t : order) {
    const std::uint32_t number = fitted.model.numbers[t];
    const bool linear = number >= fitted.terms.rules.size();
    // Per standard deviation: linear terms have one of 0.4 in the lasso.
    const double sd = linear ? 0.4 : fitted.model.structure.terms[t].moments->sd;
    PathTerm term{.name = term_name(fitted, t), .coefficients = {}};
    for (const RulePathPoint& point : fitted.path) {
      double weight = 0;
      for (const TermWeight& next : point.solution.weights[output]) {
        if (next.term == number) weight = next.weight;
      }
      term.coefficients.push_back(weight * sd);
    }
    path.terms.push_back(std::move(term));
  }
  return path;
}

void add_figures(const FittedRules& fitted, std::vector<ResultItem>& items) {
  const auto add = [&](std::string name, const char* id, double value, std::optional<double> se, std::string meaning) {
    items.push_back(Figure{.name = std::move(name),
                           .id = id,
                           .output = {},
                           .group = {},
                           .value = value,
                           .se = se,
                           .meaning = std::move(meaning)});
  };
  const std::string loss = fitted.data.classes.empty() ? "mean squared error" : "log-loss";
  if (fitted.honest) {
    add(loss + " of held-out rows, rules grown anew for each fold", "held-out-loss", fitted.honest->mean,
        fitted.honest->se, "Honest: neither rules nor coefficients have seen the rows.");
  }
  const RulePathPoint& chosen = fitted.path[fitted.chosen];
  // Of few terms that were fitted anew it says nothing: it is that of the lasso before.
  if (!fitted.refitted) {
    add(loss + " of held-out rows, rules grown from all rows", "held-out-loss-optimistic", chosen.cv_mean, chosen.cv_se,
        "Optimistic: the rules have seen the rows, only the coefficients of the lasso have not; it chooses the "
        "penalty.");
  }
  const auto count = [](std::size_t number) { return static_cast<double>(number); };
  add("rules generated", "rules-generated", count(fitted.terms.generated), std::nullopt,
      "Every node of the trees but their roots.");
  add("rules that differ", "rules-distinct", count(fitted.terms.rules.size()), std::nullopt,
      "Without those that hold for the same rows as another, or for exactly the other rows.");
  add("rules kept", "rules-kept", count(fitted.model.rules), std::nullopt, "Those with a coefficient.");
  add("linear terms kept", "terms-kept", count(fitted.model.numbers.size() - fitted.model.rules), std::nullopt,
      "Those with a coefficient.");
}

}  // namespace

std::vector<ResultItem> rule_items(const FittedRules& fitted) {
  std::vector<ResultItem> items;
  const std::size_t outputs = fitted.model.structure.intercept.size();
  for (std::size_t k = 0; k < outputs; ++k) items.push_back(shown_rules(fitted, k));
  for (std::size_t k = 0; k < outputs; ++k) {
    Terms terms = shown_terms(fitted, k);
    if (!terms.terms.empty()) items.push_back(std::move(terms));
  }
  for (std::size_t k = 0; k < outputs; ++k) add_importances(fitted, k, items);
  if (fitted.path.size() > 1) {
    for (std::size_t k = 0; k < outputs; ++k) items.push_back(shown_path(fitted, k));
  }
  add_figures(fitted, items);
  return items;
}

}  // namespace sightglass
