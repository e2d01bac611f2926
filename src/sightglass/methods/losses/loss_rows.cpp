// Losses of many rows at a time, the same numbers as one by one.
#include <algorithm>
#include <cmath>

#include "sightglass/base/each_processor.h"
#include "sightglass/methods/losses/losses.h"

namespace sightglass {

namespace {

constexpr std::size_t rows_at_a_time = 512;

SIGHTGLASS_FOR_EACH_PROCESSOR
void squared_errors(const double* predictions, const double* truths, std::size_t rows, double* out) {
  for (std::size_t row = 0; row < rows; ++row)
    out[row] = (truths[row] - predictions[row]) * (truths[row] - predictions[row]);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void absolute_errors(const double* predictions, const double* truths, std::size_t rows, double* out) {
  for (std::size_t row = 0; row < rows; ++row) out[row] = std::abs(truths[row] - predictions[row]);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
bool all_within(const double* numbers, std::size_t count, double low, double high) {
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < count; ++i) outside |= (numbers[i] < low ? 1U : 0U) | (numbers[i] > high ? 1U : 0U);
  return outside == 0;
}

// Of probabilities that may be a little outside.
SIGHTGLASS_FOR_EACH_PROCESSOR
void brier_scores(const double* predictions, const double* truths, std::size_t rows, double* out) {
  for (std::size_t row = 0; row < rows; ++row) {
    const double miss = std::clamp(predictions[row], 0.0, 1.0) - truths[row];
    out[row] = miss * miss;
  }
}

// The probability of what is true.
SIGHTGLASS_FOR_EACH_PROCESSOR
void chances(const double* predictions, const double* truths, std::size_t rows, double least, double* out) {
  for (std::size_t row = 0; row < rows; ++row) {
    const double second = std::clamp(predictions[row], 0.0, 1.0);
    out[row] = std::clamp(truths[row] == 1 ? second : 1 - second, least, 1 - least);
  }
}

}  // namespace

void Loss::terms_of_rows(MatrixSpan<const double> predictions, std::span<const double> truths, double* out) const {
  const LossKind kind = info_->kind;
  const bool errors = kind == LossKind::squared || kind == LossKind::rmse || kind == LossKind::r2;
  const bool of_two = classes_ == 2 && (kind == LossKind::brier || kind == LossKind::log_loss);
  double copied[rows_at_a_time];
  for (std::size_t begin = 0; begin < truths.size(); begin += rows_at_a_time) {
    const std::size_t rows = std::min(rows_at_a_time, truths.size() - begin);
    const double* first = predictions.row(begin).data() + outputs_[0];
    if (predictions.columns() > 1) {
      for (std::size_t row = 0; row < rows; ++row) copied[row] = first[row * predictions.columns()];
      first = copied;
    }
    if (errors) {
      squared_errors(first, truths.data() + begin, rows, out + begin);
    } else if (kind == LossKind::absolute) {
      absolute_errors(first, truths.data() + begin, rows, out + begin);
    } else if (of_two && all_within(first, rows, -rounding, 1 + rounding)) {
      if (kind == LossKind::brier) {
        brier_scores(first, truths.data() + begin, rows, out + begin);
        continue;
      }
      chances(first, truths.data() + begin, rows, clip, out + begin);
      for (std::size_t row = begin; row < begin + rows; ++row) out[row] = -std::log(out[row]);
    } else {
      for (std::size_t row = begin; row < begin + rows; ++row) terms(predictions.row(row), truths[row], {out + row, 1});
    }
  }
}

}  // namespace sightglass
