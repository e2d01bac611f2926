#include "sightglass/learn/rules/rule_model.h"

#include <algorithm>
#include <cmath>

namespace sightglass {

namespace {

// Each term's part, and its features' shares of it.
template <class Part>
RuleImportance divided(const RuleModel& model, std::size_t features, const Part& part) {
  RuleImportance importance{.terms = {}, .features = std::vector<double>(features)};
  for (std::size_t t = 0; t < model.structure.terms.size(); ++t) {
    const Term& term = model.structure.terms[t];
    importance.terms.push_back(part(t));
    if (term.conditions.empty()) importance.features[term.feature] += importance.terms[t];
    for (const TermCondition& condition : term.conditions)
      importance.features[condition.feature] += importance.terms[t] / static_cast<double>(term.conditions.size());
  }
  return importance;
}

struct Chosen {
  std::uint32_t number = 0;
  Term term;
  double importance = 0;  // of all outputs
};

Chosen chosen_term(const RuleTerms& terms, std::uint32_t number, std::size_t outputs) {
  Chosen chosen{.number = number, .term = {.weights = std::vector<double>(outputs)}};
  if (number < terms.rules.size()) {
    const double support = std::clamp(terms.supports[number], 0.0, 1.0);
    chosen.term.conditions = terms.conditions(number);
    chosen.term.moments = {support, std::sqrt(support * (1 - support))};
    return chosen;
  }
  const LinearColumn& column = terms.linear[number - terms.rules.size()];
  chosen.term.feature = column.feature;
  chosen.term.low = column.low;
  chosen.term.high = column.high;
  chosen.term.missing = column.mean;
  chosen.term.moments = {column.mean, column.sd};
  return chosen;
}

}  // namespace

RuleModel make_rule_model(const RuleTerms& terms, const RuleSolution& solution) {
  const std::size_t outputs = solution.intercepts.size();
  RuleModel model;
  model.structure.intercept = solution.intercepts;
  std::vector<Chosen> all;
  for (const std::uint32_t number : solution.terms()) {
    Chosen chosen = chosen_term(terms, number, outputs);
    const bool linear = number >= terms.rules.size();
    const double scale = linear ? terms.linear[number - terms.rules.size()].scale : 1;
    for (std::size_t k = 0; k < outputs; ++k) {
      chosen.term.weights[k] = solution.weight(k, number) * scale;
      if (linear) model.structure.intercept[k] -= chosen.term.weights[k] * chosen.term.moments->mean;
      chosen.importance += std::abs(chosen.term.weights[k]) * chosen.term.moments->sd;
    }
    if (!linear) ++model.rules;
    all.push_back(std::move(chosen));
  }
  std::stable_sort(all.begin(), all.end(), [&](const Chosen& a, const Chosen& b) {
    const bool a_linear = a.number >= terms.rules.size(), b_linear = b.number >= terms.rules.size();
    return a_linear != b_linear ? b_linear : a.importance > b.importance;
  });
  for (Chosen& chosen : all) {
    model.structure.terms.push_back(std::move(chosen.term));
    model.numbers.push_back(chosen.number);
  }
  return model;
}

LinkFunction link_of(Task task) {
  switch (task) {
    case Task::regression: return {Link::identity};
    case Task::binary: return {Link::logistic};
    case Task::multiclass: return {Link::softmax};
  }
  return {};
}

std::vector<double> margins(const TermStructure& structure, std::span<const double> row) {
  std::vector<double> sums = structure.intercept;
  for (const Term& term : structure.terms) {
    const double value = term_value(term, row);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += term.weights[k] * value;
  }
  return sums;
}

RuleImportance rule_importance(const RuleModel& model, std::size_t output, std::size_t features) {
  return divided(model, features, [&](std::size_t t) {
    return std::abs(model.structure.terms[t].weights[output]) * model.structure.terms[t].moments->sd;
  });
}

std::vector<std::vector<std::size_t>> similar_rules(const RuleModel& model, const RuleTerms& terms) {
  std::vector<std::vector<std::size_t>> groups;
  std::vector<std::uint8_t> grouped(model.rules);
  for (std::size_t a = 0; a < model.rules; ++a) {
    if (grouped[a] != 0) continue;
    std::vector<std::size_t> group = {a};
    for (std::size_t b = a + 1; b < model.rules; ++b) {
      if (grouped[b] != 0 || !terms.share_rows(model.numbers[a], model.numbers[b])) continue;
      group.push_back(b);
      grouped[b] = 1;
    }
    if (group.size() > 1) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace sightglass
