// Which rows are equal. Numbers are equal as ==, and missing ones are one value.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/context.h"

namespace sightglass {

// Of each of the rows, given in ascending order, the first that is equal to it in all columns. By a hash and, where
// that is the same of rows that differ, by order: whatever the values, rows × log rows.
[[nodiscard]] std::vector<std::uint32_t> first_equal_rows(std::span<const std::span<const double>> columns,
                                                          std::span<const std::uint32_t> rows, const Context& context);

}  // namespace sightglass
