// Results as one tidy table: a row for each grid point, entry of a ranking, row of the data and feature, or figure. The
// CSV format is this table as text; data frames are its columns. Each shape hands over its rows by `tidy_rows(shape,
// rows)`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sightglass/base/value.h"
#include "sightglass/result/shapes/axis.h"

namespace sightglass {

class ResultItem;
struct Result;

// Rows that belong into one data frame, whichever shapes they come from.
struct TableKind {
  int priority = 0;  // a result's frame has the rows of the kind with the lowest, of several the first
  std::vector<std::string_view> columns;      // in this order; others that are set follow by name
  std::vector<std::string_view> hidden = {};  // what only the CSV has
  std::vector<std::string_view> always = {};  // columns that are there even if they are empty
  bool ranked = false;                        // most important first
};
extern const TableKind effect_table, ranking_table;

// Whether there is a reason for doubt.
struct TidyMark {
  bool on;
};
// A number that is a date.
struct TidyDate {
  DateKind kind;
  double number = 0;
  friend auto operator<=>(const TidyDate&, const TidyDate&) = default;
};
// As finely as it takes to tell this one.
[[nodiscard]] std::string tidy_text(const TidyDate& date);
// Nothing, a text, a number, a whole number, a flag, a mark; lists and objects of names and measures.
using TidyCell =
    std::variant<std::monostate, std::string_view, double, std::uint64_t, bool, TidyMark, const Value*, TidyDate>;

// Takes rows one after the other, cell by cell.
class TidyRows {
 public:
  TidyRows() = default;
  TidyRows(const TidyRows&) = delete;
  TidyRows& operator=(const TidyRows&) = delete;
  virtual ~TidyRows() = default;

  // Starts a row with what all shapes have.
  template <class Shape>
  TidyRows& row(const TableKind& kind, const Shape& shape, std::string_view type = Shape::type) {
    start(kind);
    return set("type", type).set("output", shape.output).set("group", shape.group);
  }
  TidyRows& set(std::string_view column, std::string_view text) { return put(column, text); }
  TidyRows& set(std::string_view column, const char* text) { return put(column, std::string_view(text)); }
  TidyRows& set(std::string_view column, const std::string& text) { return put(column, std::string_view(text)); }
  TidyRows& set(std::string_view column, double number) { return put(column, number); }
  TidyRows& set(std::string_view column, const std::optional<double>& number) {
    return number ? put(column, *number) : *this;
  }
  TidyRows& set(std::string_view column, std::uint64_t number) { return put(column, number); }
  TidyRows& set(std::string_view column, bool flag) { return put(column, flag); }
  TidyRows& set(std::string_view column, const Value& value) { return put(column, &value); }
  // A value of a feature.
  TidyRows& set(std::string_view column, double number, DateKind dates) {
    return dates ? put(column, TidyDate{dates, number}) : put(column, number);
  }
  // A reason for doubt, named by the column: where there is none anywhere, a frame has no such column.
  TidyRows& mark(std::string_view column, bool on) { return put(column, TidyMark{on}); }
  // Nothing where the list is shorter.
  TidyRows& set(std::string_view column, const std::vector<double>& numbers, std::size_t i) {
    return i < numbers.size() ? put(column, numbers[i]) : *this;
  }
  // A point of the axis.
  TidyRows& set(std::string_view column, const Axis& axis, std::size_t i) {
    return axis.is_categorical() ? set(column, axis.levels[i]) : set(column, axis.numbers[i], axis.dates);
  }

 private:
  TidyRows& put(std::string_view column, const TidyCell& cell) {
    take(column, cell);
    return *this;
  }
  virtual void start(const TableKind& kind) = 0;
  // What a cell points to lives until the call returns.
  virtual void take(std::string_view column, const TidyCell& cell) = 0;
};

// A data frame: the rows of one kind of table, without columns that have nothing in them.
struct TidyFrame {
  using Cell = std::variant<std::monostate, std::string, double, std::int64_t, bool, TidyDate>;
  struct Column {
    std::string name;
    std::vector<Cell> cells;  // one per row
  };
  std::vector<Column> columns;
};
[[nodiscard]] TidyFrame tidy_frame(const std::vector<const ResultItem*>& items);
// type: only items of this type; empty: those whose kind of table comes first.
[[nodiscard]] TidyFrame tidy_frame(const Result& result, std::string_view type = {});

}  // namespace sightglass
