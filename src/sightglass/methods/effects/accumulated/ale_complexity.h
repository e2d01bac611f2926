// How well a model is described by the sum of its accumulated local effects, and how simple these are: two of the
// measures of Molnar, Casalicchio, Bischl (2020), Quantifying model complexity via functional decomposition for
// better post-hoc interpretability.
//   interaction strength = Σ_i (f − f_0 − Σ_j ALE_j)² / Σ_i (f − f_0)²
//   main-effect complexity = mean over features of the number of straight pieces that ALE_j needs for R² ≥ 1 − ε,
//                            weighted by the variance of ALE_j
// with every ALE_j minus its mean over the rows.
#pragma once

#include <span>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct AleComplexityOptions {
  std::vector<int> exponents;  // per output: predictions are divided by 2^exponent before they are squared
  std::int64_t budget = 0;     // predictions
  // Above both of these a model is called complex.
  double most_interactions = 0, most_pieces = 0;
};

// Adds both measures of each output to a result, or why they are left out. All rows are used; a row without a (finite)
// value of a feature has no local effect of it: 0.
[[nodiscard]] Chain<Result> with_ale_complexity(const MethodInput& input, Result result,
                                                const AleComplexityOptions& options);

// Straight pieces (each the weighted least squares line of its points) that heights over positions need for
// R² ≥ 1 − epsilon, at the least. With flat pieces (positions empty): steps between them. 0 if all heights are equal.
[[nodiscard]] std::size_t pieces_needed(std::span<const double> positions, std::span<const double> heights,
                                        std::span<const double> weights, double epsilon);

}  // namespace sightglass
