// Which of several outputs has the highest prediction of a row: of classes, it is the one that is predicted.
#pragma once

#include <cstddef>
#include <vector>

#include "sightglass/result/shapes/attributions.h"

namespace sightglass {

// Of attributions of the same rows, one item for each output; the first of equals.
[[nodiscard]] std::size_t highest_output(const std::vector<const Attributions*>& outputs, std::size_t row);

}  // namespace sightglass
