// One feature against the mean prediction: a line with its band, or bars; one colour per output.
#include <algorithm>
#include <cmath>

#include "sightglass/render/readable.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr double band_width = 1.96;  // standard errors: 95 %
constexpr std::size_t few_points = 32;

double entry(const std::vector<double>& values, std::size_t i) { return i < values.size() ? values[i] : std::nan(""); }

struct Point {
  double mean, se, count;
};

Value row(Value x, const Point& point, const std::string& group) {
  Value value = Value::object({{"x", std::move(x)}, {"y", plotted(point.mean)}, {"group", group}});
  const double half = band_width * point.se;
  if (std::isfinite(half) && std::isfinite(point.mean)) {
    value.set("low", plotted(point.mean - half)).set("high", plotted(point.mean + half)).set("half", plotted(half));
  }
  if (std::isfinite(point.count)) value.set("rows", plotted(point.count));
  return value;
}

struct Series {
  Value::Array points, missing;
  bool any_band = false, any_missing_band = false, any_count = false;
};

Series series_of(const ItemGroup& group, const std::vector<std::string>& labels, const std::vector<std::string>& levels,
                 const NumericX* x) {
  Series series;
  for (std::size_t g = 0; g < group.curve.size(); ++g) {
    const Curve& curve = *group.curve[g];
    for (std::size_t i = 0; i < curve.axis.size(); ++i) {
      const Point point{curve.mean[i], entry(curve.se_shape, i), entry(curve.count, i)};
      if (x != nullptr && !std::isfinite(curve.axis.numbers[i])) continue;
      series.points.push_back(row(x != nullptr ? plotted(curve.axis.numbers[i]) : Value(levels[i]), point, labels[g]));
      series.any_band = series.any_band || (std::isfinite(point.se) && point.se > 0);
      series.any_count = series.any_count || std::isfinite(point.count);
    }
    if (curve.missing) {
      const Point point{curve.missing->mean, curve.missing->se_shape, curve.missing->count};
      series.missing.push_back(row(x != nullptr ? plotted(x->slot()) : Value(levels.back()), point, labels[g]));
      series.any_missing_band = series.any_missing_band || (std::isfinite(point.se) && point.se > 0);
    }
  }
  return series;
}

Value tooltip_of(const Series& series, bool numeric, bool several) {
  std::vector<TooltipField> fields;
  if (several) fields.push_back({"group", "output", false});
  fields.push_back({numeric ? "x" : "y", "value", numeric});
  fields.push_back({numeric ? "y" : "x", "mean prediction"});
  if (series.any_band) fields.push_back({"half", "± 95 % (shape)"});
  if (series.any_count) fields.push_back({"rows", "rows nearby"});
  return tooltip(fields);
}

Value band_layer() {
  return Value::object(
      {{"mark", Value::object({{"type", "area"}, {"opacity", 0.18}, {"tooltip", Value()}})},
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

// Stands where the axis has its numbers.
Value missing_label(const NumericX& x) {
  return Value::object(
      {{"data", inline_data({Value::object({{"x", plotted(x.slot())}, {"label", "missing"}})})},
       {"mark", Value::object({{"type", "text"}, {"baseline", "top"}, {"dy", 7}, {"style", "guide-label"}})},
       {"encoding", Value::object({{"x", field("x", "quantitative")},
                                   {"y", Value::object({{"value", "height"}})},
                                   {"text", field("label", "nominal")},
                                   {"color", Value::object({{"value", "#737d8c"}})}})}});
}

Value numeric_chart(const Result& result, const ItemGroup& group, int id) {
  const auto labels = output_labels(group);
  NumericX x;
  std::size_t most_points = 0;
  for (const Curve* curve : group.curve) {
    x.domain.add(curve->axis.numbers);
    x.domain.add(curve->distribution.edges);
    x.has_missing = x.has_missing || curve->missing.has_value();
    most_points = std::max(most_points, curve->axis.size());
  }
  Series series = series_of(group, labels, {}, &x);
  const Curve& first = *group.curve[0];
  const bool several = group.curve.size() > 1;
  const std::string hover = "hover_" + std::to_string(id);

  Value panel = histogram_panel(first.axis, first.distribution, x);
  const Value tip = tooltip_of(series, true, several);
  Value layers = Value::array();
  if (series.any_band) layers.push_back(band_layer());
  layers.push_back(Value::object({{"mark", Value::object({{"type", "line"}, {"strokeWidth", 2.25}})}}));
  // A grid with few points shows them; with many, one appears under the pointer.
  layers.push_back(Value::object(
      {{"params",
        Value(Value::Array{Value::object({{"name", hover},
                                          {"select", Value::object({{"type", "point"},
                                                                    {"fields", Value(std::vector<std::string>{"x"})},
                                                                    {"nearest", true},
                                                                    {"on", "pointerover"},
                                                                    {"clear", "pointerout"}})}})})},
       {"mark", Value::object({{"type", "point"}, {"filled", true}, {"opacity", 1}})},
       {"encoding",
        Value::object(
            {{"size", Value::object({{"condition", Value::object({{"param", hover}, {"empty", false}, {"value", 70}})},
                                     {"value", most_points == 1 ? 70 : 16}})},
             {"opacity",
              Value::object({{"condition", Value::object({{"param", hover}, {"empty", false}, {"value", 1}})},
                             {"value", most_points <= few_points ? 1 : 0}})},
             {"tooltip", tip}})}}));
  if (x.has_missing) {
    layers.push_back(missing_layers(series, tip));
    if (panel.is_null()) layers.push_back(missing_label(x));
  }
  const std::string legend = text_member(result.data, "target");
  Value chart = Value::object(
      {{"width", chart_width},
       {"height", chart_height},
       {"data", inline_data(std::move(series.points))},
       {"encoding",
        Value::object(
            {{"x", x.encoding(first.axis, panel.is_null())},
             {"y",
              quantity_encoding("y", prediction_title(result, Quantity::mean, several ? "" : first.output), false)},
             {"color",
              group_color(labels, several && !legend.empty() ? axis_title({legend, "", {}, {}, false}) : "")}})},
       {"layer", layers}});
  if (!panel.is_null() && x.has_missing) {
    Value panel_layers = *panel.find("layer");
    panel_layers.push_back(missing_label(x));
    panel.set("layer", panel_layers);
  }
  return stacked(std::move(chart), std::move(panel));
}

Value categorical_chart(const Result& result, const ItemGroup& group) {
  const auto labels = output_labels(group);
  const Curve& first = *group.curve[0];
  const bool several = group.curve.size() > 1;
  std::vector<std::string> names = first.axis.levels;
  const bool has_missing = std::any_of(group.curve.begin(), group.curve.end(),
                                       [](const Curve* curve) { return curve->missing.has_value(); });
  if (has_missing) names.emplace_back("missing");
  const auto levels = unique_labels(names);
  Series series = series_of(group, labels, levels, nullptr);
  series.points.insert(series.points.end(), series.missing.begin(), series.missing.end());
  series.any_band = series.any_band || series.any_missing_band;
  // Levels run down the page, so that long names stay readable: x and y change places.
  for (auto& point : series.points) {
    const Value level = *point.find("x");
    point.set("x", *point.find("y")).set("y", level);
  }
  const Value tip = tooltip_of(series, false, several);
  Value layers = Value::array();
  Value error_encoding =
      Value::object({{"x", field("low", "quantitative")}, {"x2", Value::object({{"field", "high"}})}});
  Value point_encoding = Value::object({{"tooltip", tip}});
  if (several) {
    Value offset = field("group", "nominal");
    offset.set("scale", Value::object({{"domain", texts(labels)}})).set("sort", Value());
    error_encoding.set("yOffset", offset);
    point_encoding.set("yOffset", offset);
    layers.push_back(
        Value::object({{"mark", Value::object({{"type", "rule"}, {"strokeWidth", 2}})}, {"encoding", error_encoding}}));
    layers.push_back(
        Value::object({{"mark", Value::object({{"type", "point"}, {"filled", true}, {"size", 70}, {"opacity", 1}})},
                       {"encoding", point_encoding}}));
  } else {
    layers.push_back(Value::object({{"mark", Value::object({{"type", "bar"},
                                                            {"height", Value::object({{"band", 0.62}})},
                                                            {"opacity", 0.5},
                                                            {"cornerRadiusEnd", 2}})},
                                    {"encoding", point_encoding}}));
    layers.push_back(Value::object(
        {{"mark", Value::object({{"type", "rule"}, {"strokeWidth", 2.5}})}, {"encoding", error_encoding}}));
  }
  if (series.any_count) {
    // Rows per level, at the right edge: a bar that stands on three rows should look like it.
    Value::Array counts;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const bool missing = i == first.axis.size();
      const double count = missing ? (first.missing ? first.missing->count : std::nan("")) : entry(first.count, i);
      if (!std::isfinite(count)) continue;
      counts.push_back(Value::object({{"y", levels[i]}, {"label", readable(count) + (count == 1 ? " row" : " rows")}}));
    }
    layers.push_back(Value::object(
        {{"data", inline_data(std::move(counts))},
         {"mark", Value::object({{"type", "text"}, {"align", "left"}, {"dx", 8}, {"style", "guide-label"}})},
         {"encoding", Value::object({{"x", Value::object({{"value", "width"}})},
                                     {"text", field("label", "nominal")},
                                     {"color", Value::object({{"value", "#737d8c"}})}})}}));
  }
  Value y = level_encoding(first.axis, levels, false);
  // Room between levels, so that their outputs stay together.
  if (several)
    y.set("scale", Value::object({{"domain", texts(levels)}, {"paddingInner", 0.35}, {"paddingOuter", 0.2}}));
  Value color = group_color(labels, text_member(result.data, "target"));
  if (several) {
    // The axis title stands above the levels' labels; the legend keeps clear of it.
    Value legend = *color.find("legend");
    color.set("legend", legend.set("offset", 28));
  }
  const Value encoding = Value::object(
      {{"y", y},
       {"x", quantity_encoding("x", prediction_title(result, Quantity::mean, several ? "" : first.output), !several)},
       {"color", color}});
  const int step = several ? std::max(40, 17 * static_cast<int>(labels.size())) : 30;
  return Value::object({{"width", chart_width},
                        {"height", step * static_cast<int>(levels.size())},
                        {"data", inline_data(std::move(series.points))},
                        {"encoding", encoding},
                        {"layer", layers}});
}

}  // namespace

Value curve_chart(const Result& result, const ItemGroup& group, int id) {
  return group.curve[0]->axis.is_categorical() ? categorical_chart(result, group) : numeric_chart(result, group, id);
}

}  // namespace sightglass::vega
