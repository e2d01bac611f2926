#include "sightglass/learn/linear/families.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "sightglass/base/each_processor.h"

namespace sightglass {

namespace {

// Beyond these, exp() would leave the range of numbers long before the fit gains anything.
constexpr double largest_eta = 300;
double mean_by_log(double eta) { return std::exp(std::clamp(eta, -largest_eta, largest_eta)); }

double logistic(double eta) {
  const double e = std::exp(-std::abs(eta));
  return (eta >= 0 ? 1 : e) / (1 + e);
}

double log_term(double y) { return y > 0 ? y * std::log(y) : 0; }

// Half the deviance of a row, its derivative by the η of each output, and the shares of classes.
struct Row {
  double loss = 0, slope = 0, curvature = 0;
};

Row one_output(OutcomeDistribution distribution, double y, double eta) {
  switch (distribution) {
    case OutcomeDistribution::gaussian: return {(y - eta) * (y - eta) / 2, eta - y, 1};
    case OutcomeDistribution::binomial: {
      const double e = std::exp(-std::abs(eta)), mean = (eta >= 0 ? 1 : e) / (1 + e);
      return {std::max(eta, 0.0) + std::log(1 + e) - y * eta, mean - y, e / ((1 + e) * (1 + e))};
    }
    case OutcomeDistribution::poisson: {
      const double mean = mean_by_log(eta);
      return {mean - y * eta + log_term(y) - y, mean - y, mean};
    }
    case OutcomeDistribution::gamma: {
      const double ratio = y * mean_by_log(-eta);
      return {ratio - 1 - std::log(y) + eta, 1 - ratio, ratio};
    }
    case OutcomeDistribution::multinomial: break;
  }
  return {};
}

// exp(x) of −700 ≤ x ≤ 0 without a call, so that the compiler makes vectors of it: 2^k times a series around 0.
inline double exp_of_negative(double x) {
  constexpr double to_whole = 0x1.8p52;
  const double shifted = x * 1.4426950408889634 + to_whole, k = shifted - to_whole;
  const double r = (x - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;
  double sum = 1.0 / 6227020800;
  constexpr double factorials[] = {479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2, 1, 1};
#pragma GCC unroll 13
  for (const double factorial : factorials) sum = sum * r + 1 / factorial;
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return sum * std::bit_cast<double>(power);
}

// log(1 + e), 0 ≤ e ≤ 1, by the series of 2 artanh(e / (2 + e)).
inline double log_of_one_and(double e) {
  const double s = e / (2 + e), square = s * s;
  double sum = 1.0 / 33;
#pragma GCC unroll 16
  for (int i = 31; i > 0; i -= 2) sum = sum * square + 1.0 / i;
  return 2 * s * sum;
}

// Losses of rows, and their slopes, times weights.
SIGHTGLASS_FOR_EACH_PROCESSOR
void binomial_rows(const double* y, const double* eta, const double* weights, std::size_t rows, double* losses,
                   double* slopes) {
  for (std::size_t r = 0; r < rows; ++r) {
    const double e = exp_of_negative(std::max(-700.0, -std::abs(eta[r])));
    const double mean = (eta[r] >= 0 ? 1 : e) / (1 + e);
    losses[r] = weights[r] * (std::max(eta[r], 0.0) + log_of_one_and(e) - y[r] * eta[r]);
    slopes[r] = weights[r] * (mean - y[r]);
  }
}

// Shares of classes of one row; gives back half its deviance.
double shares(const Outcomes& outcomes, std::span<const double> eta, std::size_t row, double* share) {
  const std::size_t rows = outcomes.values.size(), outputs = outcomes.outputs;
  double largest = eta[row], sum = 0;
  for (std::size_t k = 1; k < outputs; ++k) largest = std::max(largest, eta[k * rows + row]);
  for (std::size_t k = 0; k < outputs; ++k) sum += share[k] = std::exp(eta[k * rows + row] - largest);
  for (std::size_t k = 0; k < outputs; ++k) share[k] /= sum;
  return largest + std::log(sum) - eta[static_cast<std::size_t>(outcomes.values[row]) * rows + row];
}

}  // namespace

double half_deviance(const Outcomes& outcomes, std::span<const double> eta, std::span<const double> weights) {
  std::vector<double> share(outcomes.outputs);
  double sum = 0;
  for (std::size_t row = 0; row < outcomes.values.size(); ++row) {
    if (weights[row] == 0) continue;
    sum += weights[row] * (outcomes.distribution == OutcomeDistribution::multinomial
                               ? shares(outcomes, eta, row, share.data())
                               : one_output(outcomes.distribution, outcomes.values[row], eta[row]).loss);
  }
  return sum;
}

double derivatives(const Outcomes& outcomes, std::span<const double> eta, std::span<const double> weights,
                   std::vector<double>& slopes) {
  const std::size_t rows = outcomes.values.size();
  slopes.resize(eta.size());
  std::vector<double> share(outcomes.outputs);
  double sum = 0;
  if (outcomes.distribution == OutcomeDistribution::binomial) {
    constexpr std::size_t block = 512;
    double losses[block];
    for (std::size_t begin = 0; begin < rows; begin += block) {
      const std::size_t count = std::min(block, rows - begin);
      binomial_rows(outcomes.values.data() + begin, eta.data() + begin, weights.data() + begin, count, losses,
                    slopes.data() + begin);
      for (std::size_t r = 0; r < count; ++r) sum += losses[r];
    }
    return sum;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const double y = outcomes.values[row], w = weights[row];
    if (outcomes.distribution != OutcomeDistribution::multinomial) {
      const Row found = one_output(outcomes.distribution, y, eta[row]);
      sum += w * found.loss;
      slopes[row] = w * found.slope;
      continue;
    }
    sum += w * shares(outcomes, eta, row, share.data());
    for (std::size_t k = 0; k < outcomes.outputs; ++k) {
      slopes[k * rows + row] = w * (share[k] - (static_cast<double>(k) == y ? 1 : 0));
    }
  }
  return sum;
}

void curvatures(const Outcomes& outcomes, std::span<const double> eta, std::span<const double> weights, std::size_t k,
                std::size_t l, std::vector<double>& out) {
  const std::size_t rows = outcomes.values.size();
  out.resize(rows);
  std::vector<double> share(outcomes.outputs);
  for (std::size_t row = 0; row < rows; ++row) {
    if (outcomes.distribution != OutcomeDistribution::multinomial) {
      out[row] = weights[row] * one_output(outcomes.distribution, outcomes.values[row], eta[row]).curvature;
      continue;
    }
    static_cast<void>(shares(outcomes, eta, row, share.data()));
    out[row] = weights[row] * (k == l ? share[k] * (1 - share[k]) : -share[k] * share[l]);
  }
}

void expected_curvatures(const Outcomes& outcomes, std::span<const double> eta, std::span<const double> weights,
                         std::size_t k, std::size_t l, std::vector<double>& out) {
  if (outcomes.distribution == OutcomeDistribution::gamma) {
    out.assign(weights.begin(), weights.end());
  } else {
    curvatures(outcomes, eta, weights, k, l, out);
  }
}

std::vector<double> constant_fit(const Outcomes& outcomes, std::span<const double> weights) {
  const std::size_t outputs = outcomes.outputs;
  double total = 0;
  std::vector<double> sums(outputs);
  for (std::size_t row = 0; row < outcomes.values.size(); ++row) {
    total += weights[row];
    if (outcomes.distribution == OutcomeDistribution::multinomial) {
      sums[static_cast<std::size_t>(outcomes.values[row])] += weights[row];
    } else {
      sums[0] += weights[row] * outcomes.values[row];
    }
  }
  // A class that is not there among these rows gets a probability that is almost none.
  constexpr double least = 1e-9;
  std::vector<double> constants;
  double mean = 0;
  for (const double sum : sums) {
    const double m = sum / total;
    switch (outcomes.distribution) {
      case OutcomeDistribution::gaussian: constants.push_back(m); break;
      case OutcomeDistribution::binomial: {
        const double p = std::clamp(m, least, 1 - least);
        constants.push_back(std::log(p / (1 - p)));
        break;
      }
      default: constants.push_back(std::log(std::max(m, least)));
    }
    mean += constants.back() / static_cast<double>(outputs);
  }
  // Shares of classes do not say where their sums of terms lie together.
  if (outcomes.distribution == OutcomeDistribution::multinomial) {
    for (double& c : constants) c -= mean;
  }
  return constants;
}

double pearson(const Outcomes& outcomes, std::span<const double> eta, std::span<const double> weights) {
  double sum = 0;
  for (std::size_t row = 0; row < outcomes.values.size(); ++row) {
    const double y = outcomes.values[row], w = weights[row];
    double mean = eta[row], variance = 1;
    switch (outcomes.distribution) {
      case OutcomeDistribution::gaussian: break;
      case OutcomeDistribution::binomial:
        mean = logistic(mean);
        variance = mean * (1 - mean);
        break;
      case OutcomeDistribution::poisson: variance = mean = mean_by_log(mean); break;
      case OutcomeDistribution::gamma:
        mean = mean_by_log(mean);
        variance = mean * mean;
        break;
      case OutcomeDistribution::multinomial: break;
    }
    if (variance > 0) sum += w * (y - mean) * (y - mean) / variance;
  }
  return sum;
}

LinkFunction link_of(OutcomeDistribution distribution) {
  switch (distribution) {
    case OutcomeDistribution::gaussian: return {Link::identity};
    case OutcomeDistribution::binomial: return {Link::logistic};
    case OutcomeDistribution::multinomial: return {Link::softmax};
    case OutcomeDistribution::poisson:
    case OutcomeDistribution::gamma: break;
  }
  return {Link::exponential};
}

}  // namespace sightglass
