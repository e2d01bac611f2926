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
constexpr std::size_t most_values = std::size_t{1} << 26;  // rows × terms
constexpr int most_rounds = 20;

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

  // Columns are centred there, and not scaled.
  [[nodiscard]] LinearFit linear_fit(const Design& design, const RuleSolution& solution) const {
    LinearFit fit{solution.intercepts, std::vector<double>(solution.intercepts.size() * design.size())};
    for (std::size_t c = 0; c < design.size(); ++c) {
      const DesignColumn& column = design.columns()[c];
      for (std::size_t k = 0; k < fit.intercepts.size(); ++k) {
        const double weight = solution.weight(k, chosen_[column.feature]);
        fit.coefficients[k * design.size() + c] = weight;
        fit.intercepts[k] += weight * column.centre;
      }
    }
    return fit;
  }

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

// Of the mean log loss, negative, of each output and term.
std::vector<std::vector<double>> class_gradients(const RuleGram& gram, std::span<const double> outcome,
                                                 std::vector<std::vector<double>> margins, const Context& context) {
  const std::vector<double>& weights = gram.terms().rows.weights;
  const LinkFunction link{margins.size() == 1 ? Link::logistic : Link::softmax};
  std::vector<double> row(margins.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = margins[k][i];
    link.apply(row.data(), row.size(), 1);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double is = row.size() == 1 ? outcome[i] : static_cast<double>(outcome[i] == static_cast<double>(k));
      margins[k][i] = weights[i] > 0 ? weights[i] / gram.weight_sums().back() * (is - row[k]) : 0;
    }
  }
  std::vector<std::vector<double>> gradients;
  for (const auto& residuals : margins) {
    const std::vector<double> sums = gram.sums(residuals.data(), context);
    gradients.emplace_back(sums.end() - static_cast<std::ptrdiff_t>(gram.size()), sums.end());
  }
  return gradients;
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
    return refit;
  }
  if (!found.converged || largest_margin(terms, refit.solution) > extreme_margin) {
    refit.ridge = ridge;
    refit.solution =
        columns.solution(problem, fitter->polished({.lambda = ridge, .l1_ratio = 0}, fitter->refitted({}).fit).fit);
  }
  if (task == Task::multiclass) centre_classes(refit.solution, chosen);
  return refit;
}

RuleSolution polish_classes(const RuleGram& gram, std::span<const double> outcome, std::size_t outputs, double penalty,
                            const RuleSolution& near, const Context& context) {
  const RuleTerms& terms = gram.terms();
  std::vector<std::uint32_t> chosen = near.terms();
  RuleSolution solution = near;
  for (int round = 0; round < most_rounds; ++round) {
    if (chosen.empty() || terms.rows.rows.position_of.size() > most_values / chosen.size()) break;
    const TermColumns columns(terms, outcome, chosen);
    const Design design(columns.data(), {.standardize = false}, context);
    const Basis basis(design, false);
    const OutcomeDistribution distribution = distribution_of(outputs == 1 ? Task::binary : Task::multiclass);
    const LinearProblem problem{design, basis, {distribution, columns.data().outcome, outputs}, columns.shares()};
    const auto fitter = make_fitter(problem, {}, context);
    const FoundFit found = fitter->polished({.lambda = penalty, .l1_ratio = 1}, columns.linear_fit(design, solution));
    if (!found.converged) break;
    solution = columns.solution(problem, found.fit);
    // Terms that are not among them may belong to it too.
    const auto gradients = class_gradients(gram, outcome, margins_of(terms, solution), context);
    std::vector<std::uint32_t> next = solution.terms();
    for (std::uint32_t term = 0; term < gram.size(); ++term) {
      const bool above = std::any_of(gradients.begin(), gradients.end(),
                                     [&](const auto& g) { return std::abs(g[term]) > penalty * (1 + 1e-6); });
      if (above && !std::binary_search(chosen.begin(), chosen.end(), term)) next.push_back(term);
    }
    if (next.size() == solution.terms().size()) break;
    std::sort(next.begin(), next.end());
    chosen = std::move(next);
  }
  return solution;
}

}  // namespace sightglass
