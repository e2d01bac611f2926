// Numbers in the words of a column: what a model gets in its place must look like it.
#pragma once

#include <span>
#include <vector>

#include "sightglass/data/column.h"

namespace sightglass {

// Numbers (as ColumnView::number) of the type and with the levels of another column. As float64 where that type
// cannot say one of them: a fraction among integers, a missing value in a column that has none.
[[nodiscard]] Column column_like(const ColumnView& column, std::span<const double> numbers);
// The same; keeps the numbers where that is all it takes.
[[nodiscard]] Column column_like(const ColumnView& column, std::vector<double>&& numbers);

}  // namespace sightglass
