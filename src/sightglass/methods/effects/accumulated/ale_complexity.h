// How well a model is described by the sum of its accumulated local effects, and how simple these are: two of the
// measures of Molnar, Casalicchio, Bischl (2020), Quantifying model complexity via functional decomposition for
// better post-hoc interpretability.
//   interaction strength = Σ_i (f − f_0 − Σ_j ALE_j)² / Σ_i (f − f_0)²
//   main-effect complexity = mean over features of the number of straight pieces that ALE_j needs for R² ≥ 1 − ε,
//                            weighted by the variance of ALE_j
// with every ALE_j minus its mean over the rows.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct AleComplexity {
  std::vector<double> interaction_strength, main_effect_complexity;  // per explained output
  std::vector<Caveat> caveats;                                       // about the order of levels
};

// Model rows per data row: at the most.
[[nodiscard]] std::uint64_t ale_complexity_cost(std::size_t features);

// Says that they are not measured.
[[nodiscard]] Caveat complexity_left_out(double predictions, std::int64_t budget);

// exponents: per output, predictions are divided by 2^exponent before they are squared. All rows are used; a row
// without a (finite) value of a feature has no local effect of it: 0.
[[nodiscard]] std::unique_ptr<Stage> measure_ale_complexity(const MethodInput& input, std::vector<int> exponents,
                                                            std::function<Next(const AleComplexity&)> then);

// The two measures of each output, and a caveat where both are above their limits.
void add_complexity(const AleComplexity& complexity, const MethodInput& input, double most_interactions,
                    double most_pieces, Result& result);

// Straight pieces (each the weighted least squares line of its points) that heights over positions need for
// R² ≥ 1 − epsilon, at the least. With flat pieces (positions empty): steps between them. 0 if all heights are equal.
[[nodiscard]] std::size_t pieces_needed(std::span<const double> positions, std::span<const double> heights,
                                        std::span<const double> weights, double epsilon);

}  // namespace sightglass
