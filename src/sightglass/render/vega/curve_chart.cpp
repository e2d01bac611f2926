// One feature against what is predicted: a line with its band per output, group of rows or method. Features
// with levels are in level_chart.cpp.
#include <algorithm>
#include <cmath>

#include "sightglass/render/readable.h"
#include "sightglass/render/shading.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr std::size_t few_points = 32;
constexpr std::size_t most_edges = 200;

struct Series {
  Value::Array points, missing;
  bool any_band = false, any_count = false;
};

Series series_of(const ItemGroup& group, const NumericX& x) {
  const auto labels = line_labels(group);
  const LineHeights heights = line_heights(group);
  Series series;
  for (std::size_t g = 0; g < group.curve.size(); ++g) {
    const Curve& curve = *group.curve[g];
    for (std::size_t i = 0; i < curve.axis.size(); ++i) {
      if (!std::isfinite(curve.axis.numbers[i])) continue;
      const CurvePoint point{curve.mean[i] - heights.offset[g], entry(curve.se_shape, i), entry(curve.count, i)};
      series.points.push_back(point_row("x", plotted(curve.axis.numbers[i]), "y", point, labels[g]));
      series.any_band = series.any_band || (std::isfinite(point.se) && point.se > 0);
      series.any_count = series.any_count || std::isfinite(point.count);
    }
    if (curve.missing) {
      const CurvePoint point{curve.missing->mean - heights.offset[g], curve.missing->se_shape, curve.missing->count};
      series.missing.push_back(point_row("x", plotted(x.slot()), "y", point, labels[g]));
    }
  }
  return series;
}

Value band_layer(bool several) {
  return Value::object(
      {{"mark", Value::object({{"type", "area"}, {"opacity", several ? 0.13 : 0.18}, {"tooltip", Value()}})},
       {"encoding", Value::object({{"y", field("low", "quantitative")}, {"y2", Value::object({{"field", "high"}})}})}});
}

// The value where the feature is missing, drawn apart.
Value missing_layers(const Series& series, const Value& tip) {
  const Value x = field("x", "quantitative");
  Value layers = Value::array();
  layers.push_back(Value::object(
      {{"mark", Value::object({{"type", "rule"}, {"strokeWidth", 2}})},
       {"encoding",
        Value::object({{"x", x}, {"y", field("low", "quantitative")}, {"y2", Value::object({{"field", "high"}})}})}}));
  layers.push_back(
      Value::object({{"mark", Value::object({{"type", "point"}, {"filled", true}, {"size", 60}, {"shape", "diamond"}})},
                     {"encoding", Value::object({{"x", x}, {"y", field("y", "quantitative")}, {"tooltip", tip}})}}));
  return Value::object({{"data", inline_data(series.missing)}, {"layer", layers}});
}

// Grid points where the curve should not be trusted, behind everything.
Value shade_layer(const ItemGroup& group) {
  Value::Array rows;
  std::vector<std::string> kinds, colors;
  for (const auto& span : shaded_spans(group)) {
    const std::string_view why = span.extrapolated ? extrapolated_words : sparse_words;
    if (kinds.empty() || kinds.back() != why) {
      kinds.emplace_back(why);
      colors.emplace_back(span.extrapolated ? "#E69F00" : "#8a94a3");
    }
    rows.push_back(Value::object({{"x", plotted(span.range.low)}, {"x2", plotted(span.range.high)}, {"why", why}}));
  }
  if (rows.empty()) return {};
  Value fill = field("why", "nominal");
  fill.set("scale", Value::object({{"domain", texts(kinds)}, {"range", texts(colors)}}));
  fill.set("sort", Value());
  fill.set("legend", Value::object({{"title", Value()},
                                    {"orient", "top"},
                                    {"symbolType", "square"},
                                    {"symbolOpacity", 0.45},
                                    {"symbolStrokeWidth", 0}}));
  return Value::object({{"data", inline_data(std::move(rows))},
                        {"mark", Value::object({{"type", "rect"}, {"opacity", 0.2}, {"tooltip", Value()}})},
                        {"encoding", Value::object({{"x", field("x", "quantitative")},
                                                    {"x2", Value::object({{"field", "x2"}})},
                                                    {"y", Value()},
                                                    {"color", Value()},
                                                    {"fill", fill}})}});
}

// Where the steps of accumulated effects end; groups of rows have their own.
Value edge_layer(const ItemGroup& group) {
  if (group.lines == LinesBy::group && group.curve.size() > 1) return {};
  Value::Array rows;
  for (const Curve* curve : group.curve) {
    if (curve->bin_count.empty() || curve->axis.size() > most_edges) continue;
    for (const double edge : curve->axis.numbers) {
      if (std::isfinite(edge)) rows.push_back(Value::object({{"x", plotted(edge)}}));
    }
    break;
  }
  if (rows.empty()) return {};
  return Value::object({{"data", inline_data(std::move(rows))},
                        {"mark", Value::object({{"type", "tick"},
                                                {"orient", "vertical"},
                                                {"size", 6},
                                                {"thickness", 1},
                                                {"opacity", 0.9},
                                                {"tooltip", Value()}})},
                        {"encoding", Value::object({{"x", field("x", "quantitative")},
                                                    {"y", Value::object({{"value", chart_height - 3}})},
                                                    {"color", Value::object({{"value", muted_ink}})}})}});
}

// A grid with few points shows them; with many, one appears under the pointer.
Value point_layer(std::size_t points, const Value& tip, int id) {
  const std::string hover = "hover_" + std::to_string(id);
  const Value select = Value::object({{"type", "point"},
                                      {"fields", Value(std::vector<std::string>{"x"})},
                                      {"nearest", true},
                                      {"on", "pointerover"},
                                      {"clear", "pointerout"}});
  const auto condition = [&](int value) {
    return Value::object({{"param", hover}, {"empty", false}, {"value", value}});
  };
  return Value::object(
      {{"params", Value(Value::Array{Value::object({{"name", hover}, {"select", select}})})},
       {"mark", Value::object({{"type", "point"}, {"filled", true}, {"opacity", 1}})},
       {"encoding",
        Value::object(
            {{"size", Value::object({{"condition", condition(70)}, {"value", points == 1 ? 70 : 16}})},
             {"opacity", Value::object({{"condition", condition(1)}, {"value", points <= few_points ? 1 : 0}})},
             {"tooltip", tip}})}});
}

}  // namespace

Value curve_chart(const Result& result, const ItemGroup& group, int id) {
  if (group.curve[0]->axis.is_categorical()) return level_chart(result, group);
  const auto labels = line_labels(group);
  const LineHeights heights = line_heights(group);
  NumericX x;
  std::size_t most_points = 0;
  for (const Curve* curve : group.curve) {
    x.domain.add(curve->axis.numbers);
    x.domain.add(curve->distribution.edges);
    x.has_missing = x.has_missing || curve->missing.has_value();
    most_points = std::max(most_points, curve->axis.size());
  }
  Series series = series_of(group, x);
  const Curve& first = *group.curve[0];
  const bool several = group.curve.size() > 1;
  // Groups of rows have a distribution each; one of them would pass for that of all.
  const bool one_distribution = group.lines != LinesBy::group || !several;
  Value panel = one_distribution ? histogram_panel(first.axis, first.distribution, x) : Value();
  const Value tip = curve_tooltip(group, "x", true, "y", series.any_band, series.any_count);

  Value layers = Value::array();
  const auto add = [&](Value layer) {
    if (!layer.is_null()) layers.push_back(std::move(layer));
  };
  add(shade_layer(group));
  if (heights.measure == Measure::effect) layers.push_back(zero_rule());
  add(edge_layer(group));
  if (series.any_band) layers.push_back(band_layer(several));
  layers.push_back(Value::object({{"mark", Value::object({{"type", "line"}, {"strokeWidth", 2.25}})}}));
  layers.push_back(point_layer(most_points, tip, id));
  if (x.has_missing) {
    layers.push_back(missing_layers(series, tip));
    if (panel.is_null()) layers.push_back(missing_label(x));
  }
  Value chart =
      Value::object({{"width", chart_width},
                     {"height", chart_height},
                     {"data", inline_data(std::move(series.points))},
                     {"encoding", Value::object({{"x", x.encoding(first.axis, panel.is_null())},
                                                 {"y", height_encoding(result, group, "y", false)},
                                                 {"color", group_color(labels, legend_title(result, group))}})},
                     {"layer", layers}});
  if (!panel.is_null() && x.has_missing) {
    Value panel_layers = *panel.find("layer");
    panel_layers.push_back(missing_label(x));
    panel.set("layer", panel_layers);
  }
  return stacked({std::move(chart), std::move(panel)});
}

}  // namespace sightglass::vega
