// What does an ensemble say of one input that is known by its codes? Trees are added in their order, as
// BoundModel::predict adds them: in float32 where the framework does so and its arithmetic is asked for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/model/model.h"
#include "sightglass/model/trees/ensemble.h"
#include "sightglass/model/trees/rows/feature_codes_internal.h"

namespace sightglass {

// Of each output.
[[nodiscard]] std::vector<double> predict_codes(const TreeEnsemble::Parts& parts, const FeatureCodes& codes,
                                                const PredictOptions& options, std::span<const std::uint32_t> at);
// The link of margins in the framework's arithmetic.
void apply_link(const TreeEnsemble::Parts& parts, std::span<double> margins);

// How far the framework's sum of leaves and ours in another order are apart, at the most, if the sizes of base and
// leaves add up to so much: n operations in a row lose no more than n u / (1 − n u) of that, u being half of the last
// digit (Higham 2002, Accuracy and Stability of Numerical Algorithms, §4.2).
[[nodiscard]] double summation_error(const TreeEnsemble::Parts& parts, double sizes);

}  // namespace sightglass
