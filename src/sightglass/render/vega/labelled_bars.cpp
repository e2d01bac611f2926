#include <algorithm>
#include <cmath>

#include "sightglass/render/text/canvas_internal.h"
#include "sightglass/render/vega/labelled_bars_internal.h"

namespace sightglass::vega {

namespace {

constexpr double line_height = 14, bar_height = 11, gap = 13;
constexpr std::size_t most_label_lines = 3;

std::vector<std::string> lines_of(const std::string& label, std::size_t letters) {
  std::vector<std::string> lines = wrap(label, static_cast<int>(letters));
  // A word that is longer than a line stays whole there.
  for (auto& line : lines) line = fit(line, static_cast<int>(letters), true);
  if (lines.size() > most_label_lines) {
    lines.resize(most_label_lines);
    lines.back() = fit(lines.back() + " …", static_cast<int>(letters), true);
  }
  return lines;
}

Value down(const char* name, double end) {
  Value encoding = field(name, "quantitative");
  encoding.set("scale", Value::object({{"domain", Value::array().push_back(0).push_back(plotted(end))},
                                       {"nice", false},
                                       {"zero", false},
                                       {"reverse", true}}));
  return encoding.set("axis", Value());
}

}  // namespace

Value labelled_bars(const LabelledBars& chart, std::size_t letters) {
  Value::Array rows;
  Domain domain = chart.domain;
  if (!chart.fixed) domain.add(chart.base);
  double top = 0;
  bool any_interval = false;
  for (const LabelledBar& bar : chart.bars) {
    const auto lines = lines_of(bar.label, letters);
    std::string text;
    for (const auto& line : lines) text += (text.empty() ? "" : "\n") + line;
    const double bar_top = top + line_height * static_cast<double>(lines.size()) + 2;
    Value row = bar.told;
    row.set("text", text).set("group", bar.group).set("at", plotted(top));
    row.set("top", plotted(bar_top)).set("bottom", plotted(bar_top + bar_height));
    row.set("above", plotted(bar_top - 2)).set("below", plotted(bar_top + bar_height + 3));
    row.set("middle", plotted(bar_top + bar_height / 2)).set("x", plotted(bar.value));
    if (!chart.fixed) domain.add(bar.value);
    if (bar.low && bar.high && std::isfinite(*bar.low) && std::isfinite(*bar.high)) {
      any_interval = true;
      row.set("low", plotted(*bar.low)).set("high", plotted(*bar.high));
      if (!chart.fixed) domain.add(*bar.low);
      if (!chart.fixed) domain.add(*bar.high);
    }
    rows.push_back(std::move(row));
    top = bar_top + bar_height + gap;
  }
  if (chart.left_out > 0) {
    rows.push_back(Value::object({{"text", "… " + std::to_string(chart.left_out) + " more in the table"},
                                  {"at", plotted(top)},
                                  {"group", chart.groups[0]}}));
    top += line_height + gap;
  }
  const double end = std::max(top - gap + 6, 30.0);

  Value x = quantity_encoding("x", chart.title, false, domain.any);
  x.set("scale",
        Value::object(
            {{"domain", Value::array().push_back(plotted(domain.low)).push_back(plotted(domain.low + domain.span()))},
             {"nice", !chart.fixed},
             {"zero", false}}));
  x.set("axis", Value::object({{"format", ",.4~r"}, {"tickCount", 5}, {"titleLimit", 480}, {"grid", false}}));
  Value color = field("group", "nominal");
  Value scale = Value::object({{"domain", texts(chart.groups)}});
  if (!chart.colors.empty()) scale.set("range", texts(chart.colors));
  color.set("scale", scale).set("sort", Value());
  color.set("legend", Value());
  const Value tip = tooltip(chart.tooltip);

  Value layers = Value::array();
  layers.push_back(Value::object(
      {{"mark", Value::object({{"type", "rect"}, {"fillOpacity", 0.78}, {"cornerRadius", 2}, {"clip", true}})},
       {"encoding", Value::object({{"x", x},
                                   {"x2", Value::object({{"datum", chart.base}})},
                                   {"y", down("top", end)},
                                   {"y2", Value::object({{"field", "bottom"}})},
                                   {"color", color},
                                   {"tooltip", tip}})}}));
  if (any_interval) {
    layers.push_back(Value::object({{"mark", Value::object({{"type", "rule"}, {"strokeWidth", 2}, {"clip", true}})},
                                    {"encoding", Value::object({{"x", field("low", "quantitative")},
                                                                {"x2", Value::object({{"field", "high"}})},
                                                                {"y", down("middle", end)},
                                                                {"color", Value::object({{"value", muted_ink}})},
                                                                {"tooltip", tip}})}}));
  }
  // Beside bars only: texts stand between.
  const auto line_at = [&](double at, bool dashed) {
    Value mark =
        Value::object({{"type", "rule"}, {"strokeWidth", dashed ? 1.5 : 1}, {"clip", true}, {"tooltip", Value()}});
    if (dashed) mark.set("strokeDash", Value::array().push_back(3).push_back(2));
    layers.push_back(Value::object({{"mark", mark},
                                    {"encoding", Value::object({{"x", Value::object({{"datum", plotted(at)}})},
                                                                {"y", down("above", end)},
                                                                {"y2", Value::object({{"field", "below"}})},
                                                                {"color", Value::object({{"value", muted_ink}})}})}}));
  };
  line_at(chart.base, false);
  if (chart.line && std::isfinite(*chart.line)) line_at(*chart.line, true);
  layers.push_back(
      Value::object({{"mark", Value::object({{"type", "text"},
                                             {"style", "on-middle"},
                                             {"align", "left"},
                                             {"baseline", "top"},
                                             {"lineBreak", "\n"},
                                             {"lineHeight", line_height},
                                             {"fontSize", 11.5},
                                             {"limit", Value::object({{"expr", "item.mark.group.width"}})}})},
                     {"encoding", Value::object({{"x", Value::object({{"value", 0}})},
                                                 {"y", down("at", end)},
                                                 {"text", field("text", "nominal")},
                                                 {"tooltip", tip}})}}));
  return Value::object(
      {{"width", chart_width}, {"height", plotted(end)}, {"data", inline_data(std::move(rows))}, {"layer", layers}});
}

}  // namespace sightglass::vega
