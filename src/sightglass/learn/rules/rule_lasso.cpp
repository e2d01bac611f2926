#include "sightglass/learn/rules/rule_lasso.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sightglass/learn/linear/coordinate_descent.h"
#include "sightglass/learn/rules/rule_fits_internal.h"

namespace sightglass {

namespace {

// How close to the best a solution is, as a share of the loss without terms. What folds are for needs less.
constexpr double on_the_path = 1e-5, for_folds = 1e-3;
constexpr std::size_t patience = 3;        // so many penalties without a better held-out loss end the path
constexpr double explained_enough = 1e-3;  // of the loss without terms is left

struct Scaled {
  std::vector<double> outcome;
  double mean = 0, scale = 1;  // of numbers; classes stay as they are
};

Scaled scaled_outcome(const RuleGram& gram, std::span<const double> outcome, Task task) {
  Scaled scaled{{outcome.begin(), outcome.end()}};
  if (task != Task::regression) return scaled;
  const std::vector<double>& weights = gram.terms().rows.weights;
  const double total = gram.weight_sums().back();
  double largest = 0, mean = 0, square = 0;
  for (std::size_t i = 0; i < outcome.size(); ++i) {
    if (weights[i] > 0) largest = std::max(largest, std::abs(outcome[i]));
  }
  if (largest == 0) largest = 1;
  for (std::size_t i = 0; i < outcome.size(); ++i) mean += weights[i] * (outcome[i] / largest);
  mean /= total;
  for (std::size_t i = 0; i < outcome.size(); ++i) {
    const double off = outcome[i] / largest - mean;
    square += weights[i] * off * off;
  }
  scaled.mean = mean * largest;
  scaled.scale = std::sqrt(square / total) * largest;
  // What rounding of a constant leaves is none of it.
  if (!(scaled.scale > 1e-13 * std::abs(scaled.mean))) scaled.scale = 0;
  for (double& value : scaled.outcome) value = scaled.scale > 0 ? (value - scaled.mean) / scaled.scale : 0;
  return scaled;
}

RuleSolution in_units(RuleSolution solution, const Scaled& scaled) {
  solution.scale_by(scaled.scale);
  for (double& intercept : solution.intercepts) intercept += scaled.mean;
  return solution;
}

std::unique_ptr<RuleFit> make_fit(const RuleGram& gram, const Scaled& scaled, const std::vector<double>& target_sums,
                                  Task task, std::size_t classes, std::size_t left_out) {
  if (task == Task::regression) return squared_fit(gram, scaled.outcome, target_sums, left_out);
  return logistic_fit(gram, scaled.outcome, task == Task::multiclass ? classes : 1, left_out);
}

// Σ w x y for each fold and term.
std::vector<double> target_sums_of(const RuleGram& gram, std::span<const double> outcome, Task task,
                                   const Context& context) {
  if (task != Task::regression) return {};
  std::vector<double> weighted(outcome.begin(), outcome.end());
  for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] *= gram.terms().rows.weights[i];
  return gram.sums(weighted.data(), context);
}

using Fits = std::span<const std::unique_ptr<RuleFit>>;

// What any of the fits wants to look at closer is found once for all.
void join(Fits fits, std::span<const std::vector<std::uint32_t>> wanted, RuleGram& gram, const Context& context) {
  std::vector<std::uint32_t> together;
  for (const auto& terms : wanted) together.insert(together.end(), terms.begin(), terms.end());
  std::sort(together.begin(), together.end());
  together.erase(std::unique(together.begin(), together.end()), together.end());
  gram.require(together, context);
  context.parallel_for(fits.size(), [&](std::size_t f) {
    if (!wanted[f].empty()) fits[f]->join(wanted[f]);
  });
}

// Until no term is missing.
void settle(Fits fits, double penalty, double accuracy, RuleGram& gram, const Context& context) {
  std::vector<std::vector<std::uint32_t>> wanted(fits.size());
  std::vector<std::uint8_t> done(fits.size());
  while (std::find(done.begin(), done.end(), 0) != done.end()) {
    context.parallel_for(fits.size(), [&](std::size_t f) {
      context.check();
      if (done[f] != 0) return;
      wanted[f] = fits[f]->solve(penalty, accuracy);
      done[f] = wanted[f].empty() ? 1 : 0;
    });
    join(fits, wanted, gram, context);
  }
}

// Fits at one penalty, side by side, starting where they probably end.
void solve_all(Fits fits, double penalty, const std::vector<std::vector<double>>& change, double accuracy,
               RuleGram& gram, const Context& context) {
  std::vector<std::vector<std::uint32_t>> wanted;
  for (const auto& fit : fits) wanted.push_back(fit->expected(penalty));
  join(fits, wanted, gram, context);
  context.parallel_for(fits.size(), [&](std::size_t f) { fits[f]->start_along(change); });
  settle(fits, penalty, accuracy, gram, context);
}

// From one solution to another, per output and term.
std::vector<std::vector<double>> change_between(const RuleSolution& from, const RuleSolution& to, double factor,
                                                std::size_t terms) {
  std::vector<std::vector<double>> change(to.weights.size(), std::vector<double>(terms));
  for (std::size_t k = 0; k < change.size(); ++k) {
    for (const TermWeight& weight : from.weights[k]) change[k][weight.term] -= factor * weight.weight;
    for (const TermWeight& weight : to.weights[k]) change[k][weight.term] += factor * weight.weight;
  }
  return change;
}

void find_held_out_loss(const std::vector<std::unique_ptr<RuleFit>>& fits, const RuleGram& gram, double unit,
                        RulePathPoint& point, const Context& context) {
  const std::size_t folds = gram.folds();
  std::vector<double> losses(folds);
  context.parallel_for(folds, [&](std::size_t fold) { losses[fold] = fits[fold]->held_out_loss() * unit; });
  const double total = gram.weight_sums().back();
  for (std::size_t fold = 0; fold < folds; ++fold) point.cv_mean += gram.weight_sums()[fold] / total * losses[fold];
  double variance = 0;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const double off = losses[fold] - point.cv_mean;
    variance += gram.weight_sums()[fold] / total * off * off;
  }
  point.cv_se = std::sqrt(variance / static_cast<double>(folds - 1));
}

}  // namespace

std::vector<std::uint32_t> RuleSolution::terms() const {
  std::vector<std::uint32_t> terms;
  for (const auto& of_output : weights) {
    for (const TermWeight& weight : of_output) terms.push_back(weight.term);
  }
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

double RuleSolution::weight(std::size_t output, std::uint32_t term) const {
  const auto at = std::lower_bound(weights[output].begin(), weights[output].end(), term,
                                   [](const TermWeight& weight, std::uint32_t wanted) { return weight.term < wanted; });
  return at == weights[output].end() || at->term != term ? 0 : at->weight;
}

void RuleSolution::scale_by(double factor) {
  for (double& intercept : intercepts) intercept *= factor;
  for (auto& of_output : weights) {
    for (TermWeight& weight : of_output) weight.weight *= factor;
  }
}

std::vector<RulePathPoint> fit_rule_path(RuleGram& gram, std::span<const double> outcome, Task task,
                                         std::size_t classes, const RulePathOptions& options, const Context& context) {
  const Scaled scaled = scaled_outcome(gram, outcome, task);
  const std::vector<double> target_sums = target_sums_of(gram, scaled.outcome, task, context);
  std::vector<std::unique_ptr<RuleFit>> fits;
  if (options.cross_validate) {
    for (std::size_t fold = 0; fold < gram.folds(); ++fold)
      fits.push_back(make_fit(gram, scaled, target_sums, task, classes, fold));
  }
  fits.push_back(make_fit(gram, scaled, target_sums, task, classes, gram.folds()));
  const RuleFit& of_all = *fits.back();

  const double unit = scaled.scale;  // of the outcome; penalties of squared error are in it too
  const double largest = of_all.largest_penalty(), without_terms = of_all.loss();
  std::vector<double> penalties = {0};
  if (largest > 1e-12) penalties = penalty_sequence(largest, options.smallest, options.penalties);
  const double end = unit > 0 ? options.down_to / unit : 0;

  std::vector<RulePathPoint> path;
  std::size_t best = 0;
  const RuleSolution none{{}, std::vector<std::vector<TermWeight>>(of_all.solution().weights.size())};
  RuleSolution last = none, before_last = none;
  double last_penalty = 0, penalty_before = 0;
  for (const double next : penalties) {
    const double penalty = std::max(next, end);
    context.report({"fitting rules", path.size(), penalties.size()});
    // Between changes of its terms the solution moves along a line as the penalty falls, and those without a fold move
    // along with that of all rows.
    const double ahead = path.size() < 2 ? 0 : (last_penalty - penalty) / (penalty_before - last_penalty);
    solve_all(Fits(fits).last(1), penalty, change_between(before_last, last, ahead, gram.size()), on_the_path, gram,
              context);
    RuleSolution now = of_all.solution();
    solve_all(Fits(fits).first(fits.size() - 1), penalty, change_between(last, now, 1, gram.size()), for_folds, gram,
              context);
    before_last = std::exchange(last, std::move(now));
    penalty_before = std::exchange(last_penalty, penalty);
    RulePathPoint point{.penalty = penalty * unit, .solution = in_units(last, scaled)};
    if (options.cross_validate)
      find_held_out_loss(fits, gram, unit * (task == Task::regression ? unit : 1), point, context);
    path.push_back(std::move(point));
    if (options.cross_validate && path.back().cv_mean < path[best].cv_mean) best = path.size() - 1;
    if (penalty == end || (options.cross_validate && path.size() > best + patience)) break;
    if (of_all.loss() <= explained_enough * without_terms) break;
    if (path.size() > 1 && options.most_terms < gram.size() &&
        distinct_terms(gram.terms(), path.back().solution).size() > options.most_terms)
      break;
  }
  return path;
}

std::size_t path_minimum(const std::vector<RulePathPoint>& path) {
  return static_cast<std::size_t>(
      std::min_element(path.begin(), path.end(),
                       [](const RulePathPoint& a, const RulePathPoint& b) { return a.cv_mean < b.cv_mean; }) -
      path.begin());
}

std::size_t path_one_se(const std::vector<RulePathPoint>& path) {
  const RulePathPoint& best = path[path_minimum(path)];
  for (std::size_t place = 0; place < path.size(); ++place) {
    if (path[place].cv_mean <= best.cv_mean + best.cv_se) return place;
  }
  return path_minimum(path);
}

PolishedRules polish(RuleGram& gram, std::span<const double> outcome, Task task, std::size_t classes,
                     const RulePathPoint& point, const Context& context) {
  const Scaled scaled = scaled_outcome(gram, outcome, task);
  const std::vector<std::uint32_t> members = point.solution.terms();
  if (scaled.scale == 0 || members.empty()) return {point.solution};
  const auto target_sums = target_sums_of(gram, scaled.outcome, task, context);
  std::vector<std::unique_ptr<RuleFit>> fits;
  fits.push_back(make_fit(gram, scaled, target_sums, task, classes, gram.folds()));
  gram.require(members, context);
  fits[0]->join(members);
  const RuleSolution none{{}, std::vector<std::vector<TermWeight>>(point.solution.weights.size())};
  fits[0]->start_along(change_between(none, point.solution, 1 / scaled.scale, gram.size()));
  settle(fits, point.penalty / scaled.scale, to_the_last_digits, gram, context);
  return {in_units(fits[0]->solution(), scaled), fits[0]->settled()};
}

std::vector<std::uint32_t> distinct_terms(const RuleTerms& terms, const RuleSolution& solution) {
  std::vector<std::pair<double, std::uint32_t>> order;
  for (const std::uint32_t term : solution.terms()) {
    double size = 0;
    for (std::size_t k = 0; k < solution.weights.size(); ++k) size += std::abs(solution.weight(k, term));
    order.emplace_back(-size * terms.sd(term), term);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::uint32_t> kept;
  for (const auto& [size, term] : order) {
    const bool known = std::any_of(kept.begin(), kept.end(),
                                   [&, t = term](std::uint32_t other) { return terms.nearly_same(t, other); });
    if (!known) kept.push_back(term);
  }
  return kept;
}

}  // namespace sightglass
