// Curves over thresholds with as many points as a picture needs.
#pragma once

#include <cstddef>

#include "sightglass/methods/losses/predicted_rows.h"
#include "sightglass/result/shapes/diagram.h"

namespace sightglass {

// At most so many points (0 = all): those within straight stretches go first, then the others evenly along the curve.
[[nodiscard]] DiagramSeries thinned(DiagramSeries curve, std::size_t points);

// Where the curve has the threshold that models use by default; empty where there are no probabilities of two classes.
[[nodiscard]] DiagramSeries at_one_half(const MethodInput& input, const PredictedRows& rows,
                                        const DiagramSeries& curve);

}  // namespace sightglass
