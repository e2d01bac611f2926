// One row with one value changed at a time: a small panel per feature, all with the same height, the row as it is
// marked in each.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/axis_height.h"
#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr std::size_t panels_side_by_side = 3;
constexpr int what_if_gap = 26;
constexpr int what_if_height = 140;
constexpr const char* own_ink = "#D55E00";
// Of classes other than the row's own; readable on light and dark paper, and by the colour-blind beside the other inks.
constexpr const char* class_inks[] = {"#CC79A7", "#009E73", "#E69F00", "#56B4E9", "#8C6BB1"};
constexpr std::size_t labelled_levels = 4;  // more have no room for the names of classes
constexpr double labelled_share = 0.2;      // of a panel's width

// The classes that are predicted where one value is changed, each with its ink.
class ClassInks {
 public:
  explicit ClassInks(const WhatIf& picture) : own_(picture.predicted_class) {
    for (const auto& line : picture.lines) {
      for (const ClassFlip& flip : line.flips) {
        add(flip.from);
        add(flip.to);
      }
    }
  }
  [[nodiscard]] bool is_own(const std::string& name) const { return name == own_; }
  [[nodiscard]] Value ink(const std::string& name) const {
    const auto at = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    return Value::object({{"value", class_inks[at % std::size(class_inks)]}});
  }

 private:
  void add(const std::string& name) {
    if (!is_own(name) && std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  }
  std::string own_;
  std::vector<std::string> names_;
};

Value class_label(const Value& ink, const Value& position, const Value& row) {
  Value mark = Value::object({{"type", "text"}, {"fontSize", 10}, {"limit", 90}, {"fontWeight", 600}});
  for (const auto& [key, value] : position.as_object()) mark.set(key, value);
  return Value::object({{"data", inline_data({row})},
                        {"mark", mark},
                        {"encoding", Value::object({{"text", field("class", "nominal")}, {"color", ink}})}});
}

// Where another class is predicted: stretches of the axis behind the curve.
void add_stretches(const WhatIf::Line& line, const Domain& grid, const ClassInks& inks, Value& layers) {
  const Axis& axis = line.curves->axis;
  std::vector<ClassFlip> flips;
  for (const ClassFlip& flip : line.flips) {
    if (flip.value) flips.push_back(flip);
  }
  std::sort(flips.begin(), flips.end(), [](const ClassFlip& a, const ClassFlip& b) { return *a.value < *b.value; });
  for (std::size_t i = 0; i <= flips.size() && !flips.empty(); ++i) {
    const std::string& name = i == 0 ? flips[0].from : flips[i - 1].to;
    if (inks.is_own(name)) continue;
    const double low = i == 0 ? grid.low : *flips[i - 1].value;
    const double high = i == flips.size() ? grid.high : *flips[i].value;
    const Value ink = inks.ink(name);
    const auto at = [&](double value) { return axis.dates ? placed(axis, value) : grid.plotted(value); };
    const Value row = Value::object(
        {{"x", at(low)}, {"end", at(high)}, {"middle", at(low / 2 + high / 2)}, {"class", printable(name, 60)}});
    Value tip = tooltip({{"class", "predicted", false}, {"x", "from"}, {"end", "to"}});
    for (const char* name : {"x", "end"}) tip = tooltip_along(axis, name, tip);
    layers.push_back(
        with_date_texts(Value::object({{"data", inline_data({row})},
                                       {"mark", Value::object({{"type", "rect"}, {"opacity", 0.22}})},
                                       {"encoding", Value::object({{"x", field("x", "quantitative")},
                                                                   {"x2", Value::object({{"field", "end"}})},
                                                                   {"y", Value()},
                                                                   {"color", ink},
                                                                   {"tooltip", tip}})}})));
    if (high - low < labelled_share * grid.span()) continue;
    Value label = class_label(ink, Value::object({{"y", 9}, {"baseline", "middle"}}), row);
    Value encoding = *label.find("encoding");
    encoding.set("x", field("middle", "quantitative")).set("y", Value());
    layers.push_back(label.set("encoding", encoding));
  }
}

// Levels at which another class is predicted; `shown`: which the panel has, by their places on the axis.
void add_level_classes(const WhatIf::Line& line, const std::vector<std::size_t>& shown,
                       const std::vector<std::string>& labels, const Domain& heights, const ClassInks& inks,
                       Value& layers) {
  const Axis& axis = line.curves->axis;
  for (const ClassFlip& flip : line.flips) {
    const auto at =
        std::find_if(shown.begin(), shown.end(), [&](std::size_t level) { return axis.levels[level] == flip.level; });
    if (flip.missing || at == shown.end()) continue;
    const auto place = static_cast<std::size_t>(at - shown.begin());
    const Value row = Value::object({{"x", labels[place]},
                                     {"y", heights.plotted(line.curves->values[line.row][*at])},
                                     {"class", printable(flip.to, 60)}});
    const Value x = field("x", "nominal"), y = field("y", "quantitative"), ink = inks.ink(flip.to);
    layers.push_back(Value::object(
        {{"data", inline_data({row})},
         {"mark", Value::object({{"type", "point"}, {"shape", "diamond"}, {"filled", true}, {"size", 110}})},
         {"encoding",
          Value::object(
              {{"x", x},
               {"y", y},
               {"color", ink},
               {"tooltip", tooltip({{"x", "value", false}, {"y", "prediction"}, {"class", "predicted", false}})}})}}));
    if (shown.size() > labelled_levels) continue;
    Value label = class_label(ink, Value::object({{"dy", -11}, {"limit", 60}}), row);
    Value encoding = *label.find("encoding");
    encoding.set("x", x).set("y", y);
    layers.push_back(label.set("encoding", encoding));
  }
}

Value own_layers(const Axis& axis, const Value& at, const std::optional<double>& height, const Domain& heights) {
  const char* type = axis.is_categorical() ? "nominal" : "quantitative";
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
    const Value tip = tooltip({{"x", "its own value", !axis.is_categorical()}, {"y", "prediction"}});
    layers.push_back(with_date_texts(
        Value::object({{"mark", Value::object({{"type", "point"}, {"filled", true}, {"size", 70}, {"opacity", 1}})},
                       {"encoding", Value::object({{"x", x},
                                                   {"y", field("y", "quantitative")},
                                                   {"color", ink},
                                                   {"tooltip", tooltip_along(axis, "x", tip)}})}})));
  }
  return Value::object({{"data", inline_data({row})}, {"layer", layers}});
}

// Where each level that a panel shows stands on the axis.
std::vector<std::size_t> panel_levels(const WhatIf& picture, const WhatIf::Line& line) {
  const Axis& axis = line.curves->axis;
  if (!axis.is_categorical()) return {};
  std::vector<std::size_t> wanted;
  if (line.own_level) wanted.push_back(*line.own_level);
  for (const ClassFlip& flip : line.flips) {
    if (wanted.size() > levels_in_panel / 2) break;
    if (const auto place = level_place(axis, flip.level); !flip.missing && place) wanted.push_back(*place);
  }
  return choose_levels(picture.levels, axis, levels_in_panel, wanted).shown;
}

Value panel(const WhatIf& picture, const WhatIf::Line& line, const Domain& heights, const ClassInks& inks, int width,
            bool first) {
  const Curves& curves = *line.curves;
  const bool levels = curves.axis.is_categorical();
  const auto shown = panel_levels(picture, line);
  Axis axis = curves.axis;
  axis.levels.clear();
  for (const std::size_t level : shown) axis.levels.push_back(curves.axis.levels[level]);
  const auto labels = unique_labels(axis.levels);
  Domain grid;
  grid.add(curves.axis.numbers);
  if (line.own_number) grid.add(*line.own_number);
  const auto at = [&](double value) { return curves.axis.dates ? placed(curves.axis, value) : grid.plotted(value); };
  Value::Array points;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    points.push_back(Value::object({{"x", levels ? Value(labels[i]) : at(axis.numbers[i])},
                                    {"y", heights.plotted(curves.values[line.row][levels ? shown[i] : i])},
                                    {"group", "row"}}));
  }
  Value x;
  if (levels) {
    x = level_encoding(curves.axis, labels, true);
    Value guide = *x.find("axis");
    if (shown.size() < curves.axis.size()) {
      guide.set("title", ordinary_name(axis_title(axis) + ": " + std::to_string(shown.size()) + " of " +
                                       readable(static_cast<double>(curves.axis.size()))));
    }
    x.set("axis", guide.set("labelAngle", -35).set("labelLimit", 70).set("labelOverlap", false));
  } else {
    NumericX numeric;
    numeric.domain = grid;
    numeric.whole = counts_whole(curves.distribution);
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
  guide.set("titleLimit", what_if_height + 30).set("tickCount", 4);
  if (!first) guide.set("labels", false).set("title", Value()).set("ticks", false).set("domain", false);
  y.set("axis", guide);
  Value layers = Value::array();
  const Value tip = tooltip_along(curves.axis, "x", tooltip({{"x", "value", !levels}, {"y", "prediction"}}));
  if (!levels) add_stretches(line, grid, inks, layers);
  // Levels have no way from one to the next.
  if (levels) {
    layers.push_back(Value::object({{"mark", Value::object({{"type", "point"}, {"filled", true}, {"size", 45}})},
                                    {"encoding", Value::object({{"tooltip", tip}})}}));
  } else {
    layers.push_back(with_date_texts(Value::object(
        {{"mark", Value::object({{"type", "line"}, {"strokeWidth", 2}, {"point", Value::object({{"size", 10}})}})},
         {"encoding", Value::object({{"tooltip", tip}})}})));
  }
  if (levels) add_level_classes(line, shown, labels, heights, inks, layers);
  if (line.own_level) {
    const auto place = std::find(shown.begin(), shown.end(), *line.own_level) - shown.begin();
    layers.push_back(own_layers(curves.axis, labels[static_cast<std::size_t>(place)], line.own_height, heights));
  }
  if (line.own_number) layers.push_back(own_layers(curves.axis, at(*line.own_number), line.own_height, heights));
  Value chart = Value::object({{"width", width},
                               {"height", what_if_height},
                               {"data", inline_data(std::move(points))},
                               {"encoding", Value::object({{"x", x}, {"y", y}, {"color", group_color({"row"}, "")}})},
                               {"layer", layers}});
  return with_percents(*picture.result, Measure::mean, std::move(chart), {"y"});
}

}  // namespace

Value panels_chart(const WhatIf& picture) {
  if (picture.lines.empty()) return message_chart("no values to show");
  Domain heights;
  for (const auto& line : picture.lines) {
    heights.add(line.curves->values[line.row]);
    if (line.own_height) heights.add(*line.own_height);
  }
  const ClassInks inks(picture);
  const std::size_t per_row = evenly(picture.lines.size(), panels_side_by_side);
  const int width = std::min(260, (chart_width - what_if_gap * static_cast<int>(per_row - 1)) /
                                      static_cast<int>(std::max<std::size_t>(per_row, 1)));
  Value::Array panels;
  for (const auto& line : picture.lines)
    panels.push_back(panel(picture, line, heights, inks, width, panels.size() % per_row == 0));
  if (panels.size() == 1) return panels[0];
  if (per_row == panels.size()) return Value::object({{"spacing", what_if_gap}, {"hconcat", Value(std::move(panels))}});
  return Value::object({{"spacing", what_if_gap},
                        {"columns", Value(static_cast<std::uint64_t>(per_row))},
                        {"concat", Value(std::move(panels))}});
}

Value what_if_chart(const WhatIf& picture) {
  Value panels = panels_chart(picture);
  const Value slack = slack_chart(picture);
  if (slack.is_null()) return panels;
  // Colours of lines and of bars mean different things.
  return Value::object({{"spacing", what_if_gap},
                        {"vconcat", Value::array().push_back(panels).push_back(slack)},
                        {"resolve", Value::object({{"scale", Value::object({{"color", "independent"}})}})}});
}

}  // namespace sightglass::vega
