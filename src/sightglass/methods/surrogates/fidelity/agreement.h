// How far two models say the same, over some rows.
#pragma once

#include <span>

#include "sightglass/base/matrix.h"
#include "sightglass/methods/rows/labelled_rows.h"

namespace sightglass {

// R² = 1 − Σ w (f − g)² / Σ w (f − mean f)² of some rows. Where f does not vary R² is 1 if g says the same, else 0.
struct Agreement {
  double weight = 0;
  double r2 = 0;
  double se = 0;  // of R², by the delta method
  double mean_square = 0;
  double variance = 0;  // of what the model says

  [[nodiscard]] double low() const { return r2 - 1.96 * se; }
  [[nodiscard]] double high() const { return r2 + 1.96 * se; }
};
[[nodiscard]] Agreement agreement(std::span<const double> model, std::span<const double> surrogate,
                                  std::span<const double> weights, const RowList& rows);

// Of classes: the share of rows for which both name the same one, the cross-entropy −Σ p ln q of the surrogate's
// probabilities q to the model's p, and the entropy −Σ p ln p of the latter, below which no surrogate comes.
struct ClassAgreement {
  double weight = 0;
  double share = 0;
  double se = 0;
  double commonest = 0;  // share of rows of the class that the model names most often
  double log_loss = 0, entropy = 0;
};
// Rows × outputs, as models predict them: of two classes one number or two. even: from which number on one output means
// the second class.
[[nodiscard]] ClassAgreement class_agreement(MatrixSpan<const double> model, MatrixSpan<const double> surrogate,
                                             std::span<const double> weights, const RowList& rows, double even = 0.5);

}  // namespace sightglass
