#include "sightglass/learn/linear/inference.h"

#include <algorithm>
#include <cmath>

#include "sightglass/learn/linear/cholesky.h"
#include "sightglass/learn/linear/gram.h"

namespace sightglass {

namespace {

// The regularised incomplete beta function, by Lentz's continued fraction.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, 1 - x);
  const double front =
      std::exp(a * std::log(x) + b * std::log1p(-x) + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b)) / a;
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), fraction = d;
  for (int i = 1; i < 500; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    fraction *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    fraction *= c * d;
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return front * fraction;
}

// Columns as the curvature has them, output after output: the intercept, then the design's.
std::vector<double> expected_curvature(const LinearProblem& problem, const std::vector<double>& eta,
                                       const Context& context) {
  const std::size_t outputs = problem.outcomes.outputs, block = problem.design.size() + 1, size = outputs * block;
  const auto columns = problem.basis.columns_of(problem.basis.all_units());
  const std::vector<double> ones(problem.design.rows(), 1.0);
  const std::span<const double> besides[] = {ones};
  std::vector<double> matrix(size * size), weights;
  for (std::size_t k = 0; k < outputs; ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      expected_curvatures(problem.outcomes, eta, problem.weights, k, l, weights);
      const Products products =
          sums_of_products(problem.design, {.columns = columns, .more = besides, .weights = weights}, context)[0];
      for (std::size_t i = 0; i < block; ++i) {
        for (std::size_t j = 0; j < block; ++j) {
          matrix[(k * block + i) * size + l * block + j] = products(i, j);
          matrix[(l * block + j) * size + k * block + i] = products(i, j);
        }
      }
    }
  }
  return matrix;
}

}  // namespace

Inference infer(const LinearProblem& problem, const LinearFit& fit, double total, const Context& context) {
  const std::size_t outputs = problem.outcomes.outputs, columns = problem.design.size(), block = columns + 1;
  const std::size_t size = outputs * block;
  std::vector<double> eta;
  for (std::size_t k = 0; k < outputs; ++k) {
    std::vector<double> sums =
        times(problem.design, std::span(fit.coefficients).subspan(k * columns, columns), context);
    for (double& sum : sums) sum += fit.intercepts[k];
    eta.insert(eta.end(), sums.begin(), sums.end());
  }
  // Classes need one output less than there are: the last follows from the others, and is left out here.
  std::vector<double> factor = expected_curvature(problem, eta, context);
  const std::vector<std::uint32_t> dependent = cholesky(factor, size, collinear);

  Inference found;
  for (const std::uint32_t i : dependent) {
    if (i < block && i > 0) found.left_out.push_back(i - 1);
  }
  const OutcomeDistribution distribution = problem.outcomes.distribution;
  const bool classes = distribution == OutcomeDistribution::multinomial;
  const std::size_t free_outputs = classes ? outputs - 1 : outputs;
  found.degrees_of_freedom = total - static_cast<double>(free_outputs * (block - found.left_out.size()));
  found.by_t = distribution == OutcomeDistribution::gaussian;
  if (found.degrees_of_freedom <= 0) return found;
  if (found.by_t || distribution == OutcomeDistribution::gamma) {
    found.dispersion = pearson(problem.outcomes, eta, problem.weights) * total / found.degrees_of_freedom;
  }

  const std::vector<double> covariance = cholesky_inverse(factor, size);
  const double scale = found.dispersion / total;
  // In which way a number is made of the coefficients of one output.
  const auto se_of = [&](std::size_t output, const std::vector<std::pair<std::size_t, double>>& made_of) {
    double variance = 0;
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t l = 0; l < outputs; ++l) {
        // Classes' coefficients are those relative to their mean over classes.
        const double share = classes ? 1 / static_cast<double>(outputs) : 0;
        const double at_k = (k == output ? 1 : 0) - share, at_l = (l == output ? 1 : 0) - share;
        if (at_k == 0 || at_l == 0) continue;
        for (const auto& [i, a] : made_of) {
          for (const auto& [j, b] : made_of) {
            variance += at_k * at_l * a * b * covariance[(k * block + i) * size + l * block + j];
          }
        }
      }
    }
    return std::sqrt(std::max(0.0, variance * scale));
  };
  const auto& made = problem.design.columns();
  std::vector<std::pair<std::size_t, double>> intercept = {{0, 1.0}};
  for (std::size_t c = 0; c < columns; ++c) {
    if (made[c].centre != 0) intercept.emplace_back(1 + c, -made[c].centre / made[c].scale);
  }
  for (std::size_t k = 0; k < outputs; ++k) {
    found.intercept_se.push_back(se_of(k, intercept));
    for (std::size_t c = 0; c < columns; ++c) found.se.push_back(se_of(k, {{1 + c, 1 / made[c].scale}}));
  }
  return found;
}

double two_sided_p(const Inference& inference, double ratio) {
  const double square = ratio * ratio, freedom = inference.degrees_of_freedom;
  if (!inference.by_t) return std::erfc(std::abs(ratio) / std::sqrt(2.0));
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square));
}

double interval_width(const Inference& inference) {
  double low = 0, high = 1e6;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (two_sided_p(inference, middle) > 0.05 ? low : high) = middle;
  }
  return high;
}

}  // namespace sightglass
