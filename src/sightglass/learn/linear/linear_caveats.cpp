#include "sightglass/learn/linear/linear_caveats.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "sightglass/base/text.h"
#include "sightglass/learn/linear/gram.h"
#include "sightglass/learn/linear/shown_terms.h"

namespace sightglass {

namespace {

// Two terms that say so much of the same can stand in for one another.
constexpr double strong_correlation = 0.9;
constexpr std::size_t most_compared = 300;
// Of the sum of terms: a probability that differs from 0 or 1 by no more than 1e-8.
constexpr double extreme_eta = 18;

std::string number_text(double value) {
  std::string text = std::to_string(std::round(value * 100) / 100);
  return text.substr(0, text.find('.') + 3);
}

void add_collinear(const JudgedFit& fit, const Context& context, std::vector<Caveat>& caveats) {
  const Design& design = fit.problem.design;
  if (fit.inference && !fit.inference->left_out.empty()) {
    std::string names;
    Value features = Value::array();
    for (const std::uint32_t c : fit.inference->left_out) {
      names += (names.empty() ? "" : ", ") + column_name(design, c);
      features.push_back(design.data().features[design.columns()[c].feature].info.name);
    }
    caveats.push_back({.id = "terms-left-out",
                       .severity = Severity::caution,
                       .message = Text(names) + " follow from other terms, and are left out of the model",
                       .evidence = Value::object({{"features", std::move(features)}}),
                       .advice = "leave out what says the same twice, or use a penalty"});
  }
  std::vector<std::uint32_t> chosen;
  const auto coefficients = structure_of(fit.problem, fit.found.fit).terms;
  for (std::uint32_t c = 0; c < design.size(); ++c) {
    if (design.columns()[c].kind != DesignColumn::Kind::number) continue;
    const bool in = std::any_of(coefficients.begin(), coefficients.end(), [&](const Term& term) {
      return term.conditions.empty() && term.feature == design.columns()[c].feature;
    });
    if (in) chosen.push_back(c);
  }
  if (chosen.size() < 2 || chosen.size() > most_compared) return;
  const Products sums = sums_of_products(design, {.columns = chosen, .weights = fit.problem.weights}, context)[0];
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double correlation = sums(i, j) / std::sqrt(sums(i, i) * sums(j, j));
      if (!(std::abs(correlation) > strong_correlation)) continue;
      const std::string& a = design.data().features[design.columns()[chosen[j]].feature].info.name;
      const std::string& b = design.data().features[design.columns()[chosen[i]].feature].info.name;
      caveats.push_back({.id = "collinear-terms",
                         .severity = Severity::caution,
                         .message = feature_name(a) + " and " + feature_name(b) + " go together (correlation " +
                                    number_text(correlation) +
                                    "): how their common effect is divided between them is uncertain",
                         .evidence = Value::object({{"feature", a}, {"other", b}, {"correlation", correlation}}),
                         .advice = "read the two coefficients together, or leave one feature out"});
    }
  }
}

void add_separable(const JudgedFit& fit, const Context& context, std::vector<Caveat>& caveats) {
  const OutcomeDistribution distribution = fit.problem.outcomes.distribution;
  if (distribution != OutcomeDistribution::binomial && distribution != OutcomeDistribution::multinomial) return;
  if (fit.selected && fit.path.losses.empty() && fit.found.loss > 0) return;  // a penalty holds the coefficients
  const std::size_t terms = fit.problem.basis.terms();
  double largest = 0;
  for (std::size_t k = 0; k < fit.problem.outcomes.outputs; ++k) {
    const auto columns = fit.problem.basis.to_columns(std::span(fit.found.fit.coefficients).subspan(k * terms, terms));
    for (const double sum : times(fit.problem.design, columns, context)) {
      largest = std::max(largest, std::abs(sum + fit.found.fit.intercepts[k]));
    }
  }
  if (largest < extreme_eta) return;
  caveats.push_back({.id = "separable",
                     .severity = Severity::warning,
                     .message = "some rows are told apart without any error, so that coefficients have no limit: their "
                                "sizes and standard errors mean little",
                     .evidence = Value::object({{"largest_margin", largest}}),
                     .advice = marked("use a penalty, or look for a feature that gives the outcome away")});
}

}  // namespace

bool is_constant(const LinearProblem& problem) {
  const auto values = problem.outcomes.values;
  return std::all_of(values.begin(), values.end(), [&](double y) { return y == values[0]; });
}

std::vector<Caveat> linear_caveats(const JudgedFit& fit, const Context& context) {
  std::vector<Caveat> caveats;
  if (is_constant(fit.problem)) {
    caveats.push_back({.id = "constant-outcome",
                       .severity = Severity::warning,
                       .message = "the outcome is the same in all rows: the model is a constant",
                       .advice = "check the target and the choice of rows"});
  } else if (fit.problem.design.size() == 0) {
    caveats.push_back({.id = "constant-features",
                       .severity = Severity::warning,
                       .message = "every feature is the same in all rows: the model is a constant",
                       .advice = "check the features and the choice of rows"});
  }
  if (fit.selected) {
    caveats.push_back({.id = "no-standard-errors",
                       .severity = Severity::note,
                       .message = "terms were chosen by the same rows that they are fitted to, so that there are no "
                                  "standard errors; penalised coefficients are smaller than the effects",
                       .advice = marked("for standard errors fit chosen features again with {option:penalty} 0, to "
                                        "rows that were not used to choose them")});
  }
  if (fit.inference && fit.inference->degrees_of_freedom <= 0) {
    caveats.push_back({.id = "saturated",
                       .severity = Severity::warning,
                       .message = "there are as many terms as rows, so that the model fits any outcome and has no "
                                  "standard errors",
                       .advice = marked("use a penalty, fewer features or more rows")});
  }
  if (!fit.found.converged) {
    caveats.push_back({.id = "not-converged",
                       .severity = Severity::caution,
                       .message = "the search for the coefficients ended before they settled",
                       .advice = "use a larger penalty, or scale the features"});
  }
  if (fit.path_length > 0 && !fit.path.penalties.empty() && fit.path.penalties.size() < fit.path_length) {
    caveats.push_back({.id = "path-cut",
                       .severity = Severity::caution,
                       .message = "smaller penalties were not tried: too many terms would be in the model",
                       .evidence = Value::object({{"smallest_penalty", fit.path.penalties.back()}}),
                       .advice = "leave out features with very many levels"});
  }
  add_separable(fit, context, caveats);
  add_collinear(fit, context, caveats);
  return caveats;
}

}  // namespace sightglass
