#include "sightglass/learn/panels/show_panel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sightglass/learn/panels/panel_search.h"

namespace sightglass {

namespace {

constexpr std::size_t grid_points = 41, grid_points_alone = 201;
constexpr std::size_t most_marks = 300;
constexpr std::uint64_t mark_seed = 0x6d61726b73;  // which rows are drawn is the same whatever the options

// Levels in their order along the axis, or evenly spaced numbers around the rows' own.
Axis axis_of(const Panel::Input& input, const FeatureInfo& info, std::span<const double> positions,
             std::size_t points) {
  if (info.categorical) return level_axis(input, info);
  Axis axis;
  axis.feature = info.name;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double position : positions) {
    if (std::isnan(position)) continue;
    low = std::min(low, position);
    high = std::max(high, position);
  }
  if (!(low < high)) {
    low = input.center - input.scale;
    high = input.center + input.scale;
  }
  const double room = 0.04 * (high - low);
  low -= room;
  high += room;
  for (std::size_t i = 0; i < points; ++i) {
    const double number = low + (high - low) * static_cast<double>(i) / static_cast<double>(points - 1);
    if (axis.numbers.empty() || number > axis.numbers.back()) axis.numbers.push_back(number);
  }
  return axis;
}

double grid_position(const Axis& axis, std::size_t i) {
  return axis.is_categorical() ? static_cast<double>(i) : axis.numbers[i];
}

}  // namespace

Axis level_axis(const Panel::Input& input, const FeatureInfo& info) {
  Axis axis;
  axis.feature = info.name;
  axis.categorical = true;
  std::vector<std::size_t> order;
  for (std::size_t level = 0; level < input.positions.size(); ++level) {
    if (!std::isnan(input.positions[level])) order.push_back(level);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return input.positions[a] < input.positions[b]; });
  for (const std::size_t level : order) axis.levels.push_back(info.levels[level]);
  return axis;
}

std::vector<std::vector<double>> panel_region(const Panel& panel, const std::vector<Axis>& axes) {
  const bool two = axes.size() > 1;
  const std::size_t columns = two ? axes[1].size() : 1;
  std::vector<std::vector<double>> region;
  std::vector<double> x(columns), y(columns), decisions(columns);
  for (std::size_t i = 0; i < axes[0].size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      x[j] = grid_position(axes[0], i);
      if (two) y[j] = grid_position(axes[1], j);
    }
    const std::span<const double> xs[] = {x, y};
    panel_decisions(panel, {xs, panel.inputs.size()}, decisions);
    region.push_back(decisions);
  }
  return region;
}

std::vector<double> panel_box(const Panel& panel) {
  std::vector<double> box;
  for (const Panel::Input& input : panel.inputs) {
    box.push_back(input.low * input.scale + input.center);
    box.push_back(input.high * input.scale + input.center);
  }
  return box;
}

ShownPanel shown_panel(const Panel& panel, const TrainingData& data, std::span<const std::uint32_t> rows,
                       PanelBounds bounds, const Context& context) {
  ShownPanel shown;
  shown.threshold = panel.threshold;
  shown.claims = data.classes[panel.claims];
  const PanelPoints points = panel_points(panel, data, rows, context);
  const bool two = panel.inputs.size() > 1;
  for (std::size_t i = 0; i < panel.inputs.size(); ++i) {
    const Panel::Input& input = panel.inputs[i];
    shown.axes.push_back(
        axis_of(input, data.features[input.feature].info, points.xs[i], two ? grid_points : grid_points_alone));
  }
  if (bounds == PanelBounds::box) shown.box = panel_box(panel);
  shown.region = panel_region(panel, shown.axes);

  const auto above = [&](std::size_t k) {
    if (bounds == PanelBounds::none) return points.decisions[k] > panel.threshold;
    const double at[] = {points.xs[0][k], two ? points.xs[1][k] : 0};
    return panel_claims(panel, {at, points.xs.size()}, points.decisions[k]);
  };
  std::vector<std::uint32_t> drawable;
  for (std::uint32_t k = 0; k < rows.size(); ++k) {
    const double weight = data.weight(rows[k]);
    shown.count += weight;
    if (!std::isnan(points.decisions[k])) drawable.push_back(k);
    if (!above(k)) continue;
    shown.claimed += weight;
    if (static_cast<std::uint32_t>(data.outcome[rows[k]]) != panel.claims) shown.wrong += weight;
  }
  // A class of which there are few rows is drawn as well.
  std::vector<std::uint32_t> classes;
  for (const std::uint32_t k : drawable) classes.push_back(static_cast<std::uint32_t>(data.outcome[rows[k]]));
  for (const std::uint32_t place : stratified_sample(classes, data.classes.size(), most_marks, mark_seed).places) {
    const std::uint32_t k = drawable[place];
    shown.marks.rows.push_back(data.row_id(rows[k]));
    shown.marks.x.push_back(points.xs[0][k]);
    if (two) shown.marks.y.push_back(points.xs[1][k]);
    shown.marks.classes.push_back(static_cast<std::uint64_t>(data.outcome[rows[k]]));
    shown.marks.above.push_back(above(k) ? 1 : 0);
  }
  return shown;
}

}  // namespace sightglass
