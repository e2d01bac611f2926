// Rows that the user names, of methods that explain single rows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sightglass/data/new_rows.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

using RowIds = std::vector<std::uint64_t>;

// Ascending, each once; nothing if none are named. Throws Error(usage) on numbers that are no rows.
[[nodiscard]] std::optional<RowIds> named_rows(const MethodInput& input, const std::vector<std::int64_t>& rows);
// Throws Error(usage) where fewer were found than were named.
void check_all_found(const MethodInput& input, std::uint64_t named, std::uint64_t found);

// Throws Error(data) where new rows lack one of the columns that the model is given.
void require_columns(const NewRows& rows, const std::vector<std::uint32_t>& columns);

}  // namespace sightglass
