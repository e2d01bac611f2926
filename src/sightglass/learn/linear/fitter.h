// Fits of one design along its penalties: by sums of products alone where the outcome is a number with constant
// variance and terms are not too many (the sums of a training set are those of the other folds, so that ten folds cost
// little more than one), else by Newton's steps over the rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sightglass/learn/linear/proximal_newton.h"

namespace sightglass {

struct LinearPath {
  std::vector<double> penalties;  // as far as it came: beyond, there were too many terms
  std::vector<LinearFit> fits;
  std::vector<double> losses;  // Σ w half the deviance
  bool converged = true;
};

struct FoundFit {
  LinearFit fit;
  double loss = 0;
  std::vector<double> gradient = {};  // of the loss, [output × terms + term]
  bool converged = true;
};

// Half the deviance of rows that a fold's model has not seen, per unit of weight.
struct HeldOutLosses {
  std::vector<std::vector<double>> losses;  // [fold][penalty]
  std::vector<double> weights;              // of each fold
};

struct ValidatedPath {
  LinearPath path;
  HeldOutLosses held_out;
};

struct Folds {
  std::vector<std::uint32_t> of_rows;  // empty: no cross-validation
  std::uint32_t count = 0;
};

class LinearFitter {
 public:
  virtual ~LinearFitter() = default;
  [[nodiscard]] virtual double null_loss() const = 0;
  [[nodiscard]] virtual double largest_lambda(double l1_ratio) const = 0;
  // Each point to a gap of 1e-8 of the null deviance.
  [[nodiscard]] virtual LinearPath path(std::span<const double> penalties, double l1_ratio) const = 0;
  // The same, and what the folds' models lose at each of its penalties on rows that they have not seen.
  [[nodiscard]] virtual ValidatedPath validated_path(std::span<const double> penalties, double l1_ratio) const = 0;
  // To the last digits, from a fit nearby.
  [[nodiscard]] virtual FoundFit polished(const Penalty& penalty, const LinearFit& near) const = 0;
  // With these units of the basis and no penalty. Terms that follow from others are 0. Precisely: to the last digits of
  // the coefficients, not only of the loss.
  [[nodiscard]] virtual FoundFit refitted(const std::vector<std::uint32_t>& units, bool precisely = false) const = 0;
};

// The problem must outlive it.
[[nodiscard]] std::unique_ptr<LinearFitter> make_fitter(const LinearProblem& problem, Folds folds,
                                                        const Context& context);

// Of penalties by their mean loss over folds.
struct CrossValidation {
  std::vector<double> mean, se;  // per penalty
  std::size_t minimum = 0;       // place of the smallest mean
  std::size_t one_se = 0;        // of the largest penalty whose mean is no more than one standard error above it
};
[[nodiscard]] CrossValidation cross_validation(const HeldOutLosses& held_out);

// Exactly `count` units without a penalty: those of the path's point that has as many, and then exchanged one by one
// as long as that lowers the loss.
[[nodiscard]] std::vector<std::uint32_t> best_units(const LinearFitter& fitter, const LinearProblem& problem,
                                                    const LinearPath& path, std::size_t count, const Context& context);
// Units that are in the model, ascending.
[[nodiscard]] std::vector<std::uint32_t> units_in(const LinearFit& fit, const Basis& basis);

}  // namespace sightglass
