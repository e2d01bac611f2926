#include "sightglass/methods/losses/mean_losses.h"

#include <algorithm>
#include <cmath>

namespace sightglass {

TruthMoments::TruthMoments(const Loss& loss, std::span<const double> truths, std::span<const double> weights) {
  if (loss.info().kind != LossKind::r2) return;
  ExactMoments moments;
  ExactSum total;
  double least = INFINITY, largest = -INFINITY;
  for (std::size_t row = 0; row < truths.size(); ++row) {
    moments.add(truths[row], weights[row]);
    if (!(weights[row] > 0)) continue;
    least = std::min(least, truths[row]);
    largest = std::max(largest, truths[row]);
  }
  total.add_all(weights);
  // Of equal numbers it may be a little above 0 by rounding.
  variance = least < largest ? moments.variance(total.pair()) : 0;
  mean = moments.mean(total.value());
}

bool averages_terms(const Loss& loss) { return loss.info().kind != LossKind::auc && loss.info().kind != LossKind::f1; }

double loss_of_mean(const Loss& loss, double mean, const TruthMoments& truths) {
  switch (loss.info().kind) {
    case LossKind::rmse: return std::sqrt(mean);
    case LossKind::r2:
      if (truths.variance > 0) return 1 - mean / truths.variance;
      return mean == 0 ? 1 : 0;
    default: return mean;
  }
}

RowParts::RowParts(const Loss& loss, bool ratio, double before, double after, const TruthMoments& truths)
    : mean_truth_(truths.mean) {
  switch (loss.info().kind) {
    case LossKind::rmse:
      of_after_ = ratio ? std::sqrt(after / before) / (2 * after) : 1 / (2 * std::sqrt(after));
      of_before_ = ratio ? -std::sqrt(after / before) / (2 * before) : -1 / (2 * std::sqrt(before));
      break;
    case LossKind::r2:
      of_after_ = 1 / truths.variance;
      of_before_ = -of_after_;
      of_truth_ = -(after - before) / truths.variance / truths.variance;
      // A ratio of numbers that may be zero or below is not nearly linear.
      known_ = !ratio;
      break;
    default:
      if (ratio && loss.info().score) {
        of_before_ = 1 / after;
        of_after_ = -before / (after * after);
      } else if (ratio) {
        of_after_ = 1 / before;
        of_before_ = -after / (before * before);
      }
  }
  known_ = known_ && std::isfinite(of_after_) && std::isfinite(of_before_) && std::isfinite(of_truth_);
}

}  // namespace sightglass
