#include "sightglass/learn/linear/proximal_newton.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sightglass/learn/linear/cholesky.h"
#include "sightglass/learn/linear/gram.h"

namespace sightglass {

namespace {

// Terms in the model, times outputs: their products take 200 MB.
constexpr std::size_t most_terms = 5000;
// From so many levels on, products of terms cost more than passes over the rows.
constexpr std::size_t many_levels = 200;

}  // namespace

ProximalNewton::ProximalNewton(const LinearProblem& problem, const Context& context)
    : problem_(problem),
      context_(context),
      outputs_(problem.outcomes.outputs),
      rows_(problem.design.rows()),
      terms_(problem.basis.terms()),
      allowed_(problem.basis.units().size(), 1),
      is_active_(problem.basis.units().size()) {
  // Of one column each, a unit, its term and its column have the same place.
  const auto& units = problem.basis.units();
  lazy_ = std::none_of(units.begin(), units.end(), [](const Basis::Unit& unit) { return unit.grouped(); });
  for (const DesignColumn& column : problem.design.columns()) {
    const double square = column.kind == DesignColumn::Kind::number ? column.deviation * column.deviation : column.mean;
    length_.push_back(std::sqrt(square / problem.share) / column.scale);
  }
  start_from({constant_fit(problem.outcomes, problem.weights), std::vector<double>(outputs_ * terms_)});
  null_loss_ = loss_;
}

Evaluation ProximalNewton::evaluation_of(const LinearFit& fit, std::span<const std::uint32_t> asked) const {
  std::vector<double> columns;
  for (std::size_t k = 0; k < outputs_; ++k) {
    const auto own = problem_.basis.to_columns(std::span(fit.coefficients).subspan(k * terms_, terms_));
    columns.insert(columns.end(), own.begin(), own.end());
  }
  return evaluate(problem_.design, problem_.outcomes, problem_.weights, fit.intercepts, columns, asked, context_);
}

// Gradients that the evaluation has are those of the active units, or of all.
void ProximalNewton::move_to(LinearFit fit, Evaluation at) {
  fit_ = std::move(fit);
  loss_ = at.loss;
  eta_ = std::move(at.eta);
  intercept_gradient_ = std::move(at.by_intercept);
  const std::size_t columns = problem_.design.size();
  const bool all = !lazy_ || slopes_.empty();
  if (all) {
    gradient_.clear();
    const std::vector<std::uint32_t> units = problem_.basis.all_units();
    for (std::size_t k = 0; k < outputs_; ++k) {
      const auto own = problem_.basis.from_columns(std::span(at.gradient).subspan(k * columns, columns), units);
      gradient_.insert(gradient_.end(), own.begin(), own.end());
    }
    known_.assign(columns, way_);
  } else {
    for (std::size_t k = 0; k < outputs_; ++k) {
      double square = 0;
      for (std::size_t row = 0; row < rows_; ++row) {
        const double change = at.slopes[k * rows_ + row] - slopes_[k * rows_ + row];
        if (change != 0) square += change * change / problem_.weights[row];
      }
      way_ += std::sqrt(square);
    }
    for (const std::uint32_t u : active_) {
      for (std::size_t k = 0; k < outputs_; ++k) gradient_[k * terms_ + u] = at.gradient[k * columns + u];
      known_[u] = way_;
    }
  }
  slopes_ = std::move(at.slopes);
}

// Gradients that may be above `least` by now.
void ProximalNewton::refresh(double least) {
  if (!lazy_) return;
  std::vector<std::uint32_t> columns;
  for (std::uint32_t c = 0; c < terms_; ++c) {
    if (known_[c] == way_) continue;
    // A little more, for what rounding does.
    const double by = (1 + 1e-9) * (way_ - known_[c]) * length_[c] + 1e-12 * std::abs(least);
    if (allowed_[c] != 0 && unit_gradient(c) + by >= least) columns.push_back(c);
  }
  if (columns.empty()) return;
  for (std::size_t k = 0; k < outputs_; ++k) {
    const auto slopes = std::span<const double>(slopes_).subspan(k * rows_, rows_);
    std::vector<double> sums(terms_);
    column_sums(problem_.design, slopes, columns, sums, context_);
    for (const std::uint32_t c : columns) gradient_[k * terms_ + c] = sums[c];
  }
  for (const std::uint32_t c : columns) known_[c] = way_;
}

const std::vector<double>& ProximalNewton::gradient() {
  const std::vector<std::uint8_t> allowed = std::exchange(allowed_, std::vector<std::uint8_t>(allowed_.size(), 1));
  refresh(-1);
  allowed_ = allowed;
  return gradient_;
}

void ProximalNewton::start_from(const LinearFit& fit) {
  slopes_.clear();
  move_to(fit, evaluation_of(fit, problem_.basis.columns_of(problem_.basis.all_units())));
}

void ProximalNewton::borrow(const ProximalNewton& other) {
  if (!other.curvature_fits_) return;
  for (std::size_t u = 0; u < is_active_.size(); ++u) {
    if (is_active_[u] != 0 && other.is_active_[u] == 0) return;
  }
  is_active_ = other.is_active_;
  active_ = other.active_;
  active_terms_ = other.active_terms_;
  curvature_ = other.curvature_;
  curvature_fits_ = true;
}

void ProximalNewton::restrict_to(const std::vector<std::uint32_t>& units) {
  std::fill(allowed_.begin(), allowed_.end(), std::uint8_t{0});
  for (const std::uint32_t u : units) allowed_[u] = 1;
  active_.clear();
  std::fill(is_active_.begin(), is_active_.end(), std::uint8_t{0});
  curvature_fits_ = false;
}

double ProximalNewton::penalty_of(const std::vector<double>& coefficients, const Penalty& penalty) const {
  double sum = 0;
  for (const Basis::Unit& unit : problem_.basis.units()) {
    for (std::size_t k = 0; k < outputs_; ++k) {
      double square = 0;
      for (std::size_t i = 0; i < unit.terms; ++i) {
        const double b = coefficients[k * terms_ + unit.first_term + i];
        square += b * b;
      }
      sum += problem_.basis.penalty()[unit.first_term] *
             (penalty.l1_ratio * std::sqrt(square) + (1 - penalty.l1_ratio) * square / 2);
    }
  }
  return penalty.lambda * sum;
}

// The largest of its outputs, over its penalty.
double ProximalNewton::unit_gradient(std::size_t unit) const {
  const Basis::Unit& at = problem_.basis.units()[unit];
  double largest = 0;
  for (std::size_t k = 0; k < outputs_; ++k) {
    double square = 0;
    for (std::size_t i = 0; i < at.terms; ++i) {
      const double g = gradient_[k * terms_ + at.first_term + i];
      square += g * g;
    }
    largest = std::max(largest, square);
  }
  return std::sqrt(largest) / problem_.basis.penalty()[at.first_term];
}

double ProximalNewton::largest_lambda(double l1_ratio) const {
  double largest = 0;
  for (std::size_t u = 0; u < is_active_.size(); ++u) largest = std::max(largest, unit_gradient(u));
  return largest / std::max(l1_ratio, 1e-3);
}

// Terms that would be in the model, as their gradient is above `least`.
bool ProximalNewton::add_violators(double least) {
  bool more = false;
  std::size_t terms = 0;
  for (std::uint32_t u = 0; u < is_active_.size(); ++u) {
    if (is_active_[u] == 0 && allowed_[u] != 0 && unit_gradient(u) > least) {
      is_active_[u] = 1;
      more = true;
    }
    if (is_active_[u] != 0) terms += problem_.basis.units()[u].terms;
  }
  if (outputs_ * (terms + 1) > most_terms) too_large_ = true;
  if (!more || too_large_) return more;
  active_.clear();
  active_terms_.clear();
  for (std::uint32_t u = 0; u < is_active_.size(); ++u) {
    if (is_active_[u] == 0) continue;
    active_.push_back(u);
    const Basis::Unit& unit = problem_.basis.units()[u];
    for (std::uint32_t i = 0; i < unit.terms; ++i) active_terms_.push_back(unit.first_term + i);
  }
  curvature_fits_ = false;
  return true;
}

void ProximalNewton::find_curvature() {
  const std::size_t active = active_terms_.size(), size = outputs_ * (active + 1);
  const std::vector<std::uint32_t> columns = problem_.basis.columns_of(active_);
  const std::vector<double> ones(rows_, 1.0);
  const std::span<const double> besides[] = {ones};
  std::vector<double> weights;
  std::vector<double> curvature(size * size);
  const auto place = [&](std::size_t output, std::size_t term) {
    return term == 0 ? output : outputs_ + output * active + term - 1;
  };
  for (std::size_t k = 0; k < outputs_; ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      curvatures(problem_.outcomes, eta_, problem_.weights, k, l, weights);
      const auto sums =
          sums_of_products(problem_.design, {.columns = columns, .more = besides, .weights = weights}, context_);
      const Products products = problem_.basis.from_columns(sums[0], active_, 1);
      for (std::size_t i = 0; i <= active; ++i) {
        for (std::size_t j = 0; j <= active; ++j) {
          curvature[place(k, i) * size + place(l, j)] = products(i, j);
          curvature[place(l, j) * size + place(k, i)] = products(i, j);
        }
      }
    }
  }
  curvature_ = std::make_shared<const std::vector<double>>(std::move(curvature));
  curvature_fits_ = true;
  ++curvatures_found_;
}

// Where gradient · step + ½ step · curvature · step + penalty is smallest. Intercepts follow from the terms, so that
// only these are searched for.
LinearFit ProximalNewton::minimum_of_model(const Penalty& penalty, double tolerance) const {
  const std::size_t active = active_terms_.size(), m = outputs_ * active, size = outputs_ + m;
  const std::vector<double>& curvature = *curvature_;
  std::vector<double> now(fit_.intercepts), target(size);
  for (std::size_t k = 0; k < outputs_; ++k) {
    for (const std::uint32_t t : active_terms_) now.push_back(fit_.coefficients[k * terms_ + t]);
  }
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t k = i < outputs_ ? i : (i - outputs_) / active;
    target[i] =
        i < outputs_ ? -intercept_gradient_[i] : -gradient_[k * terms_ + active_terms_[(i - outputs_) % active]];
    for (std::size_t j = 0; j < size; ++j) target[i] += curvature[i * size + j] * now[j];
  }
  std::vector<double> head(outputs_ * outputs_), head_target(target.begin(), target.begin() + outputs_);
  for (std::size_t k = 0; k < outputs_; ++k) {
    for (std::size_t l = 0; l < outputs_; ++l) head[k * outputs_ + l] = curvature[k * size + l];
  }
  static_cast<void>(cholesky(head, outputs_, collinear));
  std::vector<double> through(m * outputs_);  // head⁻¹ · (curvature of intercepts by terms), term after term
  LeastSquares problem{.terms = m,
                       .products = std::vector<double>(m * m),
                       .target = std::vector<double>(m),
                       .penalty = std::vector<double>(m)};
  std::vector<double> column(outputs_);
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t k = 0; k < outputs_; ++k) column[k] = curvature[k * size + outputs_ + j];
    cholesky_solve(head, outputs_, column);
    std::copy(column.begin(), column.end(), through.begin() + j * outputs_);
  }
  for (std::size_t i = 0; i < m; ++i) {
    const double* row = curvature.data() + (outputs_ + i) * size;
    problem.target[i] = target[outputs_ + i];
    for (std::size_t k = 0; k < outputs_; ++k) problem.target[i] -= through[i * outputs_ + k] * head_target[k];
    for (std::size_t j = 0; j < m; ++j) {
      double product = row[outputs_ + j];
      for (std::size_t k = 0; k < outputs_; ++k) product -= row[k] * through[j * outputs_ + k];
      problem.products[i * m + j] = product;
    }
    problem.penalty[i] = problem_.basis.penalty()[active_terms_[i % active]];
  }
  std::vector<double> found;
  if (penalty.lambda == 0) {
    static_cast<void>(cholesky(problem.products, m, collinear));
    found = problem.target;
    cholesky_solve(problem.products, m, found);
  } else {
    for (std::size_t k = 0; k < outputs_; ++k) {
      std::size_t at = k * active;
      for (const std::uint32_t u : active_) {
        problem.units.push_back(static_cast<std::uint32_t>(at));
        at += problem_.basis.units()[u].terms;
      }
    }
    problem.units.push_back(static_cast<std::uint32_t>(m));
    CoordinateDescent descent(problem);
    descent.start_from({now.begin() + outputs_, now.end()});
    static_cast<void>(descent.settle(penalty, 1e-3 * tolerance));
    found = descent.coefficients();
  }
  LinearFit next{head_target, std::vector<double>(outputs_ * terms_)};
  cholesky_solve(head, outputs_, next.intercepts);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < outputs_; ++k) next.intercepts[k] -= through[i * outputs_ + k] * found[i];
    next.coefficients[i / active * terms_ + active_terms_[i % active]] = found[i];
  }
  return next;
}

double ProximalNewton::promised_gain(const LinearFit& next, const Penalty& penalty) const {
  const std::size_t active = active_terms_.size(), size = outputs_ * (active + 1);
  const std::vector<double>& curvature = *curvature_;
  std::vector<double> step;
  double change = 0;
  for (std::size_t k = 0; k < outputs_; ++k) {
    step.push_back(next.intercepts[k] - fit_.intercepts[k]);
    change += intercept_gradient_[k] * step.back();
  }
  for (std::size_t k = 0; k < outputs_; ++k) {
    for (const std::uint32_t t : active_terms_) {
      step.push_back(next.coefficients[k * terms_ + t] - fit_.coefficients[k * terms_ + t]);
      change += gradient_[k * terms_ + t] * step.back();
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < size; ++j) sum += curvature[i * size + j] * step[j];
    change += step[i] * sum / 2;
  }
  return penalty_of(fit_.coefficients, penalty) - penalty_of(next.coefficients, penalty) - change;
}

bool ProximalNewton::by_rows() const {
  if (outputs_ > 1 || !lazy_ || active_.size() < many_levels) return false;
  const auto& columns = problem_.design.columns();
  const auto levels = std::count_if(active_.begin(), active_.end(),
                                    [&](std::uint32_t u) { return columns[u].kind == DesignColumn::Kind::level; });
  return static_cast<std::size_t>(levels) >= std::max(many_levels, active_.size() / 2);
}

// The same minimum without products of terms.
LinearFit ProximalNewton::minimum_by_rows(const Penalty& penalty, double tolerance, double& gain) {
  if (!row_descent_) row_descent_ = std::make_unique<RowDescent>(problem_.design);
  std::vector<double> weights;
  curvatures(problem_.outcomes, eta_, problem_.weights, 0, 0, weights);
  auto found = row_descent_->settle({.slopes = slopes_,
                                     .curvature = weights,
                                     .columns = active_,
                                     .column_penalty = problem_.basis.penalty(),
                                     .intercept = fit_.intercepts[0],
                                     .coefficients = fit_.coefficients},
                                    penalty, 1e-3 * tolerance, context_);
  gain = penalty_of(fit_.coefficients, penalty) - penalty_of(found.coefficients, penalty) - found.change;
  return {{found.intercept}, std::move(found.coefficients)};
}

// Goes towards it, all the way or half as far as before, until the penalised loss is lower.
bool ProximalNewton::take_step(const LinearFit& next, const Penalty& penalty) {
  const double before = loss_ + penalty_of(fit_.coefficients, penalty);
  // What rounding may leave of it.
  const double slack = 1e-14 * std::abs(before);
  const auto columns = problem_.basis.columns_of(lazy_ ? active_ : problem_.basis.all_units());
  const auto between = [](double from, double to, double length) { return from + length * (to - from); };
  for (double length = 1; length > 1e-6; length /= 2) {
    LinearFit tried = next;
    for (std::size_t i = 0; length < 1 && i < tried.coefficients.size(); ++i) {
      tried.coefficients[i] = between(fit_.coefficients[i], next.coefficients[i], length);
    }
    for (std::size_t k = 0; length < 1 && k < outputs_; ++k) {
      tried.intercepts[k] = between(fit_.intercepts[k], next.intercepts[k], length);
    }
    Evaluation at = evaluation_of(tried, columns);
    if (!(at.loss + penalty_of(tried.coefficients, penalty) <= before + slack)) continue;
    move_to(std::move(tried), std::move(at));
    return true;
  }
  return false;
}

bool ProximalNewton::solve(const Penalty& penalty, double tolerance, std::size_t most_steps) {
  const double least = penalty.lambda * penalty.l1_ratio;
  // Terms that are likely to come in at this penalty, given the one before (the sequential strong rule).
  add_violators(last_lambda_ > penalty.lambda ? std::max(0.0, 2 * least - last_lambda_ * penalty.l1_ratio) : least);
  bool fresh = false;
  double promised = -1;
  for (std::size_t steps = 0; steps < most_steps; ++steps) {
    context_.check();
    refresh(least > 0 ? least : -1);
    // With no penalty on sizes all terms are in the model, also one that happens to have no gradient.
    add_violators(least > 0 ? least : -1);
    if (too_large_) return false;
    if (penalty.lambda > 0 && by_rows()) {
      double gain = 0;
      const LinearFit next = minimum_by_rows(penalty, tolerance, gain);
      if (!(gain > tolerance)) {
        last_lambda_ = penalty.lambda;
        return std::isfinite(gain);
      }
      if (!take_step(next, penalty)) return false;
      continue;
    }
    if (!curvature_fits_) {
      find_curvature();
      fresh = true;
    }
    LinearFit next = minimum_of_model(penalty, tolerance);
    double gain = promised_gain(next, penalty);
    if (!fresh && promised >= 0 && gain > 0.05 * promised && gain > tolerance) {
      find_curvature();
      fresh = true;
      next = minimum_of_model(penalty, tolerance);
      gain = promised_gain(next, penalty);
    }
    if (!(gain > tolerance)) {
      last_lambda_ = penalty.lambda;
      return std::isfinite(gain);
    }
    if (take_step(next, penalty)) {
      promised = gain;
      fresh = false;
    } else if (fresh) {
      return false;
    } else {
      curvature_fits_ = false;
    }
  }
  return false;
}

void ProximalNewton::settle_score() {
  const auto score = [&](const Evaluation* at) {
    double square = 0;
    for (std::size_t k = 0; k < outputs_; ++k) {
      square += std::pow(at ? at->by_intercept[k] : intercept_gradient_[k], 2);
      for (const std::uint32_t c : active_) {
        square += std::pow(at ? at->gradient[k * problem_.design.size() + c] : gradient_[k * terms_ + c], 2);
      }
    }
    return std::sqrt(square);
  };
  if (!lazy_) return;
  for (int step = 0; step < 10; ++step) {
    context_.check();
    find_curvature();
    LinearFit next = minimum_of_model({.lambda = 0}, 0);
    Evaluation at = evaluation_of(next, problem_.basis.columns_of(active_));
    if (!(score(&at) < 0.5 * score(nullptr))) return;
    move_to(std::move(next), std::move(at));
  }
}

}  // namespace sightglass
