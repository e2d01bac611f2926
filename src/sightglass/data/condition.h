// Which rows are meant: temp > 20 and (season = winter or holiday) and not wind is missing.
//
// A comparison is COLUMN OPERATOR VALUE with = == != <> < <= > >= (or ≤ ≥ ≠), COLUMN in (VALUE, …), COLUMN between
// VALUE and VALUE, COLUMN is [not] missing, or a boolean COLUMN alone; they combine with and, or, not and parentheses.
// Dates are 2020-01-31, 2020-01 or 2020, with a time 2020-01-31 14:00, and stand for all of that day, month, year or
// minute; month(COLUMN) and year, quarter, weekday, hour are parts of a date: month(sold_on) = May.
// Names with other characters than letters, digits, _ and . go in "double quotes" or `backticks`, texts in 'single
// or "double quotes" (needed only where they are more than a word). As in SQL a missing value is neither equal nor
// unequal to anything: only `is missing` finds it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/data/table.h"

namespace sightglass {

class Condition {
 public:
  // Throws Error(usage): what is wrong and where, unknown columns and levels with the nearest name.
  Condition(std::string_view text, const Schema& schema);
  ~Condition();
  Condition(Condition&&) noexcept;
  Condition& operator=(Condition&&) noexcept;

  // Global indices of the rows for which it holds, ascending. The table has the schema of the constructor.
  [[nodiscard]] std::vector<std::uint64_t> rows(const Table& table) const;

  class Node;

 private:
  std::unique_ptr<Node> root_;
};

// Rows that have something in common.
struct RowGroup {
  std::string name;  // "species = Adelie"
  std::vector<std::uint64_t> rows;
};

// What rows are divided by: a column, or a part of its dates that comes again.
struct RowKey {
  std::uint32_t column = 0;
  std::optional<DatePart> part = std::nullopt;

  RowKey() = default;
  RowKey(std::uint32_t of_column, std::optional<DatePart> of_dates = std::nullopt)
      : column(of_column), part(of_dates) {}
};
// "season", "month(sold_on)". Throws Error(usage) on columns that there are not or that have no dates.
[[nodiscard]] RowKey row_key(std::string_view by, const Schema& schema);

// The groups of a column's values, in the order of its levels: one per level or per value where there are at most
// `limit`, else by quartiles of a numeric column; of more levels the `limit` with most rows. Rows without a value
// are a group of their own. `among` are the rows to divide, ascending.
[[nodiscard]] std::vector<RowGroup> group_rows(const Table& table, const RowKey& key,
                                               const std::vector<std::uint64_t>& among, std::size_t limit);

}  // namespace sightglass
