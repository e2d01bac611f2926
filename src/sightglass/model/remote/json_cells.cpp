#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sightglass/base/error.h"
#include "sightglass/model/remote/json_cells_internal.h"

namespace sightglass {

namespace {

constexpr double exact_integers = 9007199254740992.0;  // 2^53

void append_whole(std::string& out, double value) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(value)).ptr);
}

std::string iso_date(DateKind kind, double value) {
  // A day between two days of the data has an hour.
  std::string text = date_text({kind.unit, std::max(detail_of(kind.unit, value), DateDetail::day)}, value);
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos) return text;
  text[blank] = 'T';
  return text.size() == blank + 6 ? text + ":00" : text;
}

}  // namespace

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void JsonCells::append(std::string& out, double value) const {
  if (std::isnan(value)) {
    out += words.missing;
    return;
  }
  if (has_levels) {
    const bool known = value >= 0 && value < static_cast<double>(levels.size());
    out += known ? std::string_view(levels[static_cast<std::size_t>(value)]) : words.missing;
    return;
  }
  if (std::isinf(value)) {
    const std::string_view word = value > 0 ? words.infinity : words.minus_infinity;
    if (word.empty())
      throw Error(ErrorKind::data,
                  "column " + printable(name) + " holds an infinite number, which cannot be sent to this server",
                  "leave such rows out, or replace the number");
    out += word;
    return;
  }
  const bool integral = value == std::trunc(value) && std::abs(value) < exact_integers;
  if (kind == CellKind::boolean && (value == 0 || value == 1)) {
    out += value == 1 ? "true" : "false";
    return;
  }
  if (kind == CellKind::text) {
    if (dates) {
      out.append(1, '"').append(iso_date(dates, value)).append(1, '"');
      return;
    }
    out += '"';
    char text[40];
    if (integral) {
      append_whole(out, value);
    } else {
      out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
    }
    out += '"';
    return;
  }
  if (kind == CellKind::whole && integral) {
    append_whole(out, value);
    return;
  }
  char text[40];
  char* end = std::to_chars(text, text + sizeof text, value).ptr;
  if (only_whole)
    throw Error(ErrorKind::prediction,
                "the server takes whole numbers for " + printable(name) + ", and what would be predicted for " +
                    std::string(text, end) + " was asked",
                marked("ask about values that the data have; a server that takes decimal numbers answers for any"));
  // 3 would come back as an integer: a column of floats stays one.
  if (integral && std::string_view(text, static_cast<std::size_t>(end - text)).find('e') == std::string_view::npos) {
    *end++ = '.';
    *end++ = '0';
  }
  out.append(text, end);
}

void JsonCells::append_list(std::string& out, std::span<const double> values) const {
  std::size_t start = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    const std::size_t before = out.size();
    // Rows under one value of a feature: written once, copied for the others.
    if (i > 0 && std::bit_cast<std::uint64_t>(values[i]) == std::bit_cast<std::uint64_t>(values[i - 1]))
      out.append(out, start, before - 1 - start);
    else
      append(out, values[i]);
    start = before;
  }
}

JsonCells cells_of(const Schema& schema, std::uint32_t column) {
  const ColumnInfo& info = schema[column];
  JsonCells cells{.column = column, .name = info.name};
  if (info.is_categorical()) {
    cells.kind = CellKind::text;
    cells.has_levels = true;
    if (info.dictionary) {
      for (const std::string& level : info.dictionary->levels()) cells.levels.push_back(quoted(level));
    }
  } else if (info.type == DType::boolean) {
    cells.kind = CellKind::boolean;
  } else if (info.type != DType::float64 && info.type != DType::float32) {
    cells.kind = CellKind::whole;
  }
  return cells;
}

JsonCells cells_with_dates(const Schema& schema, std::uint32_t column) {
  JsonCells cells = cells_of(schema, column);
  if (schema[column].dates) {
    cells.kind = CellKind::text;
    cells.dates = schema[column].dates;
  }
  return cells;
}

std::span<const double> read_cells(const RowBlock& block, std::uint32_t column, std::size_t first, std::size_t rows,
                                   std::vector<double>& memory) {
  const Override* override = block.override_of(column);
  if (override != nullptr && std::holds_alternative<Scalar>(override->value)) {
    memory.assign(rows, std::get<Scalar>(override->value).number);
    return memory;
  }
  memory.resize(rows);
  const ColumnView& view = override != nullptr ? std::get<ColumnView>(override->value) : block.columns[column];
  read_numbers(view.slice(first, rows), memory);
  return memory;
}

double prediction_in(const JsonValue& item) {
  if (stands_for_infinity(item.element())) return std::numeric_limits<double>::infinity();
  double value = std::numeric_limits<double>::quiet_NaN();
  if (!item.is_object() && item.element().get(value) != simdjson::SUCCESS) item.fail("is not a number");
  return value;
}

std::vector<std::string> names_of_outputs(std::size_t count, const std::vector<std::string>& classes,
                                          const std::vector<std::string>& names) {
  if (!classes.empty()) {
    if (classes.size() != (count == 1 ? 2 : count)) {
      throw Error(ErrorKind::usage,
                  std::to_string(classes.size()) + " class names were given, but the model answers " +
                      std::to_string(count) + (count == 1 ? " number" : " numbers") + " for each row",
                  count == 1 ? "give two names, or none" : "give one name for each number");
    }
    return count == 1 ? std::vector<std::string>{classes[1]} : classes;
  }
  if (!names.empty()) return names;
  if (count == 1) return {"prediction"};
  std::vector<std::string> numbered;
  for (std::size_t k = 0; k < count; ++k) numbered.push_back(std::to_string(k));
  return numbered;
}

}  // namespace sightglass
