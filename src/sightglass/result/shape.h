// A verdict on the shape of a curve.
#pragma once

#include <span>

#include "sightglass/result/result.h"

namespace sightglass {

// constant, linear (R² of a straight line over the grid at least 0.99), monotone, or complex.
[[nodiscard]] Shape shape_of(std::span<const double> grid, std::span<const double> mean);

}  // namespace sightglass
