// How far each value of a row may move, all else equal, before the predicted class is another: a bar over the range of
// each feature that was tried, coloured where the class holds, the row's own value marked.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr int slack_step = 22;
constexpr int label_letters = 26;
constexpr const char* holds_ink = "#56B4E9";
constexpr const char* flips_ink = "#CC79A7";
constexpr const char* mark_ink = "#D55E00";

// A part of a feature's range in which one class is predicted; from and to are shares of the range.
struct Stretch {
  double from = 0, to = 1;
  std::string range, predicted;
  bool holds = true;
};

std::vector<Stretch> number_stretches(const WhatIf::Line& line, const std::string& own_class, const Domain& range) {
  std::vector<ClassFlip> flips;
  std::copy_if(line.flips.begin(), line.flips.end(), std::back_inserter(flips),
               [](const ClassFlip& flip) { return flip.value.has_value(); });
  std::sort(flips.begin(), flips.end(), [](const ClassFlip& a, const ClassFlip& b) { return *a.value < *b.value; });
  std::vector<Stretch> stretches;
  double begin = range.low;
  for (std::size_t i = 0; i <= flips.size(); ++i) {
    const double end = i < flips.size() ? *flips[i].value : range.high;
    const std::string& name = flips.empty() ? own_class : i == 0 ? flips[0].from : flips[i - 1].to;
    stretches.push_back({.from = (begin - range.low) / range.span(),
                         .to = (end - range.low) / range.span(),
                         .range = axis_number(line.curves->axis, begin) + " to " + axis_number(line.curves->axis, end),
                         .predicted = name,
                         .holds = name == own_class});
    begin = end;
  }
  return stretches;
}

std::vector<Stretch> level_stretches(const WhatIf::Line& line, const std::string& own_class) {
  const std::vector<std::string>& levels = line.curves->axis.levels;
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto flip = std::find_if(line.flips.begin(), line.flips.end(), [&](const ClassFlip& each) {
      return !each.missing && !each.value && each.level == levels[i];
    });
    const auto count = static_cast<double>(levels.size());
    stretches.push_back({.from = static_cast<double>(i) / count,
                         .to = static_cast<double>(i + 1) / count,
                         .range = printable(levels[i], 40),
                         .predicted = flip == line.flips.end() ? own_class : flip->to,
                         .holds = flip == line.flips.end()});
  }
  return stretches;
}

std::optional<double> own_share(const WhatIf::Line& line, const Domain& range) {
  if (line.own_level)
    return (static_cast<double>(*line.own_level) + 0.5) / static_cast<double>(line.curves->axis.levels.size());
  if (!line.own_number) return std::nullopt;
  return (*line.own_number - range.low) / range.span();
}

}  // namespace

Value slack_chart(const WhatIf& picture) {
  const bool flips = std::any_of(picture.lines.begin(), picture.lines.end(),
                                 [](const WhatIf::Line& line) { return !line.flips.empty(); });
  if (!flips || picture.predicted_class.empty()) return {};
  Value::Array bars, marks;
  Value::Array order;
  for (const WhatIf::Line& line : picture.lines) {
    Domain range;
    range.add(line.curves->axis.numbers);
    if (line.own_number) range.add(*line.own_number);
    const bool levels = line.curves->axis.is_categorical();
    if (!levels && !(range.span() > 0)) continue;
    const std::string name = printable(axis_title(line.curves->axis), label_letters);
    const std::string moves = slack_text(line);
    order.emplace_back(name);
    for (const Stretch& each : levels ? level_stretches(line, picture.predicted_class)
                                      : number_stretches(line, picture.predicted_class, range)) {
      bars.push_back(Value::object({{"feature", name},
                                    {"from", plotted(each.from)},
                                    {"to", plotted(each.to)},
                                    {"range", each.range},
                                    {"predicted", printable(each.predicted, 60)},
                                    {"moves", moves},
                                    {"class", each.holds ? "holds" : "is another"}}));
    }
    if (const auto share = own_share(line, range))
      marks.push_back(Value::object({{"feature", name}, {"from", plotted(*share)}, {"moves", moves}}));
  }
  if (bars.empty()) return {};
  Value y = field("feature", "nominal");
  y.set("sort", Value(order))
      .set("title", Value())
      .set("axis", Value::object({{"labelLimit", 150}, {"title", Value()}}));
  Value x = field("from", "quantitative");
  x.set("scale", Value::object({{"domain", Value::array().push_back(0).push_back(1)}}))
      .set("axis", Value::object({{"title", "values that were tried: how far each can move before the class changes"},
                                  {"labels", false},
                                  {"ticks", false},
                                  {"grid", false},
                                  {"titleLimit", chart_width}}));
  const Value inks = Value::object({{"domain", Value::array().push_back("holds").push_back("is another")},
                                    {"range", Value::array().push_back(holds_ink).push_back(flips_ink)}});
  Value color = field("class", "nominal");
  color.set("scale", inks).set("legend", Value::object({{"title", "the class"}, {"orient", "top"}}));
  Value layers = Value::array();
  layers.push_back(Value::object(
      {{"data", inline_data(std::move(bars))},
       {"mark",
        Value::object(
            {{"type", "bar"}, {"height", Value::object({{"band", 0.62}})}, {"stroke", "white"}, {"strokeWidth", 0.5}})},
       {"encoding", Value::object({{"x", x},
                                   {"x2", Value::object({{"field", "to"}})},
                                   {"y", y},
                                   {"color", color},
                                   {"tooltip", tooltip({{"feature", "feature", false},
                                                        {"range", "values", false},
                                                        {"predicted", "predicted", false},
                                                        {"moves", "before the class changes it", false}})}})}}));
  layers.push_back(Value::object(
      {{"data", inline_data(std::move(marks))},
       {"mark", Value::object({{"type", "tick"}, {"thickness", 3}, {"color", mark_ink}, {"opacity", 1}})},
       {"encoding",
        Value::object(
            {{"x", x}, {"y", y}, {"tooltip", tooltip({{"moves", "before the class changes it", false}})}})}}));
  return Value::object(
      {{"width", chart_width - 170}, {"height", Value::object({{"step", slack_step}})}, {"layer", layers}});
}

}  // namespace sightglass::vega
