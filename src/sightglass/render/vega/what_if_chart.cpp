// One row with one value changed at a time: a small panel per feature, all with the same height, the row as it is
// marked in each.
#include <algorithm>
#include <cmath>

#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr std::size_t panels_side_by_side = 3;
constexpr int panel_gap = 26;
constexpr int panel_height = 140;
constexpr const char* own_ink = "#D55E00";

Value own_layers(const Value& at, const std::optional<double>& height, const Domain& heights, const char* type) {
  const Value x = field("x", type), ink = Value::object({{"value", own_ink}});
  Value row = Value::object({{"x", at}});
  Value layers = Value::array();
  layers.push_back(Value::object({{"mark", Value::object({{"type", "rule"},
                                                          {"strokeDash", Value::array().push_back(3).push_back(3)},
                                                          {"strokeWidth", 1},
                                                          {"tooltip", Value()}})},
                                  {"encoding", Value::object({{"x", x}, {"y", Value()}, {"color", ink}})}}));
  if (height && std::isfinite(*height)) {
    row.set("y", heights.plotted(*height));
    layers.push_back(Value::object(
        {{"mark", Value::object({{"type", "point"}, {"filled", true}, {"size", 70}, {"opacity", 1}})},
         {"encoding", Value::object({{"x", x},
                                     {"y", field("y", "quantitative")},
                                     {"color", ink},
                                     {"tooltip", tooltip({{"x", "its own value", std::string(type) == "quantitative"},
                                                          {"y", "prediction"}})}})}}));
  }
  return Value::object({{"data", inline_data({row})}, {"layer", layers}});
}

Value panel(const WhatIf& picture, const WhatIf::Line& line, const Domain& heights, int width, bool first) {
  const Curves& curves = *line.curves;
  const bool levels = curves.axis.is_categorical();
  const auto labels = unique_labels(curves.axis.levels);
  Domain grid;
  grid.add(curves.axis.numbers);
  if (line.own_number) grid.add(*line.own_number);
  Value::Array points;
  for (std::size_t i = 0; i < curves.axis.size(); ++i) {
    points.push_back(Value::object({{"x", levels ? Value(labels[i]) : grid.plotted(curves.axis.numbers[i])},
                                    {"y", heights.plotted(curves.values[line.row][i])},
                                    {"group", "row"}}));
  }
  Value x;
  if (levels) {
    x = level_encoding(curves.axis, labels, true);
    Value guide = *x.find("axis");
    x.set("axis", guide.set("labelAngle", -35).set("labelLimit", 70).set("labelOverlap", false));
  } else {
    NumericX numeric;
    numeric.domain = grid;
    x = numeric.encoding(curves.axis, true);
    Value guide = *x.find("axis");
    x.set("axis", guide.set("tickCount", 4));
  }
  // A panel has no room for more.
  Value y =
      quantity_encoding("y", predicts_probabilities(*picture.result) ? "predicted probability" : "prediction", false);
  const double margin = 0.05 * heights.span();
  y.set("scale",
        Value::object(
            {{"domain",
              Value::array().push_back(plotted(heights.low - margin)).push_back(plotted(heights.high + margin))},
             {"zero", false},
             {"nice", true}}));
  Value guide = *y.find("axis");
  guide.set("titleLimit", panel_height + 30).set("tickCount", 4);
  if (!first) guide.set("labels", false).set("title", Value()).set("ticks", false).set("domain", false);
  y.set("axis", guide);
  Value layers = Value::array();
  const Value tip = tooltip_along(curves.axis, "x", tooltip({{"x", "value", !levels}, {"y", "prediction"}}));
  // Levels have no way from one to the next.
  if (levels) {
    layers.push_back(Value::object({{"mark", Value::object({{"type", "point"}, {"filled", true}, {"size", 45}})},
                                    {"encoding", Value::object({{"tooltip", tip}})}}));
  } else {
    layers.push_back(Value::object(
        {{"mark", Value::object({{"type", "line"}, {"strokeWidth", 2}, {"point", Value::object({{"size", 10}})}})},
         {"encoding", Value::object({{"tooltip", tip}})}}));
  }
  if (line.own_level) layers.push_back(own_layers(labels[*line.own_level], line.own_height, heights, "nominal"));
  if (line.own_number)
    layers.push_back(own_layers(grid.plotted(*line.own_number), line.own_height, heights, "quantitative"));
  return Value::object({{"width", width},
                        {"height", panel_height},
                        {"data", inline_data(std::move(points))},
                        {"encoding", Value::object({{"x", x}, {"y", y}, {"color", group_color({"row"}, "")}})},
                        {"layer", layers}});
}

}  // namespace

Value what_if_chart(const WhatIf& picture) {
  Domain heights;
  for (const auto& line : picture.lines) heights.add(line.curves->values[line.row]);
  const std::size_t per_row = evenly(picture.lines.size(), panels_side_by_side);
  const int width = std::min(260, (chart_width - panel_gap * static_cast<int>(per_row - 1)) /
                                      static_cast<int>(std::max<std::size_t>(per_row, 1)));
  Value::Array panels;
  for (const auto& line : picture.lines) {
    panels.push_back(panel(picture, line, heights, width, panels.size() % per_row == 0));
  }
  if (panels.size() == 1) return panels[0];
  if (per_row == panels.size()) return Value::object({{"spacing", panel_gap}, {"hconcat", Value(std::move(panels))}});
  return Value::object({{"spacing", panel_gap},
                        {"columns", Value(static_cast<std::uint64_t>(per_row))},
                        {"concat", Value(std::move(panels))}});
}

}  // namespace sightglass::vega
