// Two features against what is predicted, or against their joint effect: a heat map, a line per level, or a
// matrix of numbers.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "sightglass/insight/readable.h"
#include "sightglass/insight/shading.h"
#include "sightglass/insight/shown_levels.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr std::size_t most_level_lines = 8;
constexpr std::size_t roomy_levels = 12;  // more stand closer

struct Cells : DrawnSurface {
  Domain domain;

  Cells(const Surface& surface, const LevelPlanPtr& plan)
      : DrawnSurface(drawn_surface(surface, plan, lies_between_points(surface))) {
    Domain trusted;
    bool any_thin = false;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      for (std::size_t j = 0; j < mean[i].size(); ++j) {
        any_thin = any_thin || thin[i][j];
        if (!thin[i][j] && !empty[i][j]) trusted.add(mean[i][j]);
      }
      domain.add(mean[i]);
    }
    if (surface.measure != Measure::effect) return;
    // A few rows must not decide what all other colours mean.
    if (any_thin && trusted.any && (trusted.low < 0 || trusted.high > 0)) domain = trusted;
    // Zero is in the middle of the colours.
    const double largest = std::max(std::abs(domain.low), std::abs(domain.high));
    domain.low = -largest;
    domain.high = largest > 0 ? largest : 1;
  }
};

Value heat_color(const std::string& title, const Domain& domain, Measure measure) {
  Value color = field("mean", "quantitative");
  const Value ends = Value::array().push_back(plotted(domain.low)).push_back(plotted(domain.high));
  Value scale = Value::object({{"clamp", true}, {"domain", ends}});
  // What is in the middle of the colours of effects depends on the paper: the configuration says it.
  if (measure == Measure::effect) {
    scale.set("range", "diverging").set("interpolate", "rgb");
  } else {
    scale.set("scheme", "viridis");
  }
  color.set("scale", scale);
  color.set("legend", Value::object({{"title", title},
                                     {"orient", "bottom"},
                                     {"direction", "horizontal"},
                                     {"gradientLength", 220},
                                     {"titleLimit", 320},
                                     {"format", ",.4~r"}}));
  return color;
}

// Cells reach half way to their neighbours; the outer ones end at the grid.
std::vector<double> cell_edges(const std::vector<double>& grid) {
  std::vector<double> edges;
  if (grid.empty()) return edges;
  if (grid.size() == 1) return {grid[0] - 0.5, grid[0] + 0.5};
  edges.push_back(grid.front());
  for (std::size_t i = 0; i + 1 < grid.size(); ++i) edges.push_back((grid[i] + grid[i + 1]) / 2);
  edges.push_back(grid.back());
  return edges;
}

// Dark ink on light cells and the other way round: viridis is light in its upper half; which ink effects take, at the
// ends of their colours and in the middle, the configuration says.
Value ink_on(double share, Measure measure) {
  if (measure == Measure::effect)
    return Value::object({{"style", share > 0.15 && share < 0.85 ? "on-middle" : "on-ends"}});
  return Value::object({{"color", share > 0.55 ? "#1a1f27" : "#ffffff"}});
}

struct Side {
  const Axis& axis;
  std::vector<std::string> levels;
  std::vector<double> edges;

  Side(const Axis& of, bool between)
      : axis(of), levels(unique_labels(of.levels)), edges(between ? of.numbers : cell_edges(of.numbers)) {}

  void place(Value& cell, const char* from, const char* to, std::size_t i) const {
    if (axis.is_categorical()) {
      cell.set(from, levels[i]);
    } else {
      cell.set(from, placed(axis, edges[i])).set(to, placed(axis, edges[i + 1]));
      cell.set(std::string("at_") + from, placed(axis, axis.numbers[i]));
    }
  }
  [[nodiscard]] Value encoding(bool vertical) const {
    if (axis.is_categorical()) return level_encoding(axis, levels, vertical);
    Value encoding = field(vertical ? "x" : "y", "quantitative");
    Domain domain;
    domain.add(edges);
    Value ends = Value::array().push_back(placed(axis, domain.low)).push_back(placed(axis, domain.high));
    encoding.set("scale", Value::object({{"domain", ends}, {"nice", false}, {"zero", false}}));
    Value guide = Value::object({{"title", ordinary_name(axis_title(axis))},
                                 {"grid", false},
                                 {"labelOverlap", "greedy"},
                                 {"labelSeparation", 6}});
    add_ticks(guide, axis, axis.numbers);
    encoding.set("axis", guide);
    return encoding;
  }
  [[nodiscard]] TooltipField tip(bool first) const {
    const bool number = !axis.is_categorical();
    const char* name = first ? (number ? "at_x" : "x") : (number ? "at_y" : "y");
    return {name, first ? "first feature" : "second feature", number};
  }
};

constexpr double without_rows = 0.3;  // how much of a cell's colour is seen
constexpr double with_few_rows = 0.5;

// A stroke through each cell without rows, besides its fading: hatching.
Value hatch_layer(const Side& first, const Side& second) {
  return Value::object({{"transform", Value::array().push_back(shown_if("datum.shown == 0.3"))},
                        {"mark", Value::object({{"type", "rule"},
                                                {"strokeWidth", 0.8},
                                                {"opacity", 0.6},
                                                {"color", muted_ink},
                                                {"invalid", Value()},
                                                {"tooltip", Value()}})},
                        {"encoding", Value::object({{"x", first.encoding(true)},
                                                    {"y", second.encoding(false)},
                                                    {"x2", Value::object({{"field", "x2"}})},
                                                    {"y2", Value::object({{"field", "y2"}})}})}});
}

// The cells of one column as one object, which the chart takes apart: what they share is said once.
Value joined(const Value::Array& cells) {
  Value column = Value::object();
  for (const auto& [key, value] : cells[0].as_object()) {
    if (key == "x" || key == "x2" || key == "at_x") {
      column.set(key, value);
      continue;
    }
    Value list = Value::array();
    for (const auto& cell : cells) list.push_back(*cell.find(key));
    column.set(key, std::move(list));
  }
  return column;
}

// colours: what they mean, where several charts share them; else the surface's own heights.
Value cells_chart(const Result& result, const Surface& surface, const LevelPlanPtr& plan,
                  const std::optional<Domain>& colours) {
  const Cells shown(surface, plan);
  const bool between = shown.between, effect = surface.measure == Measure::effect;
  const Side first(shown.first, between), second(shown.second, between);
  const bool matrix = surface.first.is_categorical() && surface.second.is_categorical();
  const bool counted = !shown.rows.empty();
  const Domain domain = colours.value_or(shown.domain);
  std::vector<double> all;
  for (const auto& row : shown.mean) all.insert(all.end(), row.begin(), row.end());
  const ColumnFormat format(all);
  Value::Array cells;
  bool any_empty = false;
  std::vector<std::pair<Value, Value::Array>> labels;  // by their ink
  for (std::size_t i = 0; i < shown.mean.size(); ++i) {
    Value::Array column;
    for (std::size_t j = 0; j < shown.mean[i].size(); ++j) {
      const double mean = shown.mean[i][j];
      if (!std::isfinite(mean)) continue;
      Value cell = Value::object({{"mean", domain.plotted(mean)}});
      first.place(cell, "x", "x2", i);
      second.place(cell, "y", "y2", j);
      if (counted) cell.set("rows", plotted(shown.rows[i][j]));
      // Where there are no rows of the data, the model only guesses, and few rows say little: the cell fades.
      const bool nothing = shown.empty[i][j];
      cell.set("shown", nothing ? without_rows : shown.thin[i][j] ? with_few_rows : 1.0);
      any_empty = any_empty || nothing;
      if (matrix) {
        const double share = (mean - domain.low) / domain.span();
        Value label = Value::object({{"label", format(mean)}});
        first.place(label, "x", "x2", i);
        second.place(label, "y", "y2", j);
        const Value ink = nothing ? Value::object({{"color", muted_ink}}) : ink_on(share, surface.measure);
        auto known = std::find_if(labels.begin(), labels.end(), [&](const auto& list) { return list.first == ink; });
        if (known == labels.end()) known = labels.insert(known, {ink, {}});
        known->second.push_back(std::move(label));
      }
      column.push_back(std::move(cell));
    }
    if (!column.empty()) cells.push_back(joined(column));
  }
  Value x = first.encoding(true), y = second.encoding(false);
  Value rect = Value::object({{"x", x}, {"y", y}});
  if (!surface.first.is_categorical()) rect.set("x2", Value::object({{"field", "x2"}}));
  if (!surface.second.is_categorical()) rect.set("y2", Value::object({{"field", "y2"}}));
  std::vector<TooltipField> fields{
      first.tip(true), second.tip(false), {"mean", effect ? "joint effect" : "mean prediction"}};
  if (between)
    fields = {{"x", "first from"}, {"x2", "to"}, {"y", "second from"}, {"y2", "to "}, {"mean", "joint effect"}};
  if (counted) fields.push_back({"rows", between ? "rows inside" : "rows nearby"});
  const std::string title = prediction_title(result, quantity_of(surface.measure), surface.output);
  rect.set("color", heat_color((effect ? "joint " : "") + title, domain, surface.measure));
  rect.set("opacity", Value::object({{"field", "shown"}, {"type", "quantitative"}, {"scale", Value()}}));
  Value tip = tooltip(fields);
  for (const char* name : {"x", "x2", "at_x"}) tip = tooltip_along(surface.first, name, tip);
  for (const char* name : {"y", "y2", "at_y"}) tip = tooltip_along(surface.second, name, tip);
  rect.set("tooltip", tip);
  Value layers = Value::array();
  // invalid: null, because all cells are finite and Vega-Lite 5 trips over its own filter with two layers.
  layers.push_back(with_date_texts(
      Value::object({{"mark", Value::object({{"type", "rect"}, {"invalid", Value()}})}, {"encoding", rect}})));
  const bool numeric = !surface.first.is_categorical() && !surface.second.is_categorical();
  if (numeric && any_empty) layers.push_back(hatch_layer(first, second));
  for (auto& [ink, rows] : labels) {
    if (shown.first.size() > 12) break;
    Value mark = Value::object({{"type", "text"}, {"fontSize", 12}, {"invalid", Value()}});
    for (const auto& [key, value] : ink.as_object()) mark.set(key, value);
    layers.push_back(
        Value::object({{"data", inline_data(std::move(rows))},
                       {"mark", mark},
                       {"encoding", Value::object({{"x", x}, {"y", y}, {"text", field("label", "nominal")}})}}));
  }
  const int step = second.axis.size() > roomy_levels ? 24 : 38;
  const Value height = second.axis.is_categorical() ? Value(step * static_cast<int>(second.axis.size())) : Value(340);
  Value lists = Value::array();
  if (!cells.empty()) {
    for (const auto& [key, value] : cells[0].as_object()) {
      if (value.is_array()) lists.push_back(key);
    }
  }
  Value chart = Value::object(
      {{"width", chart_width}, {"height", height}, {"data", inline_data(std::move(cells))}, {"layer", layers}});
  if (!lists.as_array().empty()) chart.set("transform", Value::array().push_back(Value::object({{"flatten", lists}})));
  return with_percents(result, surface.measure, std::move(chart), {"mean"});
}

// Methods order levels each in their own way; by name they have the same colours in all charts of a pair.
std::vector<std::size_t> by_name(const std::vector<std::string>& levels) {
  std::vector<std::size_t> order(levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto is_digits = [](const std::string& level) {
    return !level.empty() && level.find_first_not_of("0123456789") == std::string::npos;
  };
  // 2 before 10.
  const bool numbers = std::all_of(levels.begin(), levels.end(), is_digits);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (numbers && levels[a].size() != levels[b].size()) return levels[a].size() < levels[b].size();
    return levels[a] < levels[b];
  });
  return order;
}

// Values of the numeric side at which no level has rows enough: of effects, which count them in cells.
std::vector<std::size_t> thin_places(const Surface& surface, bool swapped) {
  std::vector<std::size_t> places;
  if (surface.measure != Measure::effect || surface.count.empty()) return places;
  const ThinCells thin(surface);
  const std::size_t size = (swapped ? surface.second : surface.first).size();
  const std::size_t levels = (swapped ? surface.first : surface.second).size();
  for (std::size_t i = 0; i < size; ++i) {
    bool all = true;
    for (std::size_t k = 0; k < levels; ++k) {
      const auto [a, b] = swapped ? std::pair(k, i) : std::pair(i, k);
      all = all && (thin.at(a, b) || no_rows_at(surface, a, b));
    }
    if (all) places.push_back(i);
  }
  return places;
}

// A curve per level of the categorical side.
Value lines_chart(const Result& result, const Surface& surface, int id) {
  const bool swapped = surface.first.is_categorical();
  const Axis& numeric = swapped ? surface.second : surface.first;
  const Axis& levels = swapped ? surface.first : surface.second;
  std::vector<Curve> curves(levels.size());
  CurveLines group;
  for (const std::size_t k : by_name(levels.levels)) {
    curves[k].axis = numeric;
    curves[k].output = levels.levels[k];
    curves[k].measure = surface.measure;
    for (std::size_t i = 0; i < numeric.size(); ++i) {
      const auto& [a, b] = swapped ? std::pair(k, i) : std::pair(i, k);
      curves[k].mean.push_back(surface.mean[a][b]);
      if (!surface.count.empty() && surface.measure != Measure::effect) curves[k].count.push_back(surface.count[a][b]);
    }
    group.curve.push_back(&curves[k]);
  }
  const auto thin = thin_places(surface, swapped);
  for (Curve& curve : curves) curve.sparse = thin;
  // The legend names the second feature, the axis what is predicted.
  Result shown;
  shown.model = result.model;
  shown.options = result.options;
  shown.data = Value::object({{"target", axis_title(levels)}});
  Value chart = curve_chart(shown, group, id);
  Value encoding = *chart.find("encoding");
  Value y = *encoding.find("y");
  const std::string title = prediction_title(result, quantity_of(surface.measure), surface.output);
  y.set("title", surface.measure == Measure::effect ? "joint " + title : title);
  chart.set("encoding", encoding.set("y", y));
  return chart;
}

// Between two numbers that count (0 and 1) there is nothing, and the mean of an effect at both ends of a cell is 0:
// they are levels.
Surface two_values_as_levels(Surface surface) {
  if (surface.first.is_categorical() || surface.second.is_categorical()) return surface;
  for (Axis* axis : {&surface.first, &surface.second}) {
    if (axis->numbers.size() != 2) continue;
    const double low = axis->numbers[0];
    if (low != std::floor(low) || axis->numbers[1] != low + 1) continue;
    for (const double number : axis->numbers) axis->levels.push_back(axis_number(*axis, number));
    axis->ordered = true;
    axis->numbers.clear();
  }
  return surface;
}

}  // namespace

Value surface_chart(const Result& result, const Surface& given, int id, const LevelPlanPtr& plan,
                    const std::optional<Domain>& colours) {
  const Surface surface = two_values_as_levels(given);
  const bool mixed = surface.first.is_categorical() != surface.second.is_categorical();
  const std::size_t levels = std::max(surface.first.levels.size(), surface.second.levels.size());
  return mixed && levels <= most_level_lines ? lines_chart(result, surface, id)
                                             : cells_chart(result, surface, plan, colours);
}

Domain surface_colours(const Surface& surface, const LevelPlanPtr& plan) {
  return Cells(two_values_as_levels(surface), plan).domain;
}

}  // namespace sightglass::vega
