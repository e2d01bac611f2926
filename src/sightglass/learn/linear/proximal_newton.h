// Penalised generalised linear models: minimises
//   Σ w half the deviance(y, η) + λ Σ over units u of p_u (α ‖β_u‖ + ½ (1 − α) ‖β_u‖²),   η = intercept + Xβ,   Σ w = 1
// by Newton's steps: the curvature's sums of products are found for the terms in the model alone, the penalised
// quadratic is solved by coordinate descent, and a step that does not lower the sum is halved. Along a path the
// curvature of an earlier penalty serves until a step gains less than it promised.
// Lee, Sun and Saunders 2014, Proximal Newton-type methods for minimizing composite functions.
// Cost: a step reads the columns twice; where the curvature is found anew rows × (terms in the model)² / 2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/linear/basis.h"
#include "sightglass/learn/linear/coordinate_descent.h"
#include "sightglass/learn/linear/families.h"

namespace sightglass {

struct LinearProblem {
  const Design& design;
  const Basis& basis;
  Outcomes outcomes;
  std::vector<double> weights;  // per row, 0 or more; their sum is 1
};

struct LinearFit {
  std::vector<double> intercepts;    // one per output
  std::vector<double> coefficients;  // [output × terms + term]
};

class ProximalNewton {
 public:
  // Starts with the best constants. The problem must outlive it.
  ProximalNewton(const LinearProblem& problem, const Context& context);

  // Goes on from another fit.
  void start_from(const LinearFit& fit);
  // Only these units may be in the model.
  void restrict_to(const std::vector<std::uint32_t>& units);
  // Until a step promises to gain no more than `tolerance`; says whether it got there.
  bool solve(const Penalty& penalty, double tolerance, std::size_t most_steps = 100);

  [[nodiscard]] const LinearFit& fit() const { return fit_; }
  [[nodiscard]] const std::vector<double>& eta() const { return eta_; }
  [[nodiscard]] double loss() const { return loss_; }            // Σ w half the deviance
  [[nodiscard]] double null_loss() const { return null_loss_; }  // of the best constants
  // Of the loss, [output × terms + term].
  [[nodiscard]] const std::vector<double>& gradient() const { return gradient_; }
  [[nodiscard]] double largest_lambda(double l1_ratio) const;
  // More terms came into the model than there is room for: it was left as it was.
  [[nodiscard]] bool too_large() const { return too_large_; }
  [[nodiscard]] std::size_t curvatures_found() const { return curvatures_found_; }

 private:
  [[nodiscard]] double penalty_of(const std::vector<double>& coefficients, const Penalty& penalty) const;
  [[nodiscard]] double unit_gradient(std::size_t unit) const;
  void find_gradient();
  bool add_violators(double least);
  void find_curvature();
  [[nodiscard]] LinearFit minimum_of_model(const Penalty& penalty, double tolerance) const;
  [[nodiscard]] double promised_gain(const LinearFit& next, const Penalty& penalty) const;
  bool take_step(const LinearFit& next, const Penalty& penalty);

  const LinearProblem& problem_;
  const Context& context_;
  const std::size_t outputs_, rows_, terms_;
  LinearFit fit_;
  std::vector<double> eta_, slopes_, gradient_, intercept_gradient_;
  double loss_ = 0, null_loss_ = 0;
  std::vector<std::uint8_t> allowed_, is_active_;  // per unit
  std::vector<std::uint32_t> active_;              // units, ascending
  std::vector<std::uint32_t> active_terms_;
  std::vector<double> curvature_;  // intercepts, then [output][active term]
  bool curvature_fits_ = false;    // to the active terms
  bool too_large_ = false;
  double last_lambda_ = 0;
  std::size_t curvatures_found_ = 0;
};

}  // namespace sightglass
