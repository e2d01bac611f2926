#include "sightglass/methods/run/named_rows.h"

#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/data/new_rows.h"

namespace sightglass {

std::optional<RowIds> named_rows(const MethodInput& input, const std::vector<std::int64_t>& rows) {
  if (rows.empty()) return std::nullopt;
  RowIds named;
  for (const std::int64_t row : rows) {
    if (row < 0)
      throw Error(ErrorKind::usage, option_name("rows") + ": " + std::to_string(row) + " is not a row",
                  "rows are counted from 0");
    named.push_back(static_cast<std::uint64_t>(row));
  }
  if (input.sampled && std::any_of(named.begin(), named.end(), [](std::uint64_t row) { return !is_new_row(row); })) {
    throw Error(ErrorKind::usage, "rows and sample do not go together",
                marked("named rows are computed alone: leave out {option:sample}"));
  }
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

void check_all_found(const MethodInput& input, std::uint64_t named, std::uint64_t found) {
  if (found >= named) return;
  throw Error(ErrorKind::usage, option_name("rows") + ": not all of these rows are in the data",
              "rows are counted from 0; the data have " + std::to_string(input.rows));
}

void require_columns(const NewRows& rows, const std::vector<std::uint32_t>& columns) {
  std::string names;
  std::size_t more = 0;
  for (const std::uint32_t column : columns) {
    if (!std::binary_search(rows.absent.begin(), rows.absent.end(), column)) continue;
    if (names.empty())
      names = printable(rows.table.schema()[column].name, 60);
    else
      ++more;
  }
  if (names.empty()) return;
  if (more > 0) names += " and " + std::to_string(more) + " more columns";
  throw Error(ErrorKind::data,
              option_name(rows.what) + ": the table has no column " + names + ", which the model is given",
              "new rows need every feature of the model, under the names that the data have");
}

}  // namespace sightglass
