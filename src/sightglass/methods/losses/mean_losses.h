// Losses that are the mean of a number per row, or a function of such a mean (rmse, R²): their value, and each row's
// part in how they change, from which the standard error follows.
#pragma once

#include <span>

#include "sightglass/methods/losses/losses.h"

namespace sightglass {

// What R² needs of the truths; zero for other losses.
struct TruthMoments {
  TruthMoments(const Loss& loss, std::span<const double> truths, std::span<const double> weights);
  double mean = 0, variance = 0;
};

// All but auc and f1.
[[nodiscard]] bool averages_terms(const Loss& loss);
// As LossSum::value.
[[nodiscard]] double loss_of_mean(const Loss& loss, double mean, const TruthMoments& truths);

// Each row's part in how much worse a loss becomes, or in the ratio: as one that got other values (A) and as one that
// lent its own (B), against its loss as it is (L). The rmse, R² and ratios are functions of such means, hence linear in
// them for small changes.
class RowParts {
 public:
  // before, after: mean terms.
  RowParts(const Loss& loss, bool ratio, double before, double after, const TruthMoments& truths);
  // Whether there is such a linear function.
  [[nodiscard]] bool known() const { return known_; }
  [[nodiscard]] double operator()(double got, double lent, double own, double truth) const {
    const double apart = truth - mean_truth_;
    return of_after_ * (got + lent) + of_before_ * own + (of_truth_ == 0 ? 0 : of_truth_ * apart * apart);
  }

 private:
  double of_after_ = 1, of_before_ = -1, of_truth_ = 0, mean_truth_;
  bool known_ = true;
};

}  // namespace sightglass
