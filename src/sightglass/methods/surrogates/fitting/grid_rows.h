// Rows made of a grid of feature values: what a surrogate can be fitted to instead of the rows of the data, and what
// shows how it does away from them. Each chosen feature takes the values of its own grid (quantiles, levels, missing if
// some rows lack it) whatever the others have, so that combinations come about that the data do not know; the other
// features keep the values of a row of the data.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/base/matrix.h"
#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

// The values that a feature takes: at most `points` quantiles of a number, the levels that occur, NaN where it is
// missing in some row.
[[nodiscard]] std::vector<double> grid_values(const std::vector<double>& values, bool levels, std::size_t points);

// [feature][row], at most `most` rows: every combination of the chosen features' values if there are no more, else a
// sample of them. columns: the chosen features; rows: of the data, at least one.
[[nodiscard]] std::vector<std::vector<double>> grid_rows(const MethodInput& input, const LabelledRows& rows,
                                                         const std::vector<std::uint32_t>& columns, std::size_t points,
                                                         std::size_t most);

// Puts made rows with what the model says of them behind those of the data. Each weighs 1.
void add_made_rows(LabelledRows& rows, const std::vector<std::vector<double>>& values, const Matrix& predictions);

}  // namespace sightglass
