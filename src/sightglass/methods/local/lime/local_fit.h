// A weighted line through samples around a row, from their weighted moments: which features it has, and its
// coefficients. Once moments are there, choosing features and fitting cost nothing that grows with the samples.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sightglass {

// Of the samples' terms z and predictions y (less the row's own one, so that no digits are lost).
struct LineMoments {
  std::size_t terms = 0, outputs = 0;
  double weight = 0;               // Σ w
  double squares = 0;              // Σ w²
  std::vector<double> mean;        // of each term
  std::vector<double> covariance;  // [term × terms + term]
  std::vector<double> y_mean;      // of each output
  std::vector<double> y_variance;  // the same
  std::vector<double> with_y;      // [output × terms + term]: covariances

  [[nodiscard]] double effective() const { return squares > 0 ? weight * weight / squares : 0; }
  [[nodiscard]] std::span<const double> with(std::size_t output) const {
    return std::span(with_y).subspan(output * terms, terms);
  }
};

enum class TermChoice { forward, weights, lasso_path };
[[nodiscard]] TermChoice term_choice(std::string_view select, std::size_t most);

// At most so many terms, ascending. own: the row's own terms. ridge: α where all features are weighed against one
// another ("weights").
[[nodiscard]] std::vector<std::size_t> choose_terms(const LineMoments& moments, std::size_t output, TermChoice choice,
                                                    std::size_t most, std::span<const double> own, double ridge);

// Weighted ridge regression on some of the terms; the intercept is not penalised.
struct FittedLine {
  std::vector<std::size_t> terms;
  std::vector<double> coefficients;
  double intercept = 0;
};
[[nodiscard]] FittedLine fit_line(const LineMoments& moments, std::size_t output, std::vector<std::size_t> terms,
                                  double ridge);
// 1 − E(y − line)² / Var y; 0 where y does not vary and the line is right, −∞ never.
[[nodiscard]] double r_squared(const LineMoments& moments, std::size_t output, const FittedLine& line);

}  // namespace sightglass
