#include "sightglass/learn/linear/coordinate_descent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/base/each_processor.h"
#include "sightglass/learn/linear/cholesky.h"

namespace sightglass {

namespace {

constexpr std::size_t combined_passes = 5;

double shrunk(double value, double by) { return value > by ? value - by : value < -by ? value + by : 0; }

SIGHTGLASS_FOR_EACH_PROCESSOR
void subtract(double* from, const double* row, double factor, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) from[i] -= factor * row[i];
}

double norm(const double* values, std::size_t size) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += values[i] * values[i];
  return std::sqrt(sum);
}

// A little more than the largest eigenvalue of a symmetric matrix without negative ones, by its powers.
double eigenvalue_bound(const double* matrix, std::size_t stride, std::size_t size) {
  double trace = 0;
  for (std::size_t i = 0; i < size; ++i) trace += matrix[i * stride + i];
  std::vector<double> vector(size, 1), next(size);
  // Unequal, so that it is unlikely to be without a part of the largest.
  for (std::size_t i = 0; i < size; ++i) vector[i] += static_cast<double>(i % 7) / 7;
  double largest = 0;
  for (int round = 0; round < 30; ++round) {
    const double length = norm(vector.data(), size);
    if (length == 0) return trace;
    for (double& v : vector) v /= length;
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t i = 0; i < size; ++i) subtract(next.data(), matrix + i * stride, -vector[i], size);
    largest = norm(next.data(), size);
    std::swap(vector, next);
  }
  return std::min(trace, 1.05 * largest);
}

}  // namespace

CoordinateDescent::CoordinateDescent(const LeastSquares& problem)
    : problem_(problem), coefficients_(problem.terms), gradient_(problem.target), is_active_(unit_count()) {
  for (std::size_t u = 0; u < unit_count(); ++u) {
    if (problem.penalty[first(u)] == 0) add_to_active(u);
  }
}

void CoordinateDescent::add_to_active(std::size_t unit) {
  const std::size_t terms = problem_.terms, begin = first(unit), size = first(unit + 1) - begin;
  const std::size_t before = active_.size(), after = before + size;
  if (after > room_) {
    const std::size_t room = std::min(terms, std::max<std::size_t>({16, 2 * room_, after}));
    std::vector<double> larger(room * room);
    for (std::size_t i = 0; i < before; ++i) std::copy_n(among_.data() + i * room_, before, larger.data() + i * room);
    among_ = std::move(larger);
    room_ = room;
    slope_.resize(room);
  }
  is_active_[unit] = 1;
  for (std::size_t j = begin; j < begin + size; ++j) {
    active_.push_back(static_cast<std::uint32_t>(j));
    const std::size_t last = active_.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
      const double product = problem_.products[j * terms + active_[i]];
      among_[last * room_ + i] = product;
      among_[i * room_ + last] = product;
    }
    slope_[last] = gradient_[j];
  }
  const double bound = size == 1 ? 0 : eigenvalue_bound(problem_.products.data() + begin * terms + begin, terms, size);
  active_units_.push_back({static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(size), bound});
}

void CoordinateDescent::start_from(const std::vector<double>& coefficients) {
  coefficients_ = coefficients;
  for (std::size_t u = 0; u < unit_count(); ++u) {
    if (is_active_[u] != 0) continue;
    for (std::size_t j = first(u); j < first(u + 1); ++j) {
      if (coefficients_[j] == 0) continue;
      add_to_active(u);
      break;
    }
  }
  find_gradient();
}

double CoordinateDescent::mean_square() const {
  double sum = problem_.target_square;
  for (const std::uint32_t j : active_) sum -= coefficients_[j] * (problem_.target[j] + gradient_[j]);
  return std::max(0.0, sum);
}

// From the scaled residual, which is feasible for the dual problem once no correlation is above the penalty. What is
// not penalised has no correlation left, but for what rounding leaves.
double CoordinateDescent::find_gap(const Penalty& penalty) const {
  const double l1 = penalty.lambda * penalty.l1_ratio, l2 = penalty.lambda * (1 - penalty.l1_ratio);
  double residual = problem_.target_square, with_target = problem_.target_square;
  double absolute = 0, square = 0, largest = 0, left = 0;
  for (std::size_t u = 0; u < unit_count(); ++u) {
    const double p = problem_.penalty[first(u)];
    double own = 0, slope = 0;
    for (std::size_t j = first(u); j < first(u + 1); ++j) {
      const double b = coefficients_[j], g = gradient_[j] - l2 * p * b;
      residual -= b * (problem_.target[j] + gradient_[j]);
      with_target -= b * problem_.target[j];
      own += b * b;
      slope += g * g;
      if (p == 0 && problem_.products[j * problem_.terms + j] > 0) {
        left += gradient_[j] * gradient_[j] / problem_.products[j * problem_.terms + j];
      }
    }
    absolute += p * std::sqrt(own);
    square += p * own;
    if (p > 0) largest = std::max(largest, std::sqrt(slope) / p);
  }
  residual = std::max(0.0, residual);
  // Without a penalty on sizes every correlation must be gone: then what a step along each term would gain is the
  // measure.
  const double scale = largest > l1 ? l1 / largest : 1;
  if (l1 == 0) {
    double gain = 0;
    for (std::size_t j = 0; j < problem_.terms; ++j) {
      const double p = problem_.penalty[j], own = problem_.products[j * problem_.terms + j] + l2 * p;
      const double g = gradient_[j] - l2 * p * coefficients_[j];
      if (own > 0) gain += g * g / own;
    }
    return gain;
  }
  return left + 0.5 * residual * (1 + scale * scale) - scale * with_target + l1 * absolute +
         0.5 * l2 * square * (1 + scale * scale);
}

void CoordinateDescent::find_gradient() {
  const std::size_t terms = problem_.terms;
  gradient_ = problem_.target;
  for (const std::uint32_t j : active_) {
    if (coefficients_[j] != 0)
      subtract(gradient_.data(), problem_.products.data() + j * terms, coefficients_[j], terms);
  }
  for (std::size_t i = 0; i < active_.size(); ++i) slope_[i] = gradient_[active_[i]];
}

// Each says how much the fit changed.
double CoordinateDescent::move_term(std::size_t place, const Penalty& penalty) {
  const std::uint32_t j = active_[place];
  const double own = among_[place * room_ + place], p = problem_.penalty[j], before = coefficients_[j];
  const double divisor = own + penalty.lambda * (1 - penalty.l1_ratio) * p;
  if (own <= 0) return 0;
  const double after = shrunk(slope_[place] + own * before, penalty.lambda * penalty.l1_ratio * p) / divisor;
  if (after == before) return 0;
  coefficients_[j] = after;
  subtract(slope_.data(), among_.data() + place * room_, after - before, active_.size());
  return own * (after - before) * (after - before);
}

// By a matrix bound · I above the group's own products: exact where these are its identity.
double CoordinateDescent::move_group(std::size_t place, std::size_t size, double bound, const Penalty& penalty) {
  const std::uint32_t begin = active_[place];
  const double p = problem_.penalty[begin];
  if (bound <= 0) return 0;
  step_.resize(size);
  for (std::size_t i = 0; i < size; ++i) step_[i] = slope_[place + i] + bound * coefficients_[begin + i];
  const double length = norm(step_.data(), size), by = penalty.lambda * penalty.l1_ratio * p;
  const double factor = length > by ? (1 - by / length) / (bound + penalty.lambda * (1 - penalty.l1_ratio) * p) : 0;
  double change = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double after = factor * step_[i], before = coefficients_[begin + i];
    if (after == before) continue;
    coefficients_[begin + i] = after;
    subtract(slope_.data(), among_.data() + (place + i) * room_, after - before, active_.size());
    change += bound * (after - before) * (after - before);
  }
  return change;
}

// Of the active terms, but for a constant.
double CoordinateDescent::objective(const double* coefficients, const double* slope, const Penalty& penalty) const {
  const double l1 = penalty.lambda * penalty.l1_ratio, l2 = penalty.lambda * (1 - penalty.l1_ratio);
  double sum = 0;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const double b = coefficients[i], p = problem_.penalty[active_[i]];
    sum += p * (l1 * std::abs(b) + 0.5 * l2 * b * b) - 0.5 * b * (problem_.target[active_[i]] + slope[i]);
  }
  return sum;
}

// Passes move along a few directions only, slowly: the combination of the last ones whose next change is least, if it
// is better. As slopes are linear in the coefficients, it costs no products.
void CoordinateDescent::extrapolate(const Penalty& penalty) {
  const std::size_t size = active_.size();
  std::vector<double>& now = passed_.emplace_back(2 * size);
  for (std::size_t i = 0; i < size; ++i) now[i] = coefficients_[active_[i]];
  std::copy_n(slope_.data(), size, now.data() + size);
  if (passed_.size() <= combined_passes) return;
  std::vector<double> products(combined_passes * combined_passes), shares(combined_passes, 1.0);
  for (std::size_t a = 0; a < combined_passes; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < size; ++i)
        sum += (passed_[a + 1][i] - passed_[a][i]) * (passed_[b + 1][i] - passed_[b][i]);
      products[a * combined_passes + b] = products[b * combined_passes + a] = sum;
    }
  }
  const bool told_apart = cholesky(products, combined_passes, 1e-14).empty();
  std::vector<double> best(2 * size);
  double total = 0;
  if (told_apart) {
    cholesky_solve(products, combined_passes, shares);
    for (const double share : shares) total += share;
    for (std::size_t a = 0; a < combined_passes; ++a)
      subtract(best.data(), passed_[a + 1].data(), -shares[a] / total, best.size());
  }
  if (told_apart && std::isfinite(1 / total) &&
      objective(best.data(), best.data() + size, penalty) < objective(now.data(), now.data() + size, penalty)) {
    for (std::size_t i = 0; i < size; ++i) coefficients_[active_[i]] = best[i];
    std::copy_n(best.data() + size, size, slope_.data());
  }
  passed_.clear();
}

// Passes over the active terms until a pass changes little.
void CoordinateDescent::descend(const Penalty& penalty, double tolerance, std::size_t most_passes) {
  passed_.clear();
  for (double change = std::numeric_limits<double>::infinity(); change > tolerance && passes_ < most_passes;
       ++passes_) {
    change = 0;
    if (problem_.units.empty() && active_.size() > combined_passes) extrapolate(penalty);
    for (const ActiveUnit& unit : active_units_) {
      change = std::max(change, unit.size == 1 ? move_term(unit.place, penalty)
                                               : move_group(unit.place, unit.size, unit.bound, penalty));
    }
  }
}

// With the terms that are in the model, and their signs, the solution is that of linear equations. False, and nothing
// changed, if signs would change or groups make it no linear one.
bool CoordinateDescent::solve_exactly(const Penalty& penalty) {
  const double l1 = penalty.lambda * penalty.l1_ratio, l2 = penalty.lambda * (1 - penalty.l1_ratio);
  std::vector<std::uint32_t> places;
  for (const ActiveUnit& unit : active_units_) {
    if (unit.size > 1 && l1 > 0 && problem_.penalty[active_[unit.place]] > 0) return false;
    for (std::uint32_t i = unit.place; i < unit.place + unit.size; ++i) {
      if (coefficients_[active_[i]] != 0) places.push_back(i);
    }
  }
  const std::size_t size = places.size();
  std::vector<double> matrix(size * size), solution(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint32_t j = active_[places[i]];
    const double p = problem_.penalty[j];
    for (std::size_t k = 0; k < size; ++k) matrix[i * size + k] = among_[places[i] * room_ + places[k]];
    matrix[i * size + i] += l2 * p;
    solution[i] = problem_.target[j] - std::copysign(l1 * p, coefficients_[j]);
  }
  if (!cholesky(matrix, size, 1e-12).empty()) return false;
  cholesky_solve(matrix, size, solution);
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint32_t j = active_[places[i]];
    const bool turned = std::signbit(solution[i]) != std::signbit(coefficients_[j]);
    if (!std::isfinite(solution[i]) || (turned && l1 * problem_.penalty[j] > 0)) return false;
  }
  for (std::size_t i = 0; i < size; ++i) coefficients_[active_[places[i]]] = solution[i];
  return true;
}

bool CoordinateDescent::add_violators(const Penalty& penalty) {
  const double l1 = penalty.lambda * penalty.l1_ratio;
  bool more = false;
  for (std::size_t u = 0; u < unit_count(); ++u) {
    const std::size_t begin = first(u), size = first(u + 1) - begin;
    if (is_active_[u] != 0 || norm(gradient_.data() + begin, size) <= l1 * problem_.penalty[begin]) continue;
    add_to_active(u);
    more = true;
  }
  return more;
}

bool CoordinateDescent::solve(const Penalty& penalty, double tolerance, std::size_t most_passes) {
  passes_ = 0;
  for (double inner = 0.1 * tolerance;; inner *= 0.1) {
    descend(penalty, inner, most_passes);
    find_gradient();
    while (add_violators(penalty)) {
      descend(penalty, inner, most_passes);
      find_gradient();
    }
    gap_ = find_gap(penalty);
    if (gap_ <= tolerance) return true;
    // Equations cost about as much as a pass for each term: not before that much was tried.
    if (passes_ >= active_.size() && solve_exactly(penalty)) {
      find_gradient();
      if (!add_violators(penalty)) gap_ = find_gap(penalty);
      if (gap_ <= tolerance) return true;
    }
    if (passes_ >= most_passes || inner < 1e-300) return false;
  }
}

bool CoordinateDescent::settle(const Penalty& penalty, double change, std::size_t most_passes) {
  passes_ = 0;
  do {
    descend(penalty, change, most_passes);
    find_gradient();
  } while (add_violators(penalty));
  if (solve_exactly(penalty)) find_gradient();
  return passes_ < most_passes;
}

double largest_lambda(const LeastSquares& problem, const std::vector<double>& gradient, double l1_ratio) {
  const std::size_t units = problem.units.empty() ? problem.terms : problem.units.size() - 1;
  double largest = 0;
  for (std::size_t u = 0; u < units; ++u) {
    const std::size_t begin = problem.units.empty() ? u : problem.units[u];
    const std::size_t end = problem.units.empty() ? u + 1 : problem.units[u + 1];
    if (problem.penalty[begin] <= 0) continue;
    largest = std::max(largest, norm(gradient.data() + begin, end - begin) / problem.penalty[begin]);
  }
  // Ridge alone never leaves a term out: its path starts where little is left of any.
  return largest / std::max(l1_ratio, 1e-3);
}

std::vector<double> penalty_sequence(double largest, double ratio, std::size_t count) {
  std::vector<double> penalties(count, largest);
  for (std::size_t i = 1; i < count; ++i) {
    penalties[i] = largest * std::pow(ratio, static_cast<double>(i) / static_cast<double>(count - 1));
  }
  return penalties;
}

}  // namespace sightglass
