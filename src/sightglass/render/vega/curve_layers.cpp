// The layers of charts of curves: bands, points, where not to trust them, what stands apart.
#include <cmath>

#include "sightglass/insight/shading.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr std::size_t few_points = 32;
constexpr std::size_t most_edges = 200;

}  // namespace

Value band_layer(bool several) {
  return Value::object(
      {{"mark", Value::object({{"type", "area"}, {"opacity", several ? 0.13 : 0.18}, {"tooltip", Value()}})},
       {"encoding", Value::object({{"y", field("low", "quantitative")}, {"y2", Value::object({{"field", "high"}})}})}});
}

Value missing_layers(Value data, const Value& tip) {
  const Value x = field("x", "quantitative");
  Value layers = Value::array();
  layers.push_back(Value::object(
      {{"mark", Value::object({{"type", "rule"}, {"strokeWidth", 2}})},
       {"encoding",
        Value::object({{"x", x}, {"y", field("low", "quantitative")}, {"y2", Value::object({{"field", "high"}})}})}}));
  layers.push_back(with_date_texts(
      Value::object({{"mark", Value::object({{"type", "point"}, {"filled", true}, {"size", 60}, {"shape", "diamond"}})},
                     {"encoding", Value::object({{"x", x}, {"y", field("y", "quantitative")}, {"tooltip", tip}})}})));
  return Value::object({{"data", std::move(data)}, {"layer", layers}});
}

Value shade_layer(const Axis& axis, const std::vector<ShadedSpan>& spans) {
  Value::Array rows;
  std::vector<std::string> kinds, colors;
  for (const auto& span : spans) {
    const std::string_view why = span.extrapolated ? extrapolated_words : sparse_words;
    if (kinds.empty() || kinds.back() != why) {
      kinds.emplace_back(why);
      colors.emplace_back(span.extrapolated ? "#E69F00" : "#8a94a3");
    }
    rows.push_back(
        Value::object({{"x", placed(axis, span.range.low)}, {"x2", placed(axis, span.range.high)}, {"why", why}}));
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

Value edge_layer(const Curve& curve) {
  Value::Array rows;
  if (!curve.bin_count.empty() && curve.axis.size() <= most_edges) {
    for (const double edge : curve.axis.numbers) {
      if (std::isfinite(edge)) rows.push_back(Value::object({{"x", placed(curve.axis, edge)}}));
    }
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
  return with_date_texts(Value::object(
      {{"params", Value(Value::Array{Value::object({{"name", hover}, {"select", select}})})},
       {"mark", Value::object({{"type", "point"}, {"filled", true}, {"opacity", 1}})},
       {"encoding",
        Value::object(
            {{"size", Value::object({{"condition", condition(70)}, {"value", points == 1 ? 70 : 16}})},
             {"opacity", Value::object({{"condition", condition(1)}, {"value", points <= few_points ? 1 : 0}})},
             {"tooltip", tip}})}}));
}

}  // namespace sightglass::vega
