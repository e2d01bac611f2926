// A feature with levels against what is predicted: bars, or a point per output, group of rows or method.
#include <algorithm>
#include <cmath>

#include "sightglass/insight/readable.h"
#include "sightglass/insight/shading.h"
#include "sightglass/insight/shown_levels.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr double faded_level = 0.35;
constexpr int most_height = 3000;

}  // namespace

// A bar that stands on three rows should look like it.
Value count_layer(const CurveLines& group, const SharedLevels& shared, const std::vector<std::string>& levels,
                  bool with_doubts) {
  const Curve& first = *group.curve[0];
  const auto doubts = doubts_of(first);
  const auto& places = shared.place[0];
  Value::Array counts;
  const auto add = [&](const std::string& level, double count, bool outside) {
    if (!std::isfinite(count)) return;
    std::string label = readable(count) + (count == 1 ? " row" : " rows");
    if (outside) label += ", " + std::string(extrapolated_words);
    counts.push_back(Value::object({{"y", level}, {"label", label}}));
  };
  for (std::size_t i = 0; i < first.axis.size(); ++i) {
    add(levels[places[i]], entry(first.count, i), with_doubts && doubts[i].extrapolated);
  }
  if (first.missing) add(levels.back(), first.missing->count, false);
  return Value::object(
      {{"data", inline_data(std::move(counts))},
       {"mark", Value::object({{"type", "text"}, {"align", "left"}, {"dx", 8}, {"style", "guide-label"}})},
       {"encoding", Value::object({{"x", Value::object({{"value", "width"}})},
                                   {"text", field("label", "nominal")},
                                   {"color", Value::object({{"value", muted_ink}})}})}});
}

Value level_chart(const Result& result, const CurveLines& given) {
  // Room for the lines of each level: with eight lines, fewer levels.
  const bool several = given.curve.size() > 1;
  const int step = several ? std::max(40, 17 * static_cast<int>(given.curve.size())) : 30;
  const DrawnLines drawn = drawn_lines(given, std::min(levels_shown, static_cast<std::size_t>(most_height / step)));
  const CurveLines& group = drawn.group;
  const auto labels = line_labels(group);
  const LineHeights heights = line_heights(group);
  const Curve& first = *group.curve[0];
  SharedLevels shared = drawn.shared;
  const bool has_missing = std::any_of(group.curve.begin(), group.curve.end(),
                                       [](const Curve* curve) { return curve->missing.has_value(); });
  if (has_missing) shared.levels.emplace_back("missing");
  const auto levels = unique_labels(shared.levels);

  // Levels run down the page, so that long names stay readable.
  Value::Array points;
  bool any_band = false, any_count = false, any_doubt = false;
  for (std::size_t g = 0; g < group.curve.size(); ++g) {
    const Curve& curve = *group.curve[g];
    const auto doubts = doubts_of(curve);
    const auto add = [&](const std::string& level, CurvePoint point, bool doubt) {
      const auto beside = probability_beside(group, g, point.mean);
      point.mean -= heights.offset[g];
      Value row = point_row("y", level, "x", point, labels[g]);
      if (beside) row.set("probability", *beside);
      row.set("shown", doubt ? faded_level : 1.0);
      points.push_back(std::move(row));
      any_band = any_band || (std::isfinite(point.se) && point.se > 0);
      any_count = any_count || std::isfinite(point.count);
      any_doubt = any_doubt || doubt;
    };
    for (std::size_t i = 0; i < curve.axis.size(); ++i) {
      add(levels[shared.place[g][i]], {curve.mean[i], entry(curve.se_shape, i), entry(curve.count, i)},
          doubts[i].any());
    }
    if (curve.missing) {
      add(levels.back(), {curve.missing->mean, curve.missing->se_shape, curve.missing->count}, false);
    }
  }
  Value layers = Value::array();
  Value error_encoding =
      Value::object({{"x", field("low", "quantitative")}, {"x2", Value::object({{"field", "high"}})}});
  Value point_encoding = Value::object({{"tooltip", curve_tooltip(group, "y", false, "x", any_band, any_count)}});
  if (any_doubt) {
    const Value opacity = Value::object({{"field", "shown"}, {"type", "quantitative"}, {"scale", Value()}});
    point_encoding.set("opacity", opacity);
    error_encoding.set("opacity", opacity);
  }
  const auto error_layer = [&](double width) {
    return Value::object(
        {{"mark", Value::object({{"type", "rule"}, {"strokeWidth", width}})}, {"encoding", error_encoding}});
  };
  if (several) {
    Value offset = field("group", "nominal");
    offset.set("scale", Value::object({{"domain", texts(labels)}})).set("sort", Value());
    error_encoding.set("yOffset", offset);
    point_encoding.set("yOffset", offset);
    if (heights.measure == Measure::effect) layers.push_back(zero_rule(true));
    if (any_band) layers.push_back(error_layer(2));
    layers.push_back(Value::object(
        {{"mark", any_doubt ? Value::object({{"type", "point"}, {"filled", true}, {"size", 70}})
                            : Value::object({{"type", "point"}, {"filled", true}, {"size", 70}, {"opacity", 1}})},
         {"encoding", point_encoding}}));
  } else {
    layers.push_back(Value::object({{"mark", Value::object({{"type", "bar"},
                                                            {"height", Value::object({{"band", 0.62}})},
                                                            {"fillOpacity", 0.5},
                                                            {"cornerRadiusEnd", 2}})},
                                    {"encoding", point_encoding}}));
    if (any_band) layers.push_back(error_layer(2.5));
    if (heights.measure == Measure::effect) layers.push_back(zero_rule(true));
  }
  // Groups of rows have counts each; those of one would pass for those of all.
  if (any_count && (group.lines != LinesBy::group || !several))
    layers.push_back(count_layer(group, drawn.shared, levels));

  Value y = level_encoding(first.axis, levels, false);
  // Room between levels, so that their lines stay together.
  if (several)
    y.set("scale", Value::object({{"domain", texts(levels)}, {"paddingInner", 0.35}, {"paddingOuter", 0.2}}));
  Value color = group_color(labels, legend_title(result, group));
  if (several) {
    // The axis title stands above the levels' labels; the legend keeps clear of it.
    Value legend = *color.find("legend");
    color.set("legend", legend.set("offset", 28));
  }
  const Value encoding =
      Value::object({{"y", y}, {"x", height_encoding(result, group, "x", !several)}, {"color", color}});
  Value chart = Value::object({{"width", chart_width},
                               {"height", step * static_cast<int>(levels.size())},
                               {"data", inline_data(std::move(points))},
                               {"encoding", encoding},
                               {"layer", layers}});
  return with_percents(result, heights.measure, std::move(chart), {"x", "half"});
}

}  // namespace sightglass::vega
