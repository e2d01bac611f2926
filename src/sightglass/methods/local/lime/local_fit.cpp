#include "sightglass/methods/local/lime/local_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/learn/linear/cholesky.h"

namespace sightglass {

namespace {

// Solves for the terms that are chosen.
std::vector<double> solve(const LineMoments& moments, std::span<const std::size_t> chosen, std::vector<double> right,
                          double ridge) {
  const std::size_t size = chosen.size();
  std::vector<double> matrix(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k)
      matrix[i * size + k] = moments.weight * moments.covariance[chosen[i] * moments.terms + chosen[k]];
    matrix[i * size + i] += ridge;
    right[i] *= moments.weight;
  }
  (void)cholesky(matrix, size, collinear);
  cholesky_solve(matrix, size, right);
  return right;
}

// The term that explains most of what the others leave, again and again: each is then swept out of the moments.
std::vector<std::size_t> forward(const LineMoments& moments, std::size_t output, std::size_t most) {
  const std::size_t p = moments.terms;
  std::vector<double> left = moments.covariance;
  std::vector<double> with(moments.with(output).begin(), moments.with(output).end());
  std::vector<std::size_t> chosen;
  std::vector<bool> used(p, false);
  while (chosen.size() < most) {
    std::size_t best = p;
    double best_gain = -1;
    for (std::size_t j = 0; j < p; ++j) {
      const double own = left[j * p + j];
      if (used[j] || !(own > collinear * moments.covariance[j * p + j])) continue;
      const double gain = with[j] * with[j] / own;
      if (gain > best_gain) {
        best = j;
        best_gain = gain;
      }
    }
    if (best == p) break;
    used[best] = true;
    chosen.push_back(best);
    const double own = left[best * p + best], by = with[best] / own;
    const std::vector<double> line(left.begin() + static_cast<std::ptrdiff_t>(best * p),
                                   left.begin() + static_cast<std::ptrdiff_t>((best + 1) * p));
    for (std::size_t j = 0; j < p; ++j) {
      with[j] -= line[j] * by;
      for (std::size_t k = 0; k < p; ++k) left[j * p + k] -= line[j] * line[k] / own;
    }
  }
  return chosen;
}

std::vector<std::size_t> by_weight(const LineMoments& moments, std::size_t output, std::size_t most,
                                   std::span<const double> own, double ridge) {
  std::vector<std::size_t> order(moments.terms);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> size = solve(moments, order, {moments.with(output).begin(), moments.with(output).end()}, ridge);
  for (std::size_t j = 0; j < size.size(); ++j) size[j] = std::abs(size[j] * own[j]);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });
  order.resize(std::min(order.size(), most));
  return order;
}

// The path of the lasso from the largest penalty on, corner by corner (Efron et al. 2004, least angle regression); the
// last corner with no more terms than are wanted counts.
std::vector<std::size_t> lasso_path(const LineMoments& moments, std::size_t output, std::size_t most) {
  const std::size_t p = moments.terms;
  std::vector<double> left(moments.with(output).begin(), moments.with(output).end()), beta(p, 0);
  std::vector<std::size_t> active, best;
  std::vector<bool> usable(p);
  for (std::size_t j = 0; j < p; ++j) usable[j] = moments.covariance[j * p + j] > 0;
  double penalty = 0;
  for (std::size_t j = 0; j < p; ++j) {
    if (usable[j]) penalty = std::max(penalty, std::abs(left[j]));
  }
  const double start = penalty;
  const auto largest = [&] {
    std::size_t at = p;
    for (std::size_t j = 0; j < p; ++j) {
      if (!usable[j] || std::find(active.begin(), active.end(), j) != active.end()) continue;
      if (at == p || std::abs(left[j]) > std::abs(left[at])) at = j;
    }
    return at;
  };
  if (!(penalty > 0)) return {};
  active.push_back(largest());
  LineMoments plain = moments;
  plain.weight = 1;
  for (std::size_t corner = 0; corner < 8 * p && penalty > 1e-12 * start; ++corner) {
    std::vector<double> signs;
    for (const std::size_t j : active) signs.push_back(left[j] > 0 ? 1 : -1);
    const std::vector<double> step = solve(plain, active, signs, 0);
    // How far the penalty falls until another term joins, or one of these becomes 0.
    double fall = penalty;
    std::size_t joins = p, leaves = active.size();
    std::vector<double> slope(p, 0);
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t i = 0; i < active.size(); ++i) slope[j] += moments.covariance[j * p + active[i]] * step[i];
      if (!usable[j] || std::find(active.begin(), active.end(), j) != active.end()) continue;
      for (const double sign : {1.0, -1.0}) {
        // |left_j − fall · slope_j| = penalty − fall
        const double rate = 1 - sign * slope[j];
        const double at = (penalty - sign * left[j]) / rate;
        if (rate > 1e-12 && at > 1e-12 * start && at < fall) {
          fall = at;
          joins = j;
        }
      }
    }
    for (std::size_t i = 0; i < active.size(); ++i) {
      const double at = -beta[active[i]] / step[i];
      if (at > 1e-12 * start && at < fall) {
        fall = at;
        leaves = i;
        joins = p;
      }
    }
    for (std::size_t i = 0; i < active.size(); ++i) beta[active[i]] += fall * step[i];
    for (std::size_t j = 0; j < p; ++j) left[j] -= fall * slope[j];
    penalty -= fall;
    const bool left_out = leaves < active.size();
    if (left_out) {
      beta[active[leaves]] = 0;
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(leaves));
    }
    if (active.size() <= most) best = active;
    if (joins < p) active.push_back(joins);
    if (joins == p && !left_out) break;
    if (active.empty()) break;
  }
  return best;
}

}  // namespace

TermChoice term_choice(std::string_view select, std::size_t most) {
  if (select == "forward") return TermChoice::forward;
  if (select == "lasso-path") return TermChoice::lasso_path;
  if (select == "weights") return TermChoice::weights;
  return most <= 6 ? TermChoice::forward : TermChoice::weights;
}

std::vector<std::size_t> choose_terms(const LineMoments& moments, std::size_t output, TermChoice choice,
                                      std::size_t most, std::span<const double> own, double ridge) {
  std::vector<std::size_t> chosen;
  if (most >= moments.terms) {
    chosen.resize(moments.terms);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  switch (choice) {
    case TermChoice::forward: chosen = forward(moments, output, most); break;
    case TermChoice::weights: chosen = by_weight(moments, output, most, own, ridge); break;
    case TermChoice::lasso_path: chosen = lasso_path(moments, output, most); break;
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

FittedLine fit_line(const LineMoments& moments, std::size_t output, std::vector<std::size_t> terms, double ridge) {
  std::vector<double> right;
  for (const std::size_t j : terms) right.push_back(moments.with(output)[j]);
  FittedLine line{.terms = std::move(terms), .coefficients = {}};
  line.coefficients = solve(moments, line.terms, std::move(right), ridge);
  line.intercept = moments.y_mean[output];
  for (std::size_t i = 0; i < line.terms.size(); ++i)
    line.intercept -= line.coefficients[i] * moments.mean[line.terms[i]];
  return line;
}

double r_squared(const LineMoments& moments, std::size_t output, const FittedLine& line) {
  double off = moments.y_mean[output] - line.intercept, error = moments.y_variance[output];
  for (std::size_t i = 0; i < line.terms.size(); ++i) {
    const std::size_t j = line.terms[i];
    off -= line.coefficients[i] * moments.mean[j];
    error -= 2 * line.coefficients[i] * moments.with(output)[j];
    for (std::size_t k = 0; k < line.terms.size(); ++k)
      error += line.coefficients[i] * line.coefficients[k] * moments.covariance[j * moments.terms + line.terms[k]];
  }
  error += off * off;
  return moments.y_variance[output] > 0 ? 1 - error / moments.y_variance[output] : 0;
}

}  // namespace sightglass
