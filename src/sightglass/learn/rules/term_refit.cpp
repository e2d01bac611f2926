#include "sightglass/learn/rules/term_refit.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "sightglass/learn/linear/fitter.h"
#include "sightglass/learn/linear/shown_terms.h"

namespace sightglass {

namespace {

// Margins beyond this are probabilities of 0 and 1 but for 3e-7: without a penalty they would grow for ever.
constexpr double extreme_margin = 15;
constexpr double ridge = 1e-6;
constexpr double last_gain = 1e-24;

OutcomeDistribution distribution_of(Task task) {
  switch (task) {
    case Task::regression: return OutcomeDistribution::gaussian;
    case Task::binary: return OutcomeDistribution::binomial;
    case Task::multiclass: return OutcomeDistribution::multinomial;
  }
  return OutcomeDistribution::gaussian;
}

// The terms as columns of numbers.
class TermColumns {
 public:
  TermColumns(const RuleTerms& terms, std::span<const double> outcome, std::span<const std::uint32_t> chosen)
      : chosen_(chosen) {
    const std::vector<std::uint32_t>& positions = terms.rows.rows.position_of;
    data_.rows = positions.size();
    for (const std::uint32_t position : positions) {
      data_.outcome.push_back(outcome[position]);
      data_.weights.push_back(terms.rows.weights[position]);
    }
    for (const std::uint32_t term : chosen) {
      TrainingFeature& column = data_.features.emplace_back();
      column.values.reserve(data_.rows);
      for (const std::uint32_t position : positions) column.values.push_back(terms.value_at(term, position));
    }
    const double total = data_.total_weight();
    shares_ = data_.weights;
    for (double& share : shares_) share /= total;
  }

  [[nodiscard]] const TrainingData& data() const { return data_; }
  [[nodiscard]] const std::vector<double>& shares() const { return shares_; }

  [[nodiscard]] RuleSolution solution(const LinearProblem& problem, const LinearFit& fit) const {
    const TermStructure structure = structure_of(problem, fit);
    RuleSolution solution{structure.intercept, std::vector<std::vector<TermWeight>>(structure.intercept.size())};
    for (const Term& term : structure.terms) {
      for (std::size_t k = 0; k < term.weights.size(); ++k) {
        if (term.weights[k] != 0) solution.weights[k].push_back({chosen_[term.feature], term.weights[k]});
      }
    }
    return solution;
  }

 private:
  std::span<const std::uint32_t> chosen_;
  TrainingData data_;
  std::vector<double> shares_;
};

std::vector<std::vector<double>> margins_of(const RuleTerms& terms, const RuleSolution& solution) {
  std::vector<std::vector<double>> margins;
  for (std::size_t k = 0; k < solution.intercepts.size(); ++k) {
    margins.emplace_back(terms.rows.rows.positions(), solution.intercepts[k]);
    for (const TermWeight& weight : solution.weights[k])
      terms.add_predictions(weight.term, weight.weight, 0, terms.rows.rows.words(), margins[k].data());
  }
  return margins;
}

double largest_margin(const RuleTerms& terms, const RuleSolution& solution) {
  double largest = 0;
  for (const auto& margins : margins_of(terms, solution)) {
    for (const std::uint32_t position : terms.rows.rows.position_of)
      largest = std::max(largest, std::abs(margins[position]));
  }
  return largest;
}

// Only differences between classes matter.
void centre_classes(RuleSolution& solution, std::span<const std::uint32_t> chosen) {
  const auto outputs = static_cast<double>(solution.intercepts.size());
  const double mean = std::accumulate(solution.intercepts.begin(), solution.intercepts.end(), 0.0) / outputs;
  for (double& intercept : solution.intercepts) intercept -= mean;
  std::vector<std::vector<TermWeight>> centred(solution.weights.size());
  for (const std::uint32_t term : chosen) {
    std::vector<double> weights;
    for (std::size_t k = 0; k < solution.weights.size(); ++k) weights.push_back(solution.weight(k, term));
    const double middle = std::accumulate(weights.begin(), weights.end(), 0.0) / outputs;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (weights[k] != middle) centred[k].push_back({term, weights[k] - middle});
    }
  }
  solution.weights = std::move(centred);
}

}  // namespace

Refit refit_terms(const RuleTerms& terms, std::span<const double> outcome, Task task, std::size_t classes,
                  std::span<const std::uint32_t> chosen, const Context& context) {
  // Large numbers of the outcome have squares that overflow.
  double unit = 0;
  for (const double y : outcome) unit = std::max(unit, std::abs(y));
  if (task != Task::regression || unit == 0) unit = 1;
  std::vector<double> in_units(outcome.begin(), outcome.end());
  for (double& y : in_units) y /= unit;
  const TermColumns columns(terms, in_units, chosen);
  const Design design(columns.data(), {.standardize = true}, context);
  const Basis basis(design, false);
  const std::size_t outputs = task == Task::multiclass ? classes : 1;
  const LinearProblem problem{
      design, basis, {distribution_of(task), columns.data().outcome, outputs}, columns.shares()};
  const auto fitter = make_fitter(problem, {}, context);
  FoundFit found = fitter->refitted(basis.all_units());
  if (task != Task::regression) {
    // It ends where nothing more is to be gained, half as many digits before coefficients have settled.
    ProximalNewton newton(problem, context);
    newton.start_from(found.fit);
    static_cast<void>(newton.solve({.lambda = 0}, last_gain, 3));
    found.fit = newton.fit();
  }
  Refit refit{columns.solution(problem, found.fit)};
  if (task == Task::regression) {
    refit.solution.scale_by(unit);
    refit.settled = found.converged;
    return refit;
  }
  if (!found.converged || largest_margin(terms, refit.solution) > extreme_margin) {
    refit.ridge = ridge;
    const FoundFit held = fitter->polished({.lambda = ridge, .l1_ratio = 0}, fitter->refitted({}).fit);
    refit.solution = columns.solution(problem, held.fit);
    refit.settled = held.converged;
  }
  if (task == Task::multiclass) centre_classes(refit.solution, chosen);
  return refit;
}

}  // namespace sightglass
