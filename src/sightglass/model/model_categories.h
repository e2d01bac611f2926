// Numbers that a model knows as categories are categories to everybody.
#pragma once

#include <span>

#include "sightglass/data/table.h"
#include "sightglass/model/model.h"

namespace sightglass {

// The table with each column of numbers that the model takes for categories read as categories. `excluded` are
// columns that are no features (target, weights).
[[nodiscard]] Table with_model_categories(Table table, const Signature& signature,
                                          std::span<const std::uint32_t> excluded);

}  // namespace sightglass
