// Which two models a result compares, by the names that its curves and importances have.
#pragma once

#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

// The first and the second; empty where the result is about one model.
[[nodiscard]] std::vector<std::string> compared_models(const Result& result);

}  // namespace sightglass
