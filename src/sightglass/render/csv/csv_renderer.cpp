#include "sightglass/render/csv/csv_renderer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "sightglass/insight/shading.h"
#include "sightglass/result/json.h"
#include "sightglass/result/shapes/all_shapes.h"

namespace sightglass {

namespace {

// New columns come at the end: those who read by position keep what they have.
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
  group,
  series,
  measure,
  effect,
  se,
  bin_count,
  slope,
  loss,
  outside,
  caution,
  importance,
  low,
  high,
  feature_3,
  h2,
  h,
  strength,
  name,
  figure,
  meaning,
  details,
  features,
  base,
  attribution,
  column_count
};

constexpr std::array<std::string_view, column_count> names = {
    "type",    "feature", "value",     "feature_2", "value_2",    "output",   "row",     "prediction",
    "mean",    "sd",      "se_level",  "se_shape",  "count",      "group",    "series",  "measure",
    "effect",  "se",      "bin_count", "slope",     "loss",       "outside",  "caution", "importance",
    "low",     "high",    "feature_3", "h2",        "h",          "strength", "name",    "figure",
    "meaning", "details", "features",  "base",      "attribution"};

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
  Line& set(Column column, const std::optional<double>& number) {
    if (number) set(column, *number);
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

// What every item has; `item` may be any of them.
template <class Item>
Line start(std::string_view kind, std::string_view of_feature, const Item& item) {
  return Line().set(type, kind).set(feature, of_feature).set(output, item.output).set(group, item.group);
}

// A row's own value of a feature; nothing where it is missing.
Line& set_own(Line& line, Column column, const Attributions& item, std::size_t row, std::size_t feature) {
  const double own = item.own(row, feature);
  if (std::isnan(own)) return line;
  const Axis& axis = item.features[feature];
  return axis.is_categorical() ? line.set(column, axis, static_cast<std::size_t>(own)) : line.set(column, own);
}

// The column that holds a curve's or a surface's heights.
Column height_column(Measure of) { return of == Measure::effect ? effect : of == Measure::loss ? loss : mean; }

void write(std::string& out, const Curve& curve) {
  const Column height = height_column(curve.measure);
  const auto begin = [&] {
    return start("curve", curve.axis.feature, curve).set(series, curve.series).set(measure, to_string(curve.measure));
  };
  const auto doubts = doubts_of(curve);
  for (std::size_t i = 0; i < curve.axis.size(); ++i) {
    Line line = begin()
                    .set(value, curve.axis, i)
                    .set(height, curve.mean, i)
                    .set(sd, curve.sd, i)
                    .set(se_level, curve.se_level, i)
                    .set(curve.measure == Measure::effect ? se : se_shape, curve.se_shape, i)
                    .set(count, curve.count, i)
                    .set(bin_count, curve.bin_count, i)
                    .set(slope, curve.slope, i)
                    .set(outside, curve.outside, i);
    if (doubts[i].any()) {
      line.set(caution, doubts[i].sparse && doubts[i].extrapolated ? "sparse extrapolated"
                        : doubts[i].sparse                         ? "sparse"
                                                                   : "extrapolated");
    }
    line.append_to(out);
  }
  if (!curve.missing) return;
  auto line = begin();
  line.set(height, curve.missing->mean).set(count, curve.missing->count);
  if (!curve.sd.empty()) line.set(sd, curve.missing->sd);
  if (!curve.se_level.empty()) line.set(se_level, curve.missing->se_level);
  if (!curve.se_shape.empty()) line.set(curve.measure == Measure::effect ? se : se_shape, curve.missing->se_shape);
  line.append_to(out);
}

void write(std::string& out, const Curves& curves) {
  const Column height = curves.derivative ? slope : prediction;
  for (std::size_t r = 0; r < curves.rows.size(); ++r) {
    const std::string number = std::to_string(curves.rows[r]);
    const auto begin = [&] { return start("curves", curves.axis.feature, curves).set(row, number); };
    for (std::size_t i = 0; i < curves.axis.size(); ++i) {
      begin().set(value, curves.axis, i).set(height, curves.values[r], i).append_to(out);
    }
    if (r < curves.missing.size() && curves.missing[r]) begin().set(height, *curves.missing[r]).append_to(out);
  }
}

void write(std::string& out, const Surface& surface) {
  for (std::size_t i = 0; i < surface.first.size(); ++i) {
    for (std::size_t j = 0; j < surface.second.size(); ++j) {
      Line line = start("surface", surface.first.feature, surface);
      line.set(value, surface.first, i).set(feature_2, surface.second.feature).set(value_2, surface.second, j);
      line.set(measure, to_string(surface.measure));
      line.set(height_column(surface.measure), surface.mean[i], j);
      if (i < surface.count.size()) {
        line.set(surface.measure == Measure::effect ? bin_count : count, surface.count[i], j);
      }
      line.append_to(out);
    }
  }
}

void write(std::string& out, const Importance& entry) {
  Line line = start("importance", entry.feature, entry);
  // Of a group of features its members; names may hold any sign, so they are a list as in JSON.
  const bool itself = entry.features.size() == 1 && entry.features[0] == entry.feature;
  if (!itself && !entry.features.empty()) line.set(features, to_json(Value(entry.features)));
  line.set(measure, entry.measure)
      .set(importance, entry.importance)
      .set(se, entry.se)
      .set(sd, entry.sd)
      .set(low, entry.low)
      .set(high, entry.high)
      .set(details, to_json(entry.details))
      .append_to(out);
}

void write(std::string& out, const Interaction& entry) {
  Line line = start("interaction", entry.features[0], entry);
  if (entry.features.size() > 1) line.set(feature_2, entry.features[1]);
  if (entry.features.size() > 2) line.set(feature_3, entry.features[2]);
  line.set(h2, entry.h2).set(h, entry.h).set(strength, entry.strength).set(se, entry.se);
  line.set(details, to_json(entry.details)).append_to(out);
}

// A line per row and feature; a pair of features has one besides, with both halves of what it adds.
void write(std::string& out, const Attributions& item) {
  const std::size_t width = item.features.size();
  for (std::size_t r = 0; r < item.rows.size(); ++r) {
    const auto begin = [&](std::size_t j) {
      Line line = start("attribution", item.features[j].feature, item);
      line.set(row, std::to_string(item.rows[r])).set(prediction, item.prediction[r]).set(base, item.base);
      return set_own(line, value, item, r, j);
    };
    for (std::size_t j = 0; j < width; ++j) {
      begin(j).set(attribution, item.value(r, j)).set(se, item.se, r * width + j).append_to(out);
    }
    for (std::size_t j = 0; j < width && !item.interactions.empty(); ++j) {
      for (std::size_t k = j + 1; k < width; ++k) {
        Line line = begin(j).set(feature_2, item.features[k].feature);
        set_own(line, value_2, item, r, k).set(attribution, 2 * item.interaction(r, j, k)).append_to(out);
      }
    }
  }
}

void write(std::string& out, const Figure& number) {
  start("figure", "", number)
      .set(name, number.name)
      .set(figure, number.value)
      .set(se, number.se)
      .set(meaning, number.meaning)
      .append_to(out);
}

}  // namespace

std::string render_csv(const Result& result) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) out += (i > 0 ? "," : "") + std::string(names[i]);
  out += '\n';
  for (const auto& item : result.results) {
    visit(item, [&](const auto& shape) { write(out, shape); });
  }
  return out;
}

}  // namespace sightglass
