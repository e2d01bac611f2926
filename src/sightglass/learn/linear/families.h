// Distributions of the outcome: what a prediction costs (half the deviance of a row), and how that changes with the sum
// of terms η. The mean is η itself, 1 / (1 + exp(-η)), exp(η_k) / Σ exp(η), or exp(η).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sightglass/model/link.h"

namespace sightglass {

enum class OutcomeDistribution { gaussian, binomial, multinomial, poisson, gamma };
[[nodiscard]] LinkFunction link_of(OutcomeDistribution distribution);

// Rows' sums of terms stand output after output: [output × rows + row]. Outcomes are numbers; of a binomial 0 or 1, of
// a multinomial the index of the class.
struct Outcomes {
  OutcomeDistribution distribution = OutcomeDistribution::gaussian;
  std::span<const double> values;
  std::size_t outputs = 1;
};

// Σ weight · half the deviance.
[[nodiscard]] double half_deviance(const Outcomes& outcomes, std::span<const double> eta,
                                   std::span<const double> weights);
// The same, and weight · its derivative, for each η.
double derivatives(const Outcomes& outcomes, std::span<const double> eta, std::span<const double> weights,
                   std::vector<double>& slopes);
// weight · the second derivative by η of outputs k and l.
void curvatures(const Outcomes& outcomes, std::span<const double> eta, std::span<const double> weights, std::size_t k,
                std::size_t l, std::vector<double>& out);
// The same, expected where the outcome is not known: what standard errors are made of.
void expected_curvatures(const Outcomes& outcomes, std::span<const double> eta, std::span<const double> weights,
                         std::size_t k, std::size_t l, std::vector<double>& out);
// The best constants.
[[nodiscard]] std::vector<double> constant_fit(const Outcomes& outcomes, std::span<const double> weights);
// Σ weight · squared residual / variance of the mean: Pearson's statistic, of one output.
[[nodiscard]] double pearson(const Outcomes& outcomes, std::span<const double> eta, std::span<const double> weights);

}  // namespace sightglass
