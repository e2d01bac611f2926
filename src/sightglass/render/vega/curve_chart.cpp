// One feature against what is predicted: a line with its band per output, group of rows or method. Features
// with levels are in level_chart.cpp.
#include <algorithm>
#include <cmath>

#include "sightglass/insight/readable.h"
#include "sightglass/insight/shading.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

struct Series {
  Value::Array points, missing;
  bool any_band = false, any_count = false;
};

Series series_of(const CurveLines& group, const NumericX& x) {
  const auto labels = line_labels(group);
  const LineHeights heights = line_heights(group);
  Series series;
  for (std::size_t g = 0; g < group.curve.size(); ++g) {
    const Curve& curve = *group.curve[g];
    for (std::size_t i = 0; i < curve.axis.size(); ++i) {
      if (!std::isfinite(curve.axis.numbers[i])) continue;
      const CurvePoint point{curve.mean[i] - heights.offset[g], entry(curve.se_shape, i), entry(curve.count, i)};
      Value row = point_row("x", placed(curve.axis, curve.axis.numbers[i]), "y", point, labels[g]);
      if (const auto beside = probability_beside(group, g, curve.mean[i])) row.set("probability", *beside);
      series.points.push_back(std::move(row));
      series.any_band = series.any_band || (std::isfinite(point.se) && point.se > 0);
      series.any_count = series.any_count || std::isfinite(point.count);
    }
    if (curve.missing) {
      const CurvePoint point{curve.missing->mean - heights.offset[g], curve.missing->se_shape, curve.missing->count};
      Value row = point_row("x", placed(curve.axis, x.slot()), "y", point, labels[g]);
      if (const auto beside = probability_beside(group, g, curve.missing->mean)) row.set("probability", *beside);
      series.missing.push_back(std::move(row));
    }
  }
  return series;
}

// Where the steps of accumulated effects end; groups of rows have their own.
Value edges_of(const CurveLines& group) {
  if (group.lines == LinesBy::group && group.curve.size() > 1) return {};
  for (const Curve* curve : group.curve) {
    if (Value layer = edge_layer(*curve); !layer.is_null()) return layer;
  }
  return {};
}

}  // namespace

Value curve_chart(const Result& result, const CurveLines& group, int id) {
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
  x.whole = std::any_of(group.curve.begin(), group.curve.end(),
                        [](const Curve* curve) { return counts_whole(curve->distribution); });
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
  add(shade_layer(first.axis, shaded_spans(group)));
  if (heights.measure == Measure::effect) layers.push_back(zero_rule());
  add(edges_of(group));
  if (series.any_band) layers.push_back(band_layer(several));
  layers.push_back(Value::object({{"mark", Value::object({{"type", "line"}, {"strokeWidth", 2.25}})}}));
  layers.push_back(point_layer(most_points, tip, id));
  if (x.has_missing) {
    layers.push_back(missing_layers(inline_data(series.missing), tip));
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
  chart = with_percents(result, heights.measure, std::move(chart), {"y", "half"});
  return stacked({std::move(chart), std::move(panel)});
}

}  // namespace sightglass::vega
