// Two features against the mean prediction: a heat map, a line per level, or a matrix of numbers.
#include <algorithm>
#include <cmath>
#include <map>

#include "sightglass/render/readable.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr std::size_t most_lines = 8;

bool is_empty(const Surface& surface, std::size_t i, std::size_t j) {
  return !surface.count.empty() && !(surface.count[i][j] > 0);
}

Domain mean_domain(const Surface& surface) {
  Domain domain;
  for (const auto& row : surface.mean) domain.add(row);
  return domain;
}

Value heat_color(const std::string& title, const Domain& domain) {
  Value color = field("mean", "quantitative");
  color.set("scale",
            Value::object({{"scheme", "viridis"},
                           {"domain", Value::array().push_back(plotted(domain.low)).push_back(plotted(domain.high))}}));
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

constexpr const char* muted_ink = "#737d8c";
// Dark ink on light cells and the other way round; viridis is light in its upper half.
const char* ink_on(double share) { return share > 0.55 ? "#1a1f27" : "#ffffff"; }

struct Side {
  const Axis& axis;
  std::vector<std::string> levels;
  std::vector<double> edges;

  explicit Side(const Axis& of) : axis(of), levels(unique_labels(of.levels)), edges(cell_edges(of.numbers)) {}

  void place(Value& cell, const char* from, const char* to, std::size_t i) const {
    if (axis.is_categorical()) {
      cell.set(from, levels[i]);
    } else {
      cell.set(from, plotted(edges[i])).set(to, plotted(edges[i + 1]));
      cell.set(std::string("at_") + from, plotted(axis.numbers[i]));
    }
  }
  [[nodiscard]] Value encoding(bool vertical) const {
    if (axis.is_categorical()) return level_encoding(axis, levels, vertical);
    Value encoding = field(vertical ? "x" : "y", "quantitative");
    encoding.set("scale", Value::object({{"nice", false}, {"zero", false}}));
    encoding.set("axis", Value::object({{"title", axis_title(axis)}, {"grid", false}}));
    return encoding;
  }
  [[nodiscard]] TooltipField tip(bool first) const {
    const bool number = !axis.is_categorical();
    const char* name = first ? (number ? "at_x" : "x") : (number ? "at_y" : "y");
    return {name, first ? "first feature" : "second feature", number};
  }
};

Value cells_chart(const Result& result, const Surface& surface) {
  const Side first(surface.first), second(surface.second);
  const bool matrix = surface.first.is_categorical() && surface.second.is_categorical();
  const Domain domain = mean_domain(surface);
  std::vector<double> all;
  for (const auto& row : surface.mean) all.insert(all.end(), row.begin(), row.end());
  const ColumnFormat format(all);
  Value::Array cells;
  std::map<std::string, Value::Array> labels;  // by their colour
  for (std::size_t i = 0; i < surface.first.size(); ++i) {
    for (std::size_t j = 0; j < surface.second.size(); ++j) {
      if (!std::isfinite(surface.mean[i][j])) continue;
      Value cell = Value::object({{"mean", plotted(surface.mean[i][j])}});
      first.place(cell, "x", "x2", i);
      second.place(cell, "y", "y2", j);
      if (!surface.count.empty()) cell.set("rows", plotted(surface.count[i][j]));
      // Where there are no rows of the data, the model only guesses: the cell fades.
      cell.set("shown", is_empty(surface, i, j) ? 0.3 : 1.0);
      if (matrix) {
        const double share = (surface.mean[i][j] - domain.low) / domain.span();
        Value label = Value::object({{"label", format(surface.mean[i][j])}});
        first.place(label, "x", "x2", i);
        second.place(label, "y", "y2", j);
        labels[is_empty(surface, i, j) ? muted_ink : ink_on(share)].push_back(std::move(label));
      }
      cells.push_back(std::move(cell));
    }
  }
  Value x = first.encoding(true), y = second.encoding(false);
  Value rect = Value::object({{"x", x}, {"y", y}});
  if (!surface.first.is_categorical()) rect.set("x2", Value::object({{"field", "x2"}}));
  if (!surface.second.is_categorical()) rect.set("y2", Value::object({{"field", "y2"}}));
  std::vector<TooltipField> fields{first.tip(true), second.tip(false), {"mean", "mean prediction"}};
  if (!surface.count.empty()) fields.push_back({"rows", "rows nearby"});
  rect.set("color", heat_color(prediction_title(result, Quantity::mean, surface.output), domain));
  rect.set("opacity", Value::object({{"field", "shown"}, {"type", "quantitative"}, {"scale", Value()}}));
  rect.set("tooltip", tooltip(fields));
  Value layers = Value::array();
  // invalid: null, because all cells are finite and Vega-Lite 5 trips over its own filter with two layers.
  layers.push_back(
      Value::object({{"mark", Value::object({{"type", "rect"}, {"invalid", Value()}})}, {"encoding", rect}}));
  for (auto& [ink, rows] : labels) {
    if (surface.first.size() > 12) break;
    layers.push_back(Value::object(
        {{"data", inline_data(std::move(rows))},
         {"mark", Value::object({{"type", "text"}, {"fontSize", 12}, {"color", ink}, {"invalid", Value()}})},
         {"encoding", Value::object({{"x", x}, {"y", y}, {"text", field("label", "nominal")}})}}));
  }
  const Value height = second.axis.is_categorical() ? Value(38 * static_cast<int>(second.axis.size())) : Value(340);
  return Value::object(
      {{"width", chart_width}, {"height", height}, {"data", inline_data(std::move(cells))}, {"layer", layers}});
}

// A curve per level of the categorical side.
Value lines_chart(const Result& result, const Surface& surface, int id) {
  const bool swapped = surface.first.is_categorical();
  const Axis& numeric = swapped ? surface.second : surface.first;
  const Axis& levels = swapped ? surface.first : surface.second;
  std::vector<Curve> curves(levels.size());
  ItemGroup group;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    curves[k].axis = numeric;
    curves[k].output = levels.levels[k];
    for (std::size_t i = 0; i < numeric.size(); ++i) {
      const auto& [a, b] = swapped ? std::pair(k, i) : std::pair(i, k);
      curves[k].mean.push_back(surface.mean[a][b]);
      if (!surface.count.empty()) curves[k].count.push_back(surface.count[a][b]);
    }
    group.curve.push_back(&curves[k]);
  }
  // The legend names the second feature, the axis what is predicted.
  Result shown;
  shown.model = result.model;
  shown.options = result.options;
  shown.data = Value::object({{"target", axis_title(levels)}});
  Value chart = curve_chart(shown, group, id);
  Value encoding = *chart.find("encoding");
  Value y = *encoding.find("y");
  y.set("title", prediction_title(result, Quantity::mean, surface.output));
  chart.set("encoding", encoding.set("y", y));
  return chart;
}

}  // namespace

Value surface_chart(const Result& result, const Surface& surface, int id) {
  const bool mixed = surface.first.is_categorical() != surface.second.is_categorical();
  const std::size_t levels = std::max(surface.first.levels.size(), surface.second.levels.size());
  return mixed && levels <= most_lines ? lines_chart(result, surface, id) : cells_chart(result, surface);
}

}  // namespace sightglass::vega
