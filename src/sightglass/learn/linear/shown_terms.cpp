#include "sightglass/learn/linear/shown_terms.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/learn/shown_parts.h"

namespace sightglass {

namespace {

// Terms of a path that a picture can still tell apart.
constexpr std::size_t most_path_terms = 30;

// [output][column], per unit of the column before it was scaled.
std::vector<std::vector<double>> in_own_units(const LinearProblem& problem, const LinearFit& fit) {
  std::vector<std::vector<double>> outputs;
  const std::size_t terms = problem.basis.terms();
  for (std::size_t k = 0; k < fit.intercepts.size(); ++k) {
    outputs.push_back(problem.basis.to_columns(std::span(fit.coefficients).subspan(k * terms, terms)));
    for (std::size_t c = 0; c < outputs.back().size(); ++c) outputs.back()[c] /= problem.design.columns()[c].scale;
  }
  return outputs;
}

// One per output, for features as they are. Those of classes can all be moved together without a change: their mean is
// 0.
std::vector<double> intercepts_of(const LinearProblem& problem, const LinearFit& fit,
                                  const std::vector<std::vector<double>>& coefficients) {
  std::vector<double> intercepts = fit.intercepts;
  double mean = 0;
  for (std::size_t k = 0; k < intercepts.size(); ++k) {
    for (std::size_t c = 0; c < coefficients[k].size(); ++c) {
      intercepts[k] -= coefficients[k][c] * problem.design.columns()[c].centre;
    }
    mean += intercepts[k] / static_cast<double>(intercepts.size());
  }
  if (problem.outcomes.distribution == OutcomeDistribution::multinomial) {
    for (double& intercept : intercepts) intercept -= mean;
  }
  return intercepts;
}

bool stands_for_missing(const DesignColumn& column, const FeatureInfo& feature) {
  return column.kind == DesignColumn::Kind::missing ||
         (column.kind == DesignColumn::Kind::level && column.level == feature.levels.size());
}

std::vector<ShownCondition> conditions_of(const Design& design, std::size_t c) {
  const DesignColumn& column = design.columns()[c];
  const FeatureInfo& feature = design.data().features[column.feature].info;
  if (column.kind == DesignColumn::Kind::number) return {};
  ShownCondition condition{.feature = feature.name, .categorical = feature.categorical};
  if (stands_for_missing(column, feature)) {
    condition.missing = true;
  } else {
    condition.levels = {feature.levels[column.level]};
  }
  return {condition};
}

}  // namespace

std::string column_name(const Design& design, std::size_t column) {
  const auto conditions = conditions_of(design, column);
  if (!conditions.empty()) return conditions_text(conditions);
  return design.data().features[design.columns()[column].feature].info.name;
}

TermStructure structure_of(const LinearProblem& problem, const LinearFit& fit) {
  const auto coefficients = in_own_units(problem, fit);
  TermStructure structure;
  structure.intercept = intercepts_of(problem, fit, coefficients);
  for (std::size_t c = 0; c < problem.design.size(); ++c) {
    const DesignColumn& column = problem.design.columns()[c];
    Term term;
    bool any = false;
    for (const auto& output : coefficients) {
      term.weights.push_back(output[c]);
      any = any || output[c] != 0;
    }
    if (!any) continue;
    term.moments = {column.mean, column.deviation};
    if (column.kind == DesignColumn::Kind::number) {
      term.feature = column.feature;
      term.missing = column.centre;
    } else {
      TermCondition condition{.feature = column.feature};
      if (stands_for_missing(column, problem.design.data().features[column.feature].info)) {
        // No number is above, so that a missing value alone meets it.
        condition.above = std::numeric_limits<double>::infinity();
        condition.missing = true;
      } else {
        condition.levels = {column.level};
      }
      term.conditions.push_back(std::move(condition));
    }
    structure.terms.push_back(std::move(term));
  }
  return structure;
}

std::vector<Terms> terms_of(const LinearProblem& problem, const LinearFit& fit,
                            const std::optional<Inference>& inference, const std::vector<std::string>& outputs) {
  const auto coefficients = in_own_units(problem, fit);
  const auto intercepts = intercepts_of(problem, fit, coefficients);
  const double width = inference ? interval_width(*inference) : 0;
  std::vector<Terms> shown;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    Terms terms{.output = outputs[k],
                .group = {},
                .link = shown_link(link_of(problem.outcomes.distribution)),
                .intercept = intercepts[k],
                .terms = {}};
    if (inference) terms.intercept_se = inference->intercept_se[k];
    for (std::size_t c = 0; c < problem.design.size(); ++c) {
      const double coefficient = coefficients[k][c];
      if (coefficient == 0) continue;
      const DesignColumn& column = problem.design.columns()[c];
      LinearTerm term{.features = {problem.design.data().features[column.feature].info.name},
                      .conditions = conditions_of(problem.design, c),
                      .coefficient = coefficient,
                      .standardized = coefficient * column.deviation};
      const double se = inference ? inference->se[k * problem.design.size() + c] : 0;
      if (se > 0) {
        term.se = se;
        term.low = coefficient - width * se;
        term.high = coefficient + width * se;
        term.p_value = two_sided_p(*inference, coefficient / se);
      }
      terms.terms.push_back(std::move(term));
    }
    std::stable_sort(terms.terms.begin(), terms.terms.end(), [](const LinearTerm& a, const LinearTerm& b) {
      return std::abs(*a.standardized) > std::abs(*b.standardized);
    });
    shown.push_back(std::move(terms));
  }
  return shown;
}

std::vector<PenaltyPath> penalty_paths(const LinearProblem& problem, const LinearPath& path,
                                       const std::vector<std::string>& outputs) {
  const Basis& basis = problem.basis;
  std::vector<std::uint64_t> nonzero;
  for (const LinearFit& fit : path.fits) nonzero.push_back(units_in(fit, basis).size());
  std::vector<PenaltyPath> shown;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    PenaltyPath one{.output = outputs[k], .group = {}, .penalties = path.penalties, .nonzero = nonzero, .terms = {}};
    std::vector<std::pair<double, PathTerm>> terms;
    for (const Basis::Unit& unit : basis.units()) {
      const DesignColumn& column = problem.design.columns()[unit.first_column];
      PathTerm term{.name = unit.grouped() ? problem.design.data().features[column.feature].info.name
                                           : column_name(problem.design, unit.first_column),
                    .coefficients = {}};
      double largest = 0;
      for (const LinearFit& fit : path.fits) {
        const double* own = fit.coefficients.data() + k * basis.terms() + unit.first_term;
        double value = own[0] / column.scale * column.deviation;
        if (unit.grouped()) {
          // The standard deviation of the feature's effect.
          value = 0;
          for (std::size_t i = 0; i < unit.terms; ++i) value += own[i] * own[i];
          value = std::sqrt(value);
        }
        term.coefficients.push_back(value);
        largest = std::max(largest, std::abs(value));
      }
      if (largest > 0) terms.emplace_back(largest, std::move(term));
    }
    std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < std::min(most_path_terms, terms.size()); ++i) {
      one.terms.push_back(std::move(terms[i].second));
    }
    shown.push_back(std::move(one));
  }
  return shown;
}

}  // namespace sightglass
