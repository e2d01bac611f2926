#include <algorithm>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/vega/named_lines_internal.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr std::size_t most_names = 8;
constexpr double lines_height = 250;
constexpr double name_gap = 13;  // pixels from one name to the next

// Heights moved apart so that each name can be read; in units of the axis.
std::vector<double> moved_apart(std::vector<double> heights, double gap, double low, double high) {
  std::vector<std::size_t> order(heights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return heights[a] < heights[b]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    double& height = heights[order[i]];
    height = std::max(height, i == 0 ? low : heights[order[i - 1]] + gap);
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    double& height = heights[order[i]];
    height = std::min(height, i + 1 == order.size() ? high : heights[order[i + 1]] - gap);
  }
  return heights;
}

Domain domain_of(const std::vector<NamedLine>& lines) {
  Domain domain;
  domain.add(0);
  for (const NamedLine& line : lines) {
    for (const LinePoint& point : line.points) domain.add(point.y);
  }
  return domain;
}

Value::Array rows_of(const NamedLine& line, const std::string& label, std::size_t number, const Domain& domain) {
  Value::Array rows;
  for (const LinePoint& point : line.points) {
    Value row = Value::object({{"x", plotted(point.x, 4)}, {"y", domain.plotted(point.y)}, {"group", label}});
    row.set("line", Value(static_cast<std::uint64_t>(number)));
    for (const auto& [name, value] : point.told.as_object()) row.set(name, value);
    rows.push_back(std::move(row));
  }
  return rows;
}

Value line_layer(const Value::Array& rows, const Value& mark, const Value& encoding) {
  const auto data = packed(rows);
  return Value::object({{"data", data.data}, {"transform", data.transform}, {"mark", mark}, {"encoding", encoding}});
}

Value names_layer(Value::Array ends, const Value& y, const Value& color) {
  return Value::object({{"data", inline_data(std::move(ends))},
                        {"mark", Value::object({{"type", "text"},
                                                {"align", "left"},
                                                {"baseline", "middle"},
                                                {"dx", 6},
                                                {"fontSize", 11},
                                                {"limit", 130},
                                                {"tooltip", Value()}})},
                        {"encoding", Value::object({{"x", Value::object({{"value", "width"}})},
                                                    {"y", y},
                                                    {"text", field("group", "nominal")},
                                                    {"color", color}})}});
}

}  // namespace

Value named_lines_panel(NamedLines chart) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(chart.lines.size(), most_names); ++i) names.push_back(chart.lines[i].name);
  const std::vector<std::string> labels = unique_labels(names);
  const Domain domain = domain_of(chart.lines);
  Value::Array named, others, ends;
  std::vector<double> heights;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const NamedLine& line = chart.lines[i];
    const bool has_name = i < labels.size();
    const std::string label = has_name ? labels[i] : printable(line.name);
    for (Value& row : rows_of(line, label, i, domain)) (has_name ? named : others).push_back(std::move(row));
    if (!has_name || line.points.empty()) continue;
    heights.push_back(line.points.back().y);
    ends.push_back(Value::object({{"group", label}}));
  }
  const double margin = 0.04 * domain.span();
  const double low = domain.low - margin, high = domain.low + domain.span() + margin;
  const auto apart = moved_apart(heights, name_gap * (high - low) / lines_height, low, high);
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i].set("y", domain.plotted(apart[i]));

  Value y = quantity_encoding("y", chart.y_title, false, domain.any);
  y.set("scale", Value::object({{"domain", Value::array().push_back(plotted(low)).push_back(plotted(high))},
                                {"nice", false},
                                {"zero", false}}));
  Value color = group_color(labels, "");
  color.set("legend", Value());
  Value layers = Value::array();
  layers.push_back(zero_rule());
  if (!others.empty())
    layers.push_back(line_layer(others, Value::object({{"type", "line"}, {"strokeWidth", 1}, {"opacity", 0.55}}),
                                Value::object({{"x", chart.x},
                                               {"y", y},
                                               {"detail", field("line", "nominal")},
                                               {"color", Value::object({{"value", muted_ink}})},
                                               {"tooltip", chart.tooltip}})));
  Value mark = Value::object({{"type", "line"}, {"strokeWidth", 1.8}});
  if (chart.dots) mark.set("point", true);
  layers.push_back(
      line_layer(named, mark, Value::object({{"x", chart.x}, {"y", y}, {"color", color}, {"tooltip", chart.tooltip}})));
  for (Value& layer : chart.marks) layers.push_back(std::move(layer));
  layers.push_back(names_layer(std::move(ends), y, color));
  return Value::object({{"width", chart_width}, {"height", lines_height}, {"layer", layers}});
}

}  // namespace sightglass::vega
