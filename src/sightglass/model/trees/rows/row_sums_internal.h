// Sums of 256 rows: a number added to some of them, and what they come to.
#pragma once

#include "sightglass/model/trees/rows/row_sets_internal.h"

namespace sightglass {

// sums: set_rows of them, by the bits of the rows.
void add_to_rows(const RowSet& rows, double amount, double* sums);

// out = start + (sums − own) × factor.
void add_differences(const double* start, const double* sums, const double* own, double factor, std::size_t count,
                     double* out);

}  // namespace sightglass
