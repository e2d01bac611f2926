#include "sightglass/render/csv/csv_renderer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace sightglass {

namespace {

enum Column {
  type,
  feature,
  value,
  feature_2,
  value_2,
  output,
  row,
  prediction,
  mean,
  sd,
  se_level,
  se_shape,
  count,
  column_count
};

constexpr std::array<std::string_view, column_count> names = {
    "type",       "feature", "value", "feature_2", "value_2",  "output", "row",
    "prediction", "mean",    "sd",    "se_level",  "se_shape", "count"};

std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string spelled(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

struct Line {
  std::array<std::string, column_count> cells;

  Line& set(Column column, std::string_view text) {
    cells[column] = quoted(text);
    return *this;
  }
  Line& set(Column column, double number) {
    cells[column] = spelled(number);
    return *this;
  }
  Line& set(Column column, const std::vector<double>& numbers, std::size_t i) {
    if (i < numbers.size()) set(column, numbers[i]);
    return *this;
  }
  Line& set(Column column, const Axis& axis, std::size_t i) {
    if (!axis.is_categorical()) return set(column, axis.numbers[i]);
    set(column, axis.levels[i]);
    // An empty cell is the missing level; a level that is an empty text is quoted to keep them apart.
    if (axis.levels[i].empty()) cells[column] = "\"\"";
    return *this;
  }
  void append_to(std::string& out) const {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out += ',';
      out += cells[i];
    }
    out += '\n';
  }
};

Line start(std::string_view kind, const Axis& axis, std::string_view of) {
  return Line().set(type, kind).set(feature, axis.feature).set(output, of);
}

void write(std::string& out, const Curve& curve) {
  for (std::size_t i = 0; i < curve.axis.size(); ++i) {
    start("curve", curve.axis, curve.output)
        .set(value, curve.axis, i)
        .set(mean, curve.mean, i)
        .set(sd, curve.sd, i)
        .set(se_level, curve.se_level, i)
        .set(se_shape, curve.se_shape, i)
        .set(count, curve.count, i)
        .append_to(out);
  }
  if (!curve.missing) return;
  start("curve", curve.axis, curve.output)
      .set(mean, curve.missing->mean)
      .set(sd, curve.missing->sd)
      .set(se_level, curve.missing->se_level)
      .set(se_shape, curve.missing->se_shape)
      .set(count, curve.missing->count)
      .append_to(out);
}

void write(std::string& out, const Curves& curves) {
  for (std::size_t r = 0; r < curves.rows.size(); ++r) {
    const std::string number = std::to_string(curves.rows[r]);
    for (std::size_t i = 0; i < curves.axis.size(); ++i) {
      start("curves", curves.axis, curves.output)
          .set(row, number)
          .set(value, curves.axis, i)
          .set(prediction, curves.values[r], i)
          .append_to(out);
    }
    if (r < curves.missing.size() && curves.missing[r]) {
      start("curves", curves.axis, curves.output).set(row, number).set(prediction, *curves.missing[r]).append_to(out);
    }
  }
}

void write(std::string& out, const Surface& surface) {
  for (std::size_t i = 0; i < surface.first.size(); ++i) {
    for (std::size_t j = 0; j < surface.second.size(); ++j) {
      Line line = start("surface", surface.first, surface.output);
      line.set(value, surface.first, i).set(feature_2, surface.second.feature).set(value_2, surface.second, j);
      line.set(mean, surface.mean[i], j);
      if (i < surface.count.size()) line.set(count, surface.count[i], j);
      line.append_to(out);
    }
  }
}

void write(std::string&, const Importance&) {}
void write(std::string&, const Interaction&) {}
void write(std::string&, const Figure&) {}

}  // namespace

std::string render_csv(const Result& result) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) out += (i > 0 ? "," : "") + std::string(names[i]);
  out += '\n';
  for (const auto& item : result.results) {
    std::visit([&](const auto& shape) { write(out, shape); }, item);
  }
  return out;
}

}  // namespace sightglass
