// What is boosted: outcomes, their loss, and its first and second derivatives in the scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sightglass/learn/training_data.h"
#include "sightglass/model/link.h"
#include "sightglass/result/loss_kind.h"

namespace sightglass::additive {

enum class Loss { squared, logistic, softmax, poisson };

// Scores are kept in float: those of numbers in standard deviations from their mean.
struct Outcome {
  Loss loss = Loss::squared;
  std::size_t scores = 1;        // per row
  std::vector<float> values;     // standardised numbers, 0 and 1, indices of classes, or counts
  std::vector<float> weights;    // never empty
  bool weighted = false;         // weights differ from 1
  std::vector<double> start;     // the scores that are best without any feature
  double center = 0, scale = 1;  // what a score stands for: center + scale · score

  [[nodiscard]] LinkFunction link() const;
  [[nodiscard]] LossKind kind() const;
  [[nodiscard]] bool is_constant() const { return scale == 0; }
};

// `loss` is "auto", "squared" or "poisson"; outcomes that are classes take the log-loss. Throws Error(usage) where they
// do not go together, Error(data) on counts below 0.
[[nodiscard]] Outcome make_outcome(const TrainingData& data, const std::string& loss);

// Some rows of an outcome, in an order of one's own.
struct OutcomeRows {
  std::vector<float> values, weights;
};

// The loss near the scores as a parabola: with h the second derivative at the score, and z = h · score − the first,
// the negative gradient at any other score is z − h · score.
struct Parabolas {
  std::vector<float> z, h;  // score after score, row after row
};
void expand(const Outcome& outcome, const OutcomeRows& rows, std::size_t count, std::size_t stride,
            const std::vector<float>& scores, Parabolas& parabolas);

// Weighted mean loss of the rows from first on; scores are `stride` apart.
[[nodiscard]] double mean_loss(const Outcome& outcome, const OutcomeRows& rows, std::size_t first, std::size_t stride,
                               const std::vector<float>& scores);

}  // namespace sightglass::additive
