// Penalised generalised linear models: minimises
//   Σ w half the deviance(y, η) + λ Σ over units u of p_u (α ‖β_u‖ + ½ (1 − α) ‖β_u‖²),   η = intercept + Xβ,   Σ w = 1
// by Newton's steps: the curvature's sums of products are found for the terms in the model alone, the penalised
// quadratic is solved by coordinate descent, and a step that does not lower the sum is halved. Along a path the
// curvature of an earlier penalty serves until a step gains less than it promised, and the gradient of a term outside
// the model is not found again before it can have come above the penalty.
// Lee, Sun and Saunders 2014, Proximal Newton-type methods for minimizing composite functions.
// Cost: a step reads the columns in the model once; where the curvature is found anew rows × (terms in the model)² / 2.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/linear/basis.h"
#include "sightglass/learn/linear/coordinate_descent.h"
#include "sightglass/learn/linear/evaluation.h"
#include "sightglass/learn/linear/row_descent.h"

namespace sightglass {

struct LinearProblem {
  const Design& design;
  const Basis& basis;
  Outcomes outcomes;
  std::vector<double> weights;  // per row, 0 or more; their sum is 1
  double share = 1;             // of the design's weight, that these rows have
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
  // Newton's steps without a penalty as long as they lower the score: the loss is flat before the coefficients settle.
  void settle_score();
  // Looks at the terms that the other one looks at, with its curvature, which rows in common make a good one.
  void borrow(const ProximalNewton& other);

  [[nodiscard]] const LinearFit& fit() const { return fit_; }
  [[nodiscard]] const std::vector<double>& eta() const { return eta_; }
  [[nodiscard]] double loss() const { return loss_; }            // Σ w half the deviance
  [[nodiscard]] double null_loss() const { return null_loss_; }  // of the best constants
  // Of the loss, [output × terms + term].
  [[nodiscard]] const std::vector<double>& gradient();
  [[nodiscard]] double largest_lambda(double l1_ratio) const;
  // More terms came into the model than there is room for: it was left as it was.
  [[nodiscard]] bool too_large() const { return too_large_; }
  [[nodiscard]] std::size_t curvatures_found() const { return curvatures_found_; }

 private:
  [[nodiscard]] double penalty_of(const std::vector<double>& coefficients, const Penalty& penalty) const;
  [[nodiscard]] double unit_gradient(std::size_t unit) const;
  [[nodiscard]] Evaluation evaluation_of(const LinearFit& fit, std::span<const std::uint32_t> columns) const;
  void move_to(LinearFit fit, Evaluation at);
  void refresh(double least);
  bool add_violators(double least);
  void find_curvature();
  [[nodiscard]] LinearFit minimum_of_model(const Penalty& penalty, double tolerance) const;
  [[nodiscard]] double promised_gain(const LinearFit& next, const Penalty& penalty) const;
  [[nodiscard]] bool by_rows() const;
  [[nodiscard]] LinearFit minimum_by_rows(const Penalty& penalty, double tolerance, double& gain);
  bool take_step(const LinearFit& next, const Penalty& penalty);

  const LinearProblem& problem_;
  const Context& context_;
  const std::size_t outputs_, rows_, terms_;
  LinearFit fit_;
  std::vector<double> eta_, slopes_, gradient_, intercept_gradient_;
  // Gradients of terms that are not looked at are found again once they may have come above the penalty: a column's
  // changes by no more than its length times that of the change of slopes.
  bool lazy_ = false;           // not where terms are made of several columns
  std::vector<double> length_;  // of each column
  std::vector<double> known_;   // the way of the slopes when a column's gradient was found
  double way_ = 0;              // that the slopes went, Σ of lengths
  double loss_ = 0, null_loss_ = 0;
  std::vector<std::uint8_t> allowed_, is_active_;  // per unit
  std::vector<std::uint32_t> active_;              // units, ascending
  std::vector<std::uint32_t> active_terms_;
  std::shared_ptr<const std::vector<double>> curvature_;  // intercepts, then [output][active term]
  bool curvature_fits_ = false;                           // to the active terms
  std::unique_ptr<RowDescent> row_descent_;               // where most terms are levels
  bool too_large_ = false;
  double last_lambda_ = 0;
  std::size_t curvatures_found_ = 0;
};

}  // namespace sightglass
