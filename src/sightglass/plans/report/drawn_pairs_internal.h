// Which pairs of features a report draws in two dimensions.
#pragma once

#include "sightglass/plans/report/report_parts_internal.h"

namespace sightglass {

// Points of a numeric feature's side.
inline constexpr std::int64_t pair_grid = 16;

// The strongest by their interactions, of which maps can be made; what cannot is left out, with the reason.
void take_pairs(const ReportSetup& setup, const Result& result, std::size_t most, Known& known);

}  // namespace sightglass
