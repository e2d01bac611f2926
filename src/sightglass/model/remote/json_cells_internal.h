// Values of rows as JSON text, for models that are asked from afar; numbers travel as the shortest text that reads back
// exactly.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/data/source.h"
#include "sightglass/model/readers/json_document_internal.h"

namespace sightglass {

// A JSON string; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string quoted(const std::string& text);

// What JSON has no word for. An empty word for infinity: it cannot be said, and is an error.
struct JsonWords {
  std::string_view missing = "null";
  std::string_view infinity = "\"Infinity\"";
  std::string_view minus_infinity = "\"-Infinity\"";
};

enum class CellKind { number, whole, boolean, text };

// How one column is written: fixed when a model is bound.
struct JsonCells {
  std::uint32_t column = 0;
  std::string name;
  CellKind kind = CellKind::number;
  bool has_levels = false;
  std::vector<std::string> levels;  // what stands for each code of a categorical column
  DateKind dates;                   // of text: what the numbers mean
  bool only_whole = false;          // the model takes no fractions
  JsonWords words;

  void append(std::string& out, double value) const;
  // With commas between them.
  void append_list(std::string& out, std::span<const double> values) const;
};

// As the column itself is: text of levels, truth values, whole numbers, numbers. Dates are numbers.
[[nodiscard]] JsonCells cells_of(const Schema& schema, std::uint32_t column);
// The same, and dates are text: 2021-05-03, 2021-05-03T14:00:05.
[[nodiscard]] JsonCells cells_with_dates(const Schema& schema, std::uint32_t column);

// The numbers of a column in some rows of a block, overrides applied.
[[nodiscard]] std::span<const double> read_cells(const RowBlock& block, std::uint32_t column, std::size_t first,
                                                 std::size_t rows, std::vector<double>& memory);

// One prediction. NaN and infinity, as JsonDocument hands them on, go through: whoever asked knows which row that was.
[[nodiscard]] double prediction_in(const JsonValue& item);

// One name for each of `count` outputs: the classes that the user named, of which a single output is the probability of
// the second of two; else those of the model; else prediction, or 0, 1, …
[[nodiscard]] std::vector<std::string> names_of_outputs(std::size_t count, const std::vector<std::string>& classes,
                                                        const std::vector<std::string>& names);

}  // namespace sightglass
