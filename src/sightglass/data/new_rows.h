// Rows of another table that are explained with the data at hand: they are no rows of these data, so that nothing is
// learned from them, but they have the same columns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/data/table.h"

namespace sightglass {

// New rows are numbered from here on, beyond those of any data, so that both can be named in one list.
inline constexpr std::uint64_t first_new_row = std::uint64_t{1} << 48;
[[nodiscard]] constexpr bool is_new_row(std::uint64_t row) { return row >= first_new_row; }
// Its place in its own table, counted from 0.
[[nodiscard]] constexpr std::uint64_t row_number(std::uint64_t row) {
  return is_new_row(row) ? row - first_new_row : row;
}
// "row 17", as people count.
[[nodiscard]] inline std::string row_text(std::uint64_t row) { return "row " + std::to_string(row_number(row)); }

struct NewRows {
  Table table;                        // the columns of the data, in their order; its first row is first_new_row
  std::vector<std::uint32_t> absent;  // columns that they came without: no values there
  std::string what;                   // the option that brought them, for messages
};

// The data, with levels that only the new rows have behind their own, and the rows.
struct DataAndNewRows {
  std::shared_ptr<const Table> data;
  std::shared_ptr<const NewRows> rows;
};

// Columns are found by their names and read as those of the data: levels by their names, numbers as numbers. what: the
// option that brings the rows. Throws Error(data) where a column cannot be read so.
[[nodiscard]] DataAndNewRows with_new_rows(std::shared_ptr<const Table> data, const Table& rows, std::string what);

}  // namespace sightglass
