// Penalised least squares from sums of products alone: minimises
//   ½ βᵀGβ − cᵀβ + ½ y² + λ Σ over units u of p_u (α ‖β_u‖ + ½ (1 − α) ‖β_u‖²)
// where G = XᵀWX, c = XᵀWy and y² = yᵀWy, each divided by the sum of the weights: rows are not needed. A unit is one
// term (lasso, elastic net), or several that are in the model together or not at all (group lasso).
// Friedman, Hastie and Tibshirani 2010, Regularization paths for generalized linear models via coordinate descent;
// Yang and Zou 2015, A fast unified algorithm for solving group-lasso penalized learning problems;
// Bertrand and Massias 2021, Anderson acceleration of coordinate descent.
// Cost: a pass is (terms in the model)²; the products are read where a term is in the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sightglass {

struct LeastSquares {
  std::size_t terms = 0;
  std::vector<double> products;  // [term × terms + term]: G, symmetric
  std::vector<double> target;    // c
  double target_square = 0;      // y²
  std::vector<double> penalty;   // p, one per term, of a unit the same for all: 0 for what is always in the model
  // The first term of each unit, ascending, and behind them the number of terms. Empty: every term is its own unit.
  std::vector<std::uint32_t> units = {};
};

struct Penalty {
  double lambda = 0;
  double l1_ratio = 1;  // α; 1: lasso, 0: ridge
};

// A solution that stays for the next penalty: neighbours on a path are close. The problem must outlive it.
class CoordinateDescent {
 public:
  explicit CoordinateDescent(const LeastSquares& problem);

  // Until the duality gap is at most `tolerance`, or after so many passes over the terms; says whether it got there.
  bool solve(const Penalty& penalty, double tolerance, std::size_t most_passes = 20'000);
  // Until a pass over the terms changes no term's part in the fit by more than this, squared: for problems whose y² is
  // not known.
  bool settle(const Penalty& penalty, double change, std::size_t most_passes = 20'000);
  // Goes on from other coefficients.
  void start_from(const std::vector<double>& coefficients);

  [[nodiscard]] const std::vector<double>& coefficients() const { return coefficients_; }
  // c − Gβ
  [[nodiscard]] const std::vector<double>& gradient() const { return gradient_; }
  [[nodiscard]] double gap() const { return gap_; }
  [[nodiscard]] std::size_t passes() const { return passes_; }
  // Weighted mean of squared residuals.
  [[nodiscard]] double mean_square() const;

 private:
  [[nodiscard]] std::size_t first(std::size_t unit) const {
    return problem_.units.empty() ? unit : problem_.units[unit];
  }
  [[nodiscard]] std::size_t unit_count() const {
    return problem_.units.empty() ? problem_.terms : problem_.units.size() - 1;
  }
  void add_to_active(std::size_t unit);
  void descend(const Penalty& penalty, double tolerance, std::size_t most_passes);
  double move_term(std::size_t place, const Penalty& penalty);
  double move_group(std::size_t place, std::size_t size, double bound, const Penalty& penalty);
  bool solve_exactly(const Penalty& penalty);
  void extrapolate(const Penalty& penalty);
  [[nodiscard]] double objective(const double* coefficients, const double* slope, const Penalty& penalty) const;
  void find_gradient();
  bool add_violators(const Penalty& penalty);
  [[nodiscard]] double find_gap(const Penalty& penalty) const;

  struct ActiveUnit {
    std::uint32_t place;  // of its first term among the active ones
    std::uint32_t size;
    double bound;  // of the eigenvalues of its products
  };

  const LeastSquares& problem_;
  std::vector<double> coefficients_, gradient_;
  std::vector<ActiveUnit> active_units_;  // that are looked at, in the order in which they came
  std::vector<std::uint32_t> active_;     // their terms
  std::vector<std::uint8_t> is_active_;   // per unit
  std::vector<double> among_;             // G of the active terms, [active × room + active]
  std::size_t room_ = 0;
  std::vector<double> slope_;  // gradient of the active terms, while they change
  std::vector<double> step_;
  std::vector<std::vector<double>> passed_;  // coefficients and slopes of the active terms after the last passes
  double gap_ = 0;
  std::size_t passes_ = 0;
};

// The smallest λ at which nothing that is penalised is in the model, given c − Gβ of a model without it.
[[nodiscard]] double largest_lambda(const LeastSquares& problem, const std::vector<double>& gradient, double l1_ratio);
// Penalties from the largest down to ratio times it, evenly spaced on a log scale.
[[nodiscard]] std::vector<double> penalty_sequence(double largest, double ratio, std::size_t count);

}  // namespace sightglass
