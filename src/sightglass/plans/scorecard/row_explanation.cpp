#include "sightglass/plans/scorecard/row_explanation.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "sightglass/result/shapes/attributions.h"
#include "sightglass/result/shapes/counterfactuals.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/terms.h"

namespace sightglass {

namespace {

std::optional<double> detail(const Value& details, std::string_view name) {
  const Value* value = details.find(name);
  return value != nullptr && value->is_number() ? std::optional(value->as_number()) : std::nullopt;
}

// Behind a link one half is the middle of a single output, before it 0.
double middle_of(const Result& result) {
  const Value* scale = result.options.find("scale");
  return scale != nullptr && scale->is_string() && scale->as_string() == "margin" ? 0 : 0.5;
}

RowExplanation of_line(const Terms& line) {
  RowExplanation told{.row = *line.row, .output = line.output};
  double largest = 0, doubt = 0;
  for (const LinearTerm& term : line.terms) {
    // Of a number, what a standard deviation adds: coefficients have units.
    const double size = term.conditions.empty() ? term.standardized.value_or(term.coefficient) : term.coefficient;
    if (size != 0) told.parts[term.features.front()] += size;
    if (std::abs(size) <= largest) continue;
    largest = std::abs(size);
    doubt = term.se && term.coefficient != 0 ? *term.se / std::abs(term.coefficient) : 0;
  }
  told.doubt = doubt;
  told.near = detail(line.details, "r2_near");
  told.far = detail(line.details, "r2");
  told.said = line.line;
  told.predicted = line.prediction;
  return told;
}

RowExplanation of_values(const Attributions& item, std::size_t row) {
  RowExplanation told{.row = item.rows[row], .output = item.output};
  double largest = 0, error = 0;
  for (std::size_t j = 0; j < item.features.size(); ++j) {
    const double value = item.value(row, j);
    if (value != 0) told.parts[item.features[j].feature] = value;
    largest = std::max(largest, std::abs(value));
    if (!item.se.empty()) error = std::max(error, item.se[row * item.features.size() + j]);
  }
  told.doubt = largest > 0 ? error / largest : 0;
  if (item.total_rows > 0) told.covers = 1 / static_cast<double>(item.total_rows);
  told.said = told.predicted = item.prediction[row];
  return told;
}

RowExplanation of_rule(const Rules& item) {
  RowExplanation told{.row = *item.row, .output = item.output, .weighed = false};
  const Rule& rule = item.rules.front();
  for (const ShownCondition& condition : rule.conditions) told.parts[condition.feature] = 1;
  told.near = rule.precision;
  told.far = rule.perturbed_precision;
  if (rule.low && rule.high) told.doubt = (*rule.high - *rule.low) / 2;
  told.covers = rule.support;
  told.said = told.predicted = rule.effect;
  return told;
}

bool has_outcome(const Counterfactuals& item, const CounterfactualRow& change) {
  if (!item.wanted_class.empty()) return change.predicted_class == item.wanted_class;
  return (!item.at_least || change.prediction >= *item.at_least) &&
         (!item.at_most || change.prediction <= *item.at_most);
}

RowExplanation of_change(const Counterfactuals& item) {
  // Of a model with one output the item names none, and its details do.
  const Value* output = item.details.find("prediction_of");
  RowExplanation told{.row = item.row, .output = output != nullptr ? output->as_string() : item.output};
  const CounterfactualRow& change = item.changes.front();
  for (const auto& [feature, value] : change.values.as_object()) {
    const Value *own = item.data.find(feature), *cost = change.costs.find(feature);
    const double size = cost != nullptr && cost->is_number() ? cost->as_number() : 1;
    if (value.is_number() && own != nullptr && own->is_number()) {
      told.parts[feature] = value.as_number() < own->as_number() ? -size : size;
    } else {
      told.parts[feature + (value.is_string() ? " = " + value.as_string() : " missing")] = size;
    }
  }
  told.near = has_outcome(item, change) ? 1 : 0;
  // By how much a smaller change may be cheaper.
  const std::optional<double> bound = change.proof ? change.proof->bound : std::nullopt;
  if (change.proof && change.proof->status == ProofStatus::optimal) {
    told.doubt = 0;
  } else if (bound && change.cost > 0) {
    told.doubt = std::max(0.0, 1 - *bound / change.cost);
  }
  return told;
}

std::vector<RowExplanation> all_of(const Result& result) {
  std::vector<RowExplanation> all;
  for (const ResultItem& item : result.results) {
    if (const auto* line = item.as<Terms>(); line != nullptr && line->row) all.push_back(of_line(*line));
    if (const auto* rules = item.as<Rules>(); rules != nullptr && rules->row && !rules->rules.empty())
      all.push_back(of_rule(*rules));
    if (const auto* change = item.as<Counterfactuals>(); change != nullptr && !change->changes.empty())
      all.push_back(of_change(*change));
    if (const auto* values = item.as<Attributions>()) {
      for (std::size_t row = 0; row < values->rows.size(); ++row) all.push_back(of_values(*values, row));
    }
  }
  return all;
}

// Of the outputs of a row: what the explanations say is highest, and that of the one that is highest.
RowExplanation of_predicted(std::vector<RowExplanation> outputs, double middle) {
  const auto by = [](const std::optional<double>& a, const std::optional<double>& b) {
    return a.value_or(-INFINITY) < b.value_or(-INFINITY);
  };
  const auto predicted = std::max_element(outputs.begin(), outputs.end(),
                                          [&](const auto& a, const auto& b) { return by(a.predicted, b.predicted); });
  const auto said = std::max_element(outputs.begin(), outputs.end(),
                                     [&](const auto& a, const auto& b) { return by(a.said, b.said); });
  RowExplanation told = *predicted;
  if (outputs.size() > 1) {
    told.same_class = said == predicted;
    told.said_class = said->output;
  } else if (told.said && told.predicted) {
    told.same_class = (*told.said > middle) == (*told.predicted > middle);
  }
  told.predicted_output = std::exchange(told.output, {});
  return told;
}

std::map<std::string, double> shares(const std::map<std::string, double>& parts) {
  double sum = 0;
  for (const auto& [name, size] : parts) sum += std::abs(size);
  std::map<std::string, double> found;
  for (const auto& [name, size] : parts) {
    if (sum > 0) found[name] = size / sum;
  }
  return found;
}

}  // namespace

std::vector<RowExplanation> row_explanations(const Result& result, bool classes) {
  std::vector<RowExplanation> all = all_of(result);
  if (!classes) {
    for (RowExplanation& told : all) told.predicted_output = told.output;
    return all;
  }
  std::map<std::uint64_t, std::vector<RowExplanation>> by_row;
  for (RowExplanation& told : all) by_row[told.row].push_back(std::move(told));
  std::vector<RowExplanation> found;
  for (auto& [row, outputs] : by_row) found.push_back(of_predicted(std::move(outputs), middle_of(result)));
  return found;
}

double likeness(const RowExplanation& a, const RowExplanation& b) {
  const std::map<std::string, double> of_a = shares(a.parts), of_b = shares(b.parts);
  std::set<std::string> names;
  for (const auto& [name, share] : of_a) names.insert(name);
  for (const auto& [name, share] : of_b) names.insert(name);
  const auto at = [](const std::map<std::string, double>& parts, const std::string& name) {
    const auto found = parts.find(name);
    return found != parts.end() ? found->second : 0;
  };
  double common = 0, all = 0;
  for (const std::string& name : names) {
    const double x = at(of_a, name), y = at(of_b, name);
    if (x * y < 0) {
      all += std::abs(x) + std::abs(y);
    } else {
      common += std::min(std::abs(x), std::abs(y));
      all += std::max(std::abs(x), std::abs(y));
    }
  }
  // Neither names anything: a rule without conditions, a model that nothing moves.
  return all > 0 ? std::min(common / all, 1.0) : 1;
}

}  // namespace sightglass
