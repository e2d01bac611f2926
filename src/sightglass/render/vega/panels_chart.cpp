// Panels as small scatter plots: what is claimed is shaded, rows that are claimed are filled.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/groups.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/canvas_internal.h"
#include "sightglass/render/vega/panel_picture_internal.h"
#include "sightglass/render/vega/panels_chart_internal.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass {

namespace {

double place(const Axis& axis, std::size_t i) {
  return axis.is_categorical() ? static_cast<double>(i) : axis.numbers[i];
}

bool inside(const ShownPanel& panel, std::size_t axis, double at) {
  if (panel.box.empty()) return true;
  return at >= panel.box[2 * axis] && at <= panel.box[2 * axis + 1];
}

}  // namespace

bool in_region(const ShownPanel& panel, std::size_t i, std::size_t j) {
  if (!(panel.region[i][j] > panel.threshold)) return false;
  if (!inside(panel, 0, place(panel.axes[0], i))) return false;
  return panel.axes.size() < 2 || inside(panel, 1, place(panel.axes[1], j));
}

std::string panel_name(const ShownPanel& panel) {
  std::vector<std::string> names;
  for (const Axis& axis : panel.axes) names.push_back(axis.feature);
  return joined_names(names, 40);
}

std::string side_text(const PanelSide& side) {
  if (side.panel) return "panel " + std::to_string(*side.panel + 1);
  return printable(side.predicted_class, 40) + " (" + percent(side.share) + " of " + readable(side.count) +
         (side.count == 1 ? " row)" : " rows)");
}

std::size_t panel_number(const ShownPanels& item, std::size_t place) {
  const auto& number = item.panels[place].number;
  return static_cast<std::size_t>(number.value_or(place)) + 1;
}

std::string decision_text(const ShownPanels& item, std::size_t place) {
  const ShownPanel& panel = item.panels[place];
  const std::string claims = printable(panel.claims, 40);
  const bool covering = item.form == PanelForm::covering;
  if (!panel.decision) {
    return covering ? "a value is missing: not claimed" : "a value is missing: goes where more of the others went";
  }
  const bool above = !panel.marks.above.empty() && panel.marks.above[0] == 1;
  const std::string numbers = " (" + readable(*panel.decision) + ", threshold " + readable(panel.threshold) + ")";
  if (!covering) return (above ? "on the side of " + claims : "not on the side of " + claims) + numbers;
  if (above) return "claims it as " + claims + numbers;
  const bool beyond = *panel.decision > panel.threshold;
  return "does not claim it as " + claims + numbers + (beyond ? ": beyond the rows that it claimed in training" : "");
}

std::string next_text(const ShownPanels& item, std::size_t place) {
  if (item.form == PanelForm::covering) return "";
  if (place + 1 < item.panels.size()) return "panel " + std::to_string(panel_number(item, place + 1));
  return printable(item.predicted, 40);
}

namespace vega {

namespace {

constexpr int region_slices = 3;
constexpr std::size_t leaves_in_two_columns = 8, leaves_in_one = 4;
constexpr int letters_in_two_columns = 56, letters_in_one = 44;

// Which panel leads to it: "from panel 1, else".
std::string origin_text(const ShownPanels& item, std::size_t number) {
  for (std::size_t i = 0; i < number; ++i) {
    const ShownPanel& parent = item.panels[i];
    const std::string from = "from panel " + std::to_string(i + 1) + ", ";
    if (parent.above && parent.above->panel == number) return from + "shaded";
    if (parent.below && parent.below->panel == number) return from + "else";
  }
  return "";
}

// Words wider than the panel would take room from it: they stand in lines.
Value title_of(const ShownPanels& item, std::size_t number, int letters) {
  const ShownPanel& panel = item.panels[number];
  std::vector<std::string> under;
  const std::string claims = printable(panel.claims, 40);
  std::string origin;
  if (item.row) {
    under.push_back(decision_text(item, number));
    if (const std::string next = next_text(item, number); !next.empty()) under.push_back("→ " + next);
  } else if (item.form == PanelForm::covering) {
    under.push_back("claims " + readable(panel.claimed) + " of " + readable(panel.count) + " rows as " + claims + ", " +
                    readable(panel.wrong) + " wrongly");
  } else {
    origin = origin_text(item, number);
    under.push_back("shaded " + claims + " → " + side_text(*panel.above));
    under.push_back("else → " + side_text(*panel.below));
  }
  if (!panel.runners_up.empty()) under.push_back("nearly as good: " + joined_names(panel.runners_up[0].features, 40));
  std::vector<std::string> lines;
  for (const std::string& text : under) {
    for (const std::string& line : wrap(text, letters)) lines.push_back(line);
  }
  return Value::object(
      {{"text", "Panel " + std::to_string(panel_number(item, number)) + (origin.empty() ? "" : ", " + origin)},
       {"subtitle", texts(lines)},
       {"anchor", "start"},
       {"frame", "group"},
       {"fontSize", 12},
       {"subtitleFontSize", 11},
       {"subtitleColor", muted_ink},
       {"limit", 380}});
}

Value marks_layer(const ShownPanels& item, const ShownPanel& panel, const std::vector<std::string>& classes,
                  const PanelEdges& x, const PanelEdges& y) {
  const bool two = panel.axes.size() > 1, covering = item.form == PanelForm::covering;
  const char* const sides[] = {covering ? "not claimed" : "other side", covering ? "claimed" : "shaded side"};
  Value::Array marks;
  for (std::size_t k = 0; k < panel.marks.rows.size(); ++k) {
    const double x_apart = jitter(panel.marks.rows[k], 0), y_apart = jitter(panel.marks.rows[k], 1);
    const bool above = panel.marks.above[k] == 1;
    marks.push_back(Value::object(
        {{"group", classes[panel.marks.classes[k]]},
         {"row", Value(panel.marks.rows[k])},
         {"above", sides[above ? 1 : 0]},
         {"filled", above ? 0.8 : 0.0},
         {"x", placed(x.axis, x.at(panel.marks.x[k], x_apart))},
         {"y", placed(y.axis, y.at(two ? panel.marks.y[k] : static_cast<double>(panel.marks.classes[k]), y_apart))}}));
  }
  const Value color = class_color(classes);
  Value filled = field("filled", "quantitative");
  Value fill = color;
  Value own = Value::object({{"stroke", Value(color).set("legend", Value())}, {"fill", fill.set("legend", Value())}});
  own.set("fillOpacity", filled.set("scale", Value()).set("legend", Value()));
  std::vector<TooltipField> tips{{"row", "row"}, {"group", "class", false}, {"above", "which is", false}};
  if (!x.axis.is_categorical()) tips.push_back({"x", "first feature"});
  if (!y.axis.is_categorical()) tips.push_back({"y", "second feature"});
  own.set("tooltip", tooltip_along(y.axis, "y", tooltip_along(x.axis, "x", tooltip(tips))));
  Value mark =
      Value::object({{"type", "point"}, {"size", 20}, {"strokeWidth", 1.1}, {"opacity", 0.85}, {"clip", true}});
  if (item.row) mark.set("size", 130).set("strokeWidth", 2.2).set("opacity", 1);
  return with_date_texts(Value::object({{"data", inline_data(std::move(marks))}, {"mark", mark}, {"encoding", own}}));
}

Value panel_chart(const ShownPanels& item, std::size_t number, const std::vector<std::string>& classes, int width,
                  int letters) {
  const ShownPanel& panel = item.panels[number];
  const bool two = panel.axes.size() > 1;
  const Axis strips = class_strips(item.classes);
  const PanelEdges x(panel.axes[0]), y(two ? panel.axes[1] : strips);
  const auto claimed = std::find(item.classes.begin(), item.classes.end(), panel.claims);
  const std::string claims =
      claimed == item.classes.end() ? "" : classes[static_cast<std::size_t>(claimed - item.classes.begin())];
  Value layers = Value::array();
  Value::Array cells;
  for (const RegionRect& rect : region_rects(panel, x, y, region_slices)) {
    cells.push_back(Value::object({{"group", claims},
                                   {"x", placed(x.axis, rect.x)},
                                   {"x2", placed(x.axis, rect.x2)},
                                   {"y", placed(y.axis, rect.y)},
                                   {"y2", placed(y.axis, rect.y2)}}));
  }
  if (!cells.empty()) {
    layers.push_back(Value::object(
        {{"data", inline_data(std::move(cells))},
         {"mark", Value::object({{"type", "rect"}, {"opacity", 0.22}, {"strokeWidth", 0}, {"tooltip", Value()}})},
         {"encoding", Value::object({{"x2", Value::object({{"field", "x2"}})},
                                     {"y2", Value::object({{"field", "y2"}})},
                                     {"color", class_color(classes)}})}}));
  }
  if (!panel.marks.rows.empty()) layers.push_back(marks_layer(item, panel, classes, x, y));
  for (const Value& names : {x.names(true), y.names(false)}) {
    if (!names.is_null()) layers.push_back(names);
  }
  return Value::object({{"title", title_of(item, number, letters)},
                        {"width", width},
                        {"height", panel_height},
                        {"encoding", Value::object({{"x", x.encoding(true)}, {"y", y.encoding(false)}})},
                        {"layer", layers}});
}

Value trade_off_chart(const ShownPanels& item, int width) {
  Value::Array rows;
  for (const SafetyStep& step : item.trade_off) {
    rows.push_back(Value::object({{"x", plotted(step.promised)},
                                  {"y", plotted(step.unclaimed)},
                                  {"size", step.chosen ? 120 : 30},
                                  {"which", step.chosen ? "chosen" : "possible"}}));
  }
  const auto axis = [](const char* title) {
    return Value::object({{"title", title}, {"format", ".0~%"}, {"tickCount", 4}, {"grid", false}});
  };
  Value x = field("x", "quantitative"), y = field("y", "quantitative");
  x.set("axis", Value(axis("promised: critical rows missed at most")).set("format", ".1~%"));
  y.set("axis", axis("other rows left unclaimed"));
  y.set("scale", Value::object({{"zero", true}}));
  Value size = field("size", "quantitative");
  const Value tip = tooltip({{"x", "missed at most"}, {"y", "left unclaimed"}, {"which", "which is", false}});
  return Value::object(
      {{"title", Value::object(
                     {{"text", "Safety against coverage"}, {"anchor", "start"}, {"frame", "group"}, {"fontSize", 12}})},
       {"width", width},
       {"height", panel_height},
       {"data", inline_data(std::move(rows))},
       {"encoding", Value::object({{"x", x}, {"y", y}})},
       {"layer",
        Value::array()
            .push_back(Value::object(
                {{"mark", Value::object(
                              {{"type", "line"}, {"strokeWidth", 1.4}, {"color", muted_ink}, {"tooltip", Value()}})}}))
            .push_back(Value::object(
                {{"mark", Value::object({{"type", "point"}, {"filled", true}, {"opacity", 1}, {"color", muted_ink}})},
                 {"encoding",
                  Value::object({{"size", size.set("scale", Value()).set("legend", Value())}, {"tooltip", tip}})}}))}});
}

}  // namespace

Value panels_chart(const ShownPanels& item, int columns) {
  if (item.panels.empty()) {
    return message_chart(item.form == PanelForm::covering ? "No panel claims rows without claiming critical ones."
                                                          : "No panel separates the classes.");
  }
  const std::vector<std::string> classes = unique_labels(item.classes);
  const bool tree = item.form == PanelForm::hierarchical && !item.row && item.panels.size() > 1;
  const std::size_t all = item.panels.size() + (item.trade_off.empty() ? 0 : 1) + (tree ? 1 : 0);
  const int width = all == 1 || columns == 1 ? chart_width : chart_width / 2 + 40;
  Value::Array charts;
  if (tree) {
    Value whole = panel_tree_chart(item, classes, width, columns == 1 ? leaves_in_one : leaves_in_two_columns);
    if (!whole.is_null()) charts.push_back(std::move(whole));
  }
  for (std::size_t number = 0; number < item.panels.size(); ++number) {
    charts.push_back(panel_chart(item, number, classes, width, columns == 1 ? letters_in_one : letters_in_two_columns));
  }
  if (!item.trade_off.empty()) charts.push_back(trade_off_chart(item, width));
  if (charts.size() == 1) return charts[0];
  if (columns == 1) return Value::object({{"vconcat", Value(std::move(charts))}});
  return Value::object({{"columns", columns}, {"spacing", 22}, {"concat", Value(std::move(charts))}});
}

}  // namespace vega

}  // namespace sightglass
