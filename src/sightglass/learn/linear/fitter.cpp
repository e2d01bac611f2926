#include "sightglass/learn/linear/fitter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/learn/linear/cholesky.h"
#include "sightglass/learn/linear/gram.h"

namespace sightglass {

namespace {

// Of the null deviance: along a path, for the model itself, and where only the loss on other rows is asked for.
constexpr double path_tolerance = 1e-8, last_tolerance = 1e-15, held_out_tolerance = 1e-6;
// Columns up to which all sums of products are found: eleven times their square is in memory.
constexpr std::size_t most_columns = 1500;

// Means are taken out, so that there is no intercept in it. The sums have ones and the outcome in front.
LeastSquares least_squares(const Products& sums, const Basis& basis) {
  const std::size_t terms = basis.terms();
  const double total = sums(0, 0);
  const auto covariance = [&](std::size_t i, std::size_t j) {
    return sums(i, j) / total - (sums(0, i) / total) * (sums(0, j) / total);
  };
  LeastSquares problem{.terms = terms,
                       .products = std::vector<double>(terms * terms),
                       .target = std::vector<double>(terms),
                       .target_square = std::max(0.0, covariance(1, 1)),
                       .penalty = basis.penalty()};
  for (std::size_t i = 0; i < terms; ++i) {
    problem.target[i] = covariance(1, 2 + i);
    for (std::size_t j = 0; j < terms; ++j) problem.products[i * terms + j] = covariance(2 + i, 2 + j);
  }
  for (const Basis::Unit& unit : basis.units()) problem.units.push_back(unit.first_term);
  problem.units.push_back(static_cast<std::uint32_t>(terms));
  return problem;
}

// The intercept, besides what was taken off the outcome.
double intercept_of(const Products& sums, const std::vector<double>& coefficients) {
  double intercept = sums(0, 1);
  for (std::size_t j = 0; j < coefficients.size(); ++j) intercept -= coefficients[j] * sums(0, 2 + j);
  return intercept / sums(0, 0);
}

class ByProducts : public LinearFitter {
 public:
  ByProducts(const LinearProblem& problem, const Folds& folds, const Context& context)
      : problem_(problem), context_(context) {
    const auto outcome = problem.outcomes.values;
    mean_ = constant_fit(problem.outcomes, problem.weights)[0];
    std::vector<double> ones(outcome.size(), 1.0), centred(outcome.begin(), outcome.end());
    for (double& y : centred) y -= mean_;
    const std::span<const double> besides[] = {ones, centred};
    const auto units = problem.basis.all_units();
    const auto columns = problem.basis.columns_of(units);
    // Weights that are all the same need no products of their own.
    const bool same =
        std::all_of(problem.weights.begin(), problem.weights.end(), [&](double w) { return w == problem.weights[0]; });
    const auto sums = sums_of_products(problem.design,
                                       {.columns = columns,
                                        .more = besides,
                                        .weights = same ? std::span<const double>() : problem.weights,
                                        .parts = folds.of_rows,
                                        .part_count = std::max(1U, folds.count)},
                                       context);
    for (const Products& part : sums) parts_.push_back(problem.basis.from_columns(part, units, 2));
    all_ = sum_without(parts_.size());
    least_squares_ = least_squares(all_, problem.basis);
  }

  [[nodiscard]] double null_loss() const override { return least_squares_.target_square / 2; }

  [[nodiscard]] double largest_lambda(double l1_ratio) const override {
    return sightglass::largest_lambda(least_squares_, least_squares_.target, l1_ratio);
  }

  [[nodiscard]] LinearPath path(std::span<const double> penalties, double l1_ratio) const override {
    return path_of(least_squares_, all_, penalties, l1_ratio);
  }

  [[nodiscard]] ValidatedPath validated_path(std::span<const double> penalties, double l1_ratio) const override {
    HeldOutLosses held_out{std::vector<std::vector<double>>(parts_.size()), {}};
    for (const Products& part : parts_) held_out.weights.push_back(part(0, 0));
    context_.parallel_for(parts_.size(), [&](std::size_t fold) {
      const Products training = sum_without(fold);
      const LinearPath path = path_of(least_squares(training, problem_.basis), training, penalties, l1_ratio);
      for (const LinearFit& fit : path.fits) held_out.losses[fold].push_back(loss_on(parts_[fold], fit));
    });
    return {path(penalties, l1_ratio), std::move(held_out)};
  }

  [[nodiscard]] FoundFit polished(const Penalty& penalty, const LinearFit& near) const override {
    CoordinateDescent descent(least_squares_);
    descent.start_from(near.coefficients);
    // What rounding leaves of the gap may be a little above.
    const bool there = descent.solve(penalty, last_tolerance * least_squares_.target_square) ||
                       descent.gap() <= 1e-12 * least_squares_.target_square;
    return found(descent.coefficients(), there);
  }

  [[nodiscard]] FoundFit refitted(const std::vector<std::uint32_t>& units, bool /*precisely*/) const override {
    std::vector<std::uint32_t> terms;
    for (const std::uint32_t u : units) {
      const Basis::Unit& unit = problem_.basis.units()[u];
      for (std::uint32_t i = 0; i < unit.terms; ++i) terms.push_back(unit.first_term + i);
    }
    const std::size_t size = terms.size();
    std::vector<double> matrix(size * size), solution(size);
    for (std::size_t i = 0; i < size; ++i) {
      solution[i] = least_squares_.target[terms[i]];
      for (std::size_t j = 0; j < size; ++j) {
        matrix[i * size + j] = least_squares_.products[terms[i] * least_squares_.terms + terms[j]];
      }
    }
    static_cast<void>(cholesky(matrix, size, collinear));
    cholesky_solve(matrix, size, solution);
    std::vector<double> coefficients(least_squares_.terms);
    for (std::size_t i = 0; i < size; ++i) coefficients[terms[i]] = solution[i];
    return found(coefficients, true);
  }

 private:
  // The sums of all parts but one, in their order.
  [[nodiscard]] Products sum_without(std::size_t left_out) const {
    Products sum{parts_[0].size, std::vector<double>(parts_[0].sums.size())};
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      if (part == left_out) continue;
      for (std::size_t i = 0; i < sum.sums.size(); ++i) sum.sums[i] += parts_[part].sums[i];
    }
    return sum;
  }

  [[nodiscard]] LinearPath path_of(const LeastSquares& least_squares, const Products& sums,
                                   std::span<const double> penalties, double l1_ratio) const {
    LinearPath path;
    CoordinateDescent descent(least_squares);
    for (const double lambda : penalties) {
      context_.check();
      path.converged &= descent.solve({lambda, l1_ratio}, path_tolerance * least_squares.target_square);
      path.penalties.push_back(lambda);
      path.fits.push_back({{mean_ + intercept_of(sums, descent.coefficients())}, descent.coefficients()});
      path.losses.push_back(descent.mean_square() / 2);
    }
    return path;
  }

  // ½ mean of (y − intercept − Σ β x)², from its products alone.
  [[nodiscard]] double loss_on(const Products& sums, const LinearFit& fit) const {
    std::vector<std::pair<std::size_t, double>> factors = {{0, mean_ - fit.intercepts[0]}, {1, 1.0}};
    for (std::size_t j = 0; j < fit.coefficients.size(); ++j) {
      if (fit.coefficients[j] != 0) factors.emplace_back(2 + j, -fit.coefficients[j]);
    }
    double sum = 0;
    for (const auto& [i, a] : factors) {
      double row = 0;
      for (const auto& [j, b] : factors) row += sums(i, j) * b;
      sum += a * row;
    }
    return std::max(0.0, sum / sums(0, 0)) / 2;
  }

  [[nodiscard]] FoundFit found(const std::vector<double>& coefficients, bool converged) const {
    const std::size_t terms = least_squares_.terms;
    FoundFit found{
        {{mean_ + intercept_of(all_, coefficients)}, coefficients}, 0, std::vector<double>(terms), converged};
    double square = least_squares_.target_square;
    for (std::size_t j = 0; j < terms; ++j) found.gradient[j] = -least_squares_.target[j];
    for (std::size_t i = 0; i < terms; ++i) {
      if (coefficients[i] == 0) continue;
      const double* row = least_squares_.products.data() + i * terms;
      for (std::size_t j = 0; j < terms; ++j) found.gradient[j] += row[j] * coefficients[i];
    }
    for (std::size_t j = 0; j < terms; ++j) square += coefficients[j] * (found.gradient[j] - least_squares_.target[j]);
    found.loss = std::max(0.0, square) / 2;
    return found;
  }

  const LinearProblem& problem_;
  const Context& context_;
  double mean_ = 0;
  std::vector<Products> parts_;  // per fold, with ones and the outcome in front
  Products all_;
  LeastSquares least_squares_;
};

class ByRows : public LinearFitter {
 public:
  ByRows(const LinearProblem& problem, Folds folds, const Context& context)
      : problem_(problem), folds_(std::move(folds)), context_(context), null_(problem, context) {}

  [[nodiscard]] double null_loss() const override { return null_.null_loss(); }
  [[nodiscard]] double largest_lambda(double l1_ratio) const override { return null_.largest_lambda(l1_ratio); }

  [[nodiscard]] LinearPath path(std::span<const double> penalties, double l1_ratio) const override {
    return path_with({}, penalties, l1_ratio);
  }

  // All folds at once, so that they share the curvature of all rows; or one by one where there is no room for that.
  [[nodiscard]] ValidatedPath validated_path(std::span<const double> penalties, double l1_ratio) const override {
    constexpr std::size_t most_at_once = 20'000'000;
    const bool at_once = problem_.weights.size() * problem_.outcomes.outputs * folds_.count <= most_at_once;
    std::vector<std::unique_ptr<Fold>> folds;
    ValidatedPath found;
    if (at_once) {
      for (std::uint32_t f = 0; f < folds_.count; ++f) folds.push_back(std::make_unique<Fold>(*this, f));
    }
    found.path = path_with(folds, penalties, l1_ratio);
    for (std::uint32_t f = 0; f < folds_.count; ++f) {
      if (!at_once) {
        folds.push_back(std::make_unique<Fold>(*this, f));
        for (const double lambda : found.path.penalties) folds[f]->go_on({lambda, l1_ratio}, nullptr);
      }
      found.held_out.losses.push_back(std::move(folds[f]->losses));
      found.held_out.weights.push_back(folds[f]->held_weight);
      folds[f].reset();
    }
    return found;
  }

  [[nodiscard]] FoundFit polished(const Penalty& penalty, const LinearFit& near) const override {
    ProximalNewton newton(problem_, context_);
    newton.start_from(near);
    const bool there = newton.solve(penalty, tolerance(newton, last_tolerance));
    return {newton.fit(), newton.loss(), newton.gradient(), there};
  }

  [[nodiscard]] FoundFit refitted(const std::vector<std::uint32_t>& units, bool precisely) const override {
    ProximalNewton newton(problem_, context_);
    newton.restrict_to(units);
    const bool there = newton.solve({.lambda = 0}, tolerance(newton, last_tolerance), 50);
    if (there && precisely) newton.settle_score();
    return {newton.fit(), newton.loss(), newton.gradient(), there};
  }

 private:
  // A model of all rows but those of one fold, and what it loses on these.
  struct Fold {
    Fold(const ByRows& by, std::uint32_t fold)
        : held(by.problem_.weights),
          part{by.problem_.design, by.problem_.basis, by.problem_.outcomes, divide(by.folds_.of_rows, fold),
               1 - held_weight},
          newton(part, by.context_) {}

    // Weights of the other rows, as shares of their sum; and `held`.
    std::vector<double> divide(const std::vector<std::uint32_t>& of_rows, std::uint32_t fold) {
      std::vector<double> training(held);
      double training_weight = 0;
      for (std::size_t row = 0; row < training.size(); ++row) {
        (of_rows[row] == fold ? training : held)[row] = 0;
        training_weight += training[row];
        held_weight += held[row];
      }
      for (double& w : training) w /= training_weight;
      for (double& w : held) w /= held_weight;
      return training;
    }

    void go_on(const Penalty& penalty, const ProximalNewton* near) {
      if (near != nullptr) newton.borrow(*near);
      static_cast<void>(newton.solve(penalty, tolerance(newton, held_out_tolerance)));
      losses.push_back(half_deviance(part.outcomes, newton.eta(), held));
    }

    double held_weight = 0;
    std::vector<double> held;
    LinearProblem part;
    ProximalNewton newton;
    std::vector<double> losses = {};
  };

  [[nodiscard]] LinearPath path_with(std::span<const std::unique_ptr<Fold>> folds, std::span<const double> penalties,
                                     double l1_ratio) const {
    LinearPath path;
    ProximalNewton newton(problem_, context_);
    for (const double lambda : penalties) {
      path.converged &= newton.solve({lambda, l1_ratio}, tolerance(newton, path_tolerance));
      if (newton.too_large()) break;
      path.penalties.push_back(lambda);
      path.fits.push_back(newton.fit());
      path.losses.push_back(newton.loss());
      for (const auto& fold : folds) fold->go_on({lambda, l1_ratio}, &newton);
    }
    return path;
  }

  static double tolerance(const ProximalNewton& newton, double share) { return share * 2 * newton.null_loss(); }

  const LinearProblem& problem_;
  const Folds folds_;
  const Context& context_;
  const ProximalNewton null_;
};

}  // namespace

std::unique_ptr<LinearFitter> make_fitter(const LinearProblem& problem, Folds folds, const Context& context) {
  if (problem.outcomes.distribution == OutcomeDistribution::gaussian && problem.design.size() <= most_columns) {
    return std::make_unique<ByProducts>(problem, folds, context);
  }
  return std::make_unique<ByRows>(problem, std::move(folds), context);
}

CrossValidation cross_validation(const HeldOutLosses& held_out) {
  const std::size_t folds = held_out.losses.size();
  const double total = std::accumulate(held_out.weights.begin(), held_out.weights.end(), 0.0);
  CrossValidation found;
  for (std::size_t i = 0; i < held_out.losses[0].size(); ++i) {
    double mean = 0, square = 0;
    for (std::size_t f = 0; f < folds; ++f) mean += held_out.weights[f] / total * held_out.losses[f][i];
    for (std::size_t f = 0; f < folds; ++f) {
      square += held_out.weights[f] / total * (held_out.losses[f][i] - mean) * (held_out.losses[f][i] - mean);
    }
    found.mean.push_back(mean);
    found.se.push_back(std::sqrt(square / static_cast<double>(folds - 1)));
  }
  found.minimum = static_cast<std::size_t>(std::min_element(found.mean.begin(), found.mean.end()) - found.mean.begin());
  while (found.mean[found.one_se] > found.mean[found.minimum] + found.se[found.minimum]) ++found.one_se;
  return found;
}

std::vector<std::uint32_t> units_in(const LinearFit& fit, const Basis& basis) {
  std::vector<std::uint32_t> units;
  for (std::uint32_t u = 0; u < basis.units().size(); ++u) {
    const Basis::Unit& unit = basis.units()[u];
    bool any = false;
    for (std::size_t k = 0; k < fit.intercepts.size(); ++k) {
      for (std::size_t i = 0; i < unit.terms; ++i) {
        any = any || fit.coefficients[k * basis.terms() + unit.first_term + i] != 0;
      }
    }
    if (any) units.push_back(u);
  }
  return units;
}

namespace {

// How much a unit promises, or has: the largest norm over outputs, over its penalty.
double size_of_unit(const std::vector<double>& values, std::size_t unit, std::size_t outputs, const Basis& basis) {
  const Basis::Unit& at = basis.units()[unit];
  double largest = 0;
  for (std::size_t k = 0; k < outputs; ++k) {
    double square = 0;
    for (std::size_t i = 0; i < at.terms; ++i) {
      const double v = values[k * basis.terms() + at.first_term + i];
      square += v * v;
    }
    largest = std::max(largest, square);
  }
  return std::sqrt(largest) / basis.penalty()[at.first_term];
}

// The last point of the path with no more units, filled up with what promises most.
std::vector<std::uint32_t> units_of_path(const LinearFitter& fitter, const LinearProblem& problem,
                                         const LinearPath& path, std::size_t count) {
  std::vector<std::uint32_t> chosen;
  for (const LinearFit& fit : path.fits) {
    auto units = units_in(fit, problem.basis);
    if (units.size() > count) break;
    chosen = std::move(units);
  }
  while (chosen.size() < std::min(count, problem.basis.units().size())) {
    const FoundFit fit = fitter.refitted(chosen);
    std::uint32_t best = 0;
    double most = -1;
    for (std::uint32_t u = 0; u < problem.basis.units().size(); ++u) {
      if (std::binary_search(chosen.begin(), chosen.end(), u)) continue;
      const double size = size_of_unit(fit.gradient, u, problem.outcomes.outputs, problem.basis);
      if (size > most) {
        most = size;
        best = u;
      }
    }
    chosen.insert(std::lower_bound(chosen.begin(), chosen.end(), best), best);
  }
  return chosen;
}

}  // namespace

std::vector<std::uint32_t> best_units(const LinearFitter& fitter, const LinearProblem& problem, const LinearPath& path,
                                      std::size_t count, const Context& context) {
  // Candidates that are tried in the place of each, those of the largest gradient; and rounds over all of them.
  constexpr std::size_t most_tried = 5, most_rounds = 10;
  std::vector<std::uint32_t> chosen = units_of_path(fitter, problem, path, count);
  if (chosen.empty()) return chosen;
  double loss = fitter.refitted(chosen).loss;
  bool better = true;
  for (std::size_t round = 0; better && round < most_rounds; ++round) {
    better = false;
    for (std::size_t place = 0; place < chosen.size(); ++place) {
      context.check();
      std::vector<std::uint32_t> rest = chosen;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(place));
      const FoundFit without = fitter.refitted(rest);
      std::vector<std::pair<double, std::uint32_t>> candidates;
      for (std::uint32_t u = 0; u < problem.basis.units().size(); ++u) {
        if (std::binary_search(chosen.begin(), chosen.end(), u)) continue;
        candidates.emplace_back(-size_of_unit(without.gradient, u, problem.outcomes.outputs, problem.basis), u);
      }
      std::sort(candidates.begin(), candidates.end());
      candidates.resize(std::min(candidates.size(), most_tried));
      for (const auto& candidate : candidates) {
        std::vector<std::uint32_t> tried = rest;
        tried.insert(std::lower_bound(tried.begin(), tried.end(), candidate.second), candidate.second);
        const double now = fitter.refitted(tried).loss;
        if (!(now < loss * (1 - 1e-10))) continue;
        loss = now;
        chosen = std::move(tried);
        better = true;
        break;
      }
    }
  }
  return chosen;
}

}  // namespace sightglass
