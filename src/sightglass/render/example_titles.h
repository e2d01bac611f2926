// What columns and axes are called that tell of example rows.
#pragma once

#include <cstddef>
#include <string>

#include "sightglass/result/shapes/examples.h"

namespace sightglass {

// What the model is called whose predictions stand beside those of another.
[[nodiscard]] std::string model_title(const Examples& item, std::size_t model);
// What rows are shown by: how far the second of two models is above the first, as the numbers have it.
[[nodiscard]] std::string measure_title(const Examples& item, std::size_t limit);

}  // namespace sightglass
