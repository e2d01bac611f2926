// One line per row (ICE) or its slope, their mean, and the quantiles of all rows behind them.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/insight/shown_levels.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr std::size_t most_curves = 250;
constexpr const char* mean_color = "#D55E00";
constexpr const char *rows_label = "single rows", *mean_label = "mean of all rows";

// Rows and their mean have one scale, so that a legend names them.
Value named_color(const Curves& curves, const char* label) {
  std::vector<std::string> labels{rows_label};
  if (!curves.mean.empty()) labels.emplace_back(mean_label);
  return Value::object({{"datum", label},
                        {"type", "nominal"},
                        {"scale", Value::object({{"domain", texts(labels)}})},
                        {"legend", line_legend("")}});
}

// x of a line: the grid, or the labels of the levels.
Value::Array grid_values(const Axis& axis, const std::vector<std::string>& levels) {
  Value::Array values;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    values.push_back(axis.is_categorical() ? Value(levels[i]) : placed(axis, axis.numbers[i]));
  }
  return values;
}

// Which rows are drawn where there are too many: evenly spread.
std::vector<std::size_t> drawn_rows(const Curves& curves) {
  std::vector<std::size_t> drawn;
  const std::size_t count = std::min(curves.values.size(), most_curves);
  for (std::size_t k = 0; k < count; ++k) {
    drawn.push_back(count < 2 ? 0 : k * (curves.values.size() - 1) / (count - 1));
  }
  return drawn;
}

void add_row(Value& value, const Curves& curves, std::size_t r) {
  value.set("row", Value(curves.rows[r]));
  if (r < curves.own_value.size() && curves.own_value[r])
    value.set("own", axis_number(curves.axis, *curves.own_value[r]));
  if (r < curves.own_level.size()) value.set("own", printable(curves.own_level[r]));
}

// The lines travel as one object per row and are taken apart by the chart: half the size.
Value line_data(const Curves& curves, const Value::Array& grid) {
  Value::Array rows;
  for (const auto r : drawn_rows(curves)) {
    Value::Array y;
    for (const double value : curves.values[r]) y.push_back(plotted(value));
    Value row = Value::object({{"x", Value(grid)}, {"y", Value(std::move(y))}});
    add_row(row, curves, r);
    rows.push_back(std::move(row));
  }
  return inline_data(std::move(rows));
}

Value mean_data(const Curves& curves, const Value::Array& grid) {
  Value::Array rows;
  for (std::size_t i = 0; i < curves.mean.size(); ++i) {
    rows.push_back(Value::object({{"x", grid[i]}, {"y", plotted(curves.mean[i])}}));
  }
  return inline_data(std::move(rows));
}

// The outermost pair of quantiles, then the next: 5–95 %, 25–75 %.
Value band_layers(const Curves& curves, const Value::Array& grid) {
  Value layers = Value::array();
  const std::size_t bands = std::min(curves.bands.size(), curves.band_levels.size());
  for (std::size_t low = 0; low + 1 < bands - low; ++low) {
    const std::size_t high = bands - 1 - low;
    Value::Array rows;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      rows.push_back(Value::object(
          {{"x", grid[i]}, {"low", plotted(curves.bands[low][i])}, {"high", plotted(curves.bands[high][i])}}));
    }
    layers.push_back(Value::object(
        {{"data", inline_data(std::move(rows))},
         {"mark", Value::object({{"type", "area"}, {"color", "#8a94a3"}, {"opacity", 0.16}, {"tooltip", Value()}})},
         {"encoding",
          Value::object({{"y", field("low", "quantitative")}, {"y2", Value::object({{"field", "high"}})}})}}));
  }
  return layers;
}

// The edges of the outermost band again, over the lines that hide it: dark in a light rim, so that they stand out
// on either paper and from lines of any colour.
Value band_edge_layer(const Curves& curves, const Value::Array& grid) {
  Value::Array rows;
  for (const bool high : {false, true}) {
    const auto& band = high ? curves.bands.back() : curves.bands.front();
    for (std::size_t i = 0; i < grid.size(); ++i) {
      rows.push_back(Value::object({{"x", grid[i]}, {"y", plotted(band[i])}, {"group", high ? "high" : "low"}}));
    }
  }
  const auto line = [](const char* color, double width, double opacity) {
    return Value::object({{"mark", Value::object({{"type", "line"},
                                                  {"color", color},
                                                  {"strokeWidth", width},
                                                  {"opacity", opacity},
                                                  {"tooltip", Value()}})}});
  };
  return Value::object(
      {{"data", inline_data(std::move(rows))},
       {"encoding", Value::object({{"y", field("y", "quantitative")}, {"detail", field("group", "nominal")}})},
       {"layer", Value(Value::Array{line("#ffffff", 3.4, 0.75), line("#1a1f27", 1.4, 1)})}});
}

// The same rows where the feature is missing, drawn apart.
Value missing_layer(const Curves& curves, const Value& x, double opacity, std::vector<TooltipField> fields) {
  Value::Array rows;
  for (const auto r : drawn_rows(curves)) {
    if (r >= curves.missing.size() || !curves.missing[r]) continue;
    Value row = Value::object({{"x", x}, {"y", plotted(*curves.missing[r])}});
    add_row(row, curves, r);
    rows.push_back(std::move(row));
  }
  fields.push_back({"y", "where missing"});
  return Value::object(
      {{"data", inline_data(std::move(rows))},
       {"mark", Value::object({{"type", "point"},
                               {"filled", true},
                               {"shape", "diamond"},
                               {"size", 34},
                               {"opacity", std::min(1.0, opacity + 0.2)}})},
       {"encoding", Value::object({{"y", field("y", "quantitative")}, {"tooltip", tooltip(fields)}})}});
}

// How much slopes differ between rows: where they do, features interact.
Value sd_panel(const Curves& curves, const Value::Array& grid, const NumericX& x, bool labelled) {
  if (curves.sd.size() != grid.size() || curves.axis.is_categorical()) return {};
  Value::Array rows;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    rows.push_back(Value::object({{"x", grid[i]}, {"y", plotted(curves.sd[i])}}));
  }
  Value y = field("y", "quantitative");
  y.set("axis", Value::object({{"title", "sd"}, {"tickCount", 2}, {"grid", false}, {"format", ",.3~r"}}));
  y.set("scale", Value::object({{"zero", true}}));
  return with_date_texts(Value::object(
      {{"width", chart_width},
       {"height", 64},
       {"data", inline_data(std::move(rows))},
       {"mark", Value::object({{"type", "area"},
                               {"color", mean_color},
                               {"opacity", 0.35},
                               {"line", Value::object({{"color", mean_color}, {"strokeWidth", 1.5}})}})},
       {"encoding", Value::object({{"x", x.encoding(curves.axis, labelled)},
                                   {"y", y},
                                   {"tooltip", tooltip_along(curves.axis, "x",
                                                             tooltip({{"x", "value"}, {"y", "sd of slopes"}}))}})}}));
}

bool any_number(const Curves& curves) {
  Domain domain;
  for (const auto& values : curves.values) domain.add(values);
  for (const auto& band : curves.bands) domain.add(band);
  domain.add(curves.mean);
  return domain.any;
}

bool has_missing(const Curves& curves) {
  return std::any_of(curves.missing.begin(), curves.missing.end(),
                     [](const std::optional<double>& value) { return value && std::isfinite(*value); });
}

}  // namespace

Value curves_chart(const Result& result, const Curves& given, const LevelPlanPtr& plan) {
  const Curves curves = drawn_curves(given, plan, levels_across);
  const bool categorical = curves.axis.is_categorical(), missing = has_missing(curves);
  std::vector<std::string> names = curves.axis.levels;
  if (categorical && missing) names.emplace_back("missing");
  const auto levels = unique_labels(names);
  const Value::Array grid = grid_values(curves.axis, levels);
  NumericX x;
  x.domain.add(curves.axis.numbers);
  x.domain.add(curves.distribution.edges);
  x.has_missing = missing;
  x.whole = counts_whole(curves.distribution);
  Value panel = categorical ? Value() : histogram_panel(curves.axis, curves.distribution, x);
  Value spread = curves.derivative ? sd_panel(curves, grid, x, panel.is_null()) : Value();
  const bool last = panel.is_null() && spread.is_null();
  if (missing && !panel.is_null()) {
    Value panel_layers = *panel.find("layer");
    panel_layers.push_back(missing_label(x));
    panel.set("layer", panel_layers);
  }

  Value layers = curves.bands.empty() ? Value::array() : band_layers(curves, grid);
  if (curves.derivative) layers.push_back(zero_rule());
  Value flatten = Value::object({{"flatten", Value(std::vector<std::string>{"x", "y"})}});
  std::vector<TooltipField> fields{{"row", "row", false}};
  if (!curves.own_value.empty() || !curves.own_level.empty()) fields.push_back({"own", "its own value", false});
  // The more lines, the fainter each: where many run together, the eye sees their density.
  const auto lines = static_cast<double>(std::clamp<std::size_t>(curves.values.size(), 1, most_curves));
  const double opacity = std::clamp(32 / lines, 0.15, 0.5);
  layers.push_back(Value::object(
      {{"data", line_data(curves, grid)},
       {"transform", Value(Value::Array{flatten})},
       {"mark", Value::object({{"type", "line"}, {"strokeWidth", lines <= 40 ? 1.2 : 0.9}, {"opacity", opacity}})},
       {"encoding", Value::object({{"y", field("y", "quantitative")},
                                   {"color", named_color(curves, rows_label)},
                                   {"detail", field("row", "nominal")},
                                   {"tooltip", tooltip(fields)}})}}));
  if (std::min(curves.bands.size(), curves.band_levels.size()) > 1) layers.push_back(band_edge_layer(curves, grid));
  if (!curves.mean.empty()) {
    const Value tip = tooltip({{"x", "value", !categorical}, {"y", mean_label}});
    layers.push_back(with_date_texts(
        Value::object({{"data", mean_data(curves, grid)},
                       {"mark", Value::object({{"type", "line"},
                                               {"strokeWidth", 3},
                                               {"point", categorical ? Value::object({{"size", 50}}) : Value(false)}})},
                       {"encoding", Value::object({{"y", field("y", "quantitative")},
                                                   {"color", named_color(curves, mean_label)},
                                                   {"tooltip", tooltip_along(curves.axis, "x", tip)}})}})));
  }
  if (missing) {
    layers.push_back(
        missing_layer(curves, categorical ? Value(levels.back()) : placed(curves.axis, x.slot()), opacity, fields));
    if (!categorical && last) layers.push_back(missing_label(x));
  }
  Value chart = Value::object(
      {{"width", chart_width},
       {"height", chart_height + 30},
       {"encoding",
        Value::object({{"x", categorical ? level_encoding(curves.axis, levels, true) : x.encoding(curves.axis, last)},
                       {"y", quantity_encoding("y", curves_title(result, curves), false, any_number(curves))}})},
       {"layer", layers}});
  if (!curves.derivative) chart = with_percents(result, Measure::mean, std::move(chart), {"y"});
  return stacked({std::move(chart), std::move(spread), std::move(panel)});
}

}  // namespace sightglass::vega
