// Panels as small scatter plots: what is claimed is shaded, rows that are claimed are filled.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/groups.h"
#include "sightglass/insight/readable.h"
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

std::string decision_text(const ShownPanels& item, const ShownPanel& panel) {
  const std::string claims = printable(panel.claims, 40);
  const bool covering = item.form == PanelForm::covering;
  if (!panel.decision) return covering ? "a value is missing: not claimed" : "a value is missing";
  const bool above = !panel.marks.above.empty() && panel.marks.above[0] == 1;
  const std::string numbers = " (" + readable(*panel.decision) + ", threshold " + readable(panel.threshold) + ")";
  if (!covering) return (above ? "on the side of " + claims : "not on the side of " + claims) + numbers;
  if (above) return "claims it as " + claims + numbers;
  const bool beyond = *panel.decision > panel.threshold;
  return "does not claim it as " + claims + numbers + (beyond ? ": beyond the rows that it claimed in training" : "");
}

namespace vega {

namespace {

constexpr int panel_height = 210;

// Levels have places as numbers have, so that rows of a level can be kept apart; their names are text beside the axis.
struct Edges {
  const Axis& axis;
  std::vector<std::string> labels;

  explicit Edges(const Axis& of) : axis(of), labels(unique_labels(of.levels)) {}
  // Half way to the neighbours.
  [[nodiscard]] double low(std::size_t i) const {
    if (axis.is_categorical()) return static_cast<double>(i) - 0.5;
    return i == 0 ? axis.numbers[0] : (axis.numbers[i - 1] + axis.numbers[i]) / 2;
  }
  [[nodiscard]] double high(std::size_t i) const {
    if (axis.is_categorical()) return static_cast<double>(i) + 0.5;
    return i + 1 == axis.size() ? axis.numbers[i] : (axis.numbers[i] + axis.numbers[i + 1]) / 2;
  }
  [[nodiscard]] Value encoding(bool across) const {
    Value encoding = field(across ? "x" : "y", "quantitative");
    const Value ends = Value::array().push_back(plotted(low(0))).push_back(plotted(high(axis.size() - 1)));
    encoding.set("scale", Value::object({{"domain", ends}, {"nice", false}, {"zero", false}}));
    const bool named = !axis.feature.empty();
    Value guide = Value::object({{"title", named ? Value(ordinary_name(axis_title(axis, 40))) : Value()},
                                 {"grid", false},
                                 {"tickCount", 4},
                                 {"labelOverlap", "greedy"},
                                 {"titleLimit", panel_height}});
    if (axis.is_categorical()) {
      guide.set("labels", false).set("ticks", false).set("titlePadding", across ? 24 : 12 + longest_label());
    }
    return encoding.set("axis", guide);
  }
  // The names of levels; null of numbers.
  [[nodiscard]] Value names(bool across) const {
    if (!axis.is_categorical()) return {};
    Value::Array rows;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      rows.push_back(Value::object({{across ? "x" : "y", static_cast<std::int64_t>(i)}, {"label", labels[i]}}));
    }
    Value mark = Value::object({{"type", "text"}, {"limit", most_label}, {"fontSize", 10}, {"tooltip", Value()}});
    if (across) {
      mark.set("baseline", "top").set("dy", 6);
    } else {
      mark.set("align", "right").set("dx", -6);
    }
    Value encoding =
        Value::object({{"text", field("label", "nominal")}, {"color", Value::object({{"value", muted_ink}})}});
    encoding.set(across ? "y" : "x", Value::object({{"value", across ? panel_height : 0}}));
    return Value::object({{"data", inline_data(std::move(rows))}, {"mark", mark}, {"encoding", encoding}});
  }
  // Where a row is drawn: rows of a level beside each other.
  [[nodiscard]] Value at(double position, double apart) const {
    return plotted(axis.is_categorical() ? position + 0.36 * apart : position);
  }

 private:
  static constexpr int most_label = 84;
  [[nodiscard]] int longest_label() const {
    std::size_t longest = 0;
    for (const std::string& label : labels) longest = std::max(longest, label.size());
    return std::min(most_label, static_cast<int>(6 * longest));
  }
};

// Of one feature: a strip for each class.
Axis class_strips(const std::vector<std::string>& classes) {
  Axis axis;
  axis.levels = classes;
  axis.categorical = true;
  return axis;
}

// Runs of claimed grid points along the second feature.
Value::Array region_rows(const ShownPanel& panel, const Edges& x, const Edges& y, const std::string& group) {
  Value::Array rows;
  const bool two = panel.axes.size() > 1;
  const std::size_t columns = two ? y.axis.size() : 1;
  for (std::size_t i = 0; i < x.axis.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (!in_region(panel, i, j)) continue;
      std::size_t last = j;
      while (last + 1 < columns && in_region(panel, i, last + 1)) ++last;
      rows.push_back(Value::object({{"group", group},
                                    {"x", plotted(x.low(i))},
                                    {"x2", plotted(x.high(i))},
                                    {"y", plotted(y.low(j))},
                                    {"y2", plotted(y.high(two ? last : y.axis.size() - 1))}}));
      j = last;
    }
  }
  return rows;
}

// A number between -1 and 1 that keeps marks of the same place apart.
double jitter(std::uint64_t row, std::uint64_t axis) {
  const std::uint64_t mixed = (row + 1) * 0x9e3779b97f4a7c15U + axis * 0xbf58476d1ce4e5b9U;
  return static_cast<double>((mixed ^ mixed >> 31) % 1000) / 500.0 - 1;
}

Value title_of(const ShownPanels& item, std::size_t number) {
  const ShownPanel& panel = item.panels[number];
  const bool covering = item.form == PanelForm::covering;
  std::vector<std::string> under;
  const std::string claims = printable(panel.claims, 40);
  if (item.row) {
    under.push_back(decision_text(item, panel));
  } else if (covering) {
    under.push_back("claims " + readable(panel.claimed) + " of " + readable(panel.count) + " rows as " + claims + ", " +
                    readable(panel.wrong) + " wrongly");
  } else {
    under.push_back("shaded " + claims + " → " + side_text(*panel.above));
    under.push_back("else → " + side_text(*panel.below));
  }
  return Value::object({{"text", "Panel " + std::to_string(number + 1)},
                        {"subtitle", texts(under)},
                        {"anchor", "start"},
                        {"frame", "group"},
                        {"fontSize", 12},
                        {"subtitleFontSize", 11},
                        {"subtitleColor", muted_ink},
                        {"limit", 300}});
}

// What colours mean; shades and rows have them alike.
Value class_color(const std::vector<std::string>& classes) {
  Value color = group_color(classes, "");
  return color.set("legend", Value::object({{"title", Value()},
                                            {"orient", "top"},
                                            {"columns", 4},
                                            {"labelLimit", 150},
                                            {"symbolType", "circle"},
                                            {"symbolOpacity", 1}}));
}

Value marks_layer(const ShownPanels& item, const ShownPanel& panel, const std::vector<std::string>& classes,
                  const Edges& x, const Edges& y) {
  const bool two = panel.axes.size() > 1, covering = item.form == PanelForm::covering;
  const char* const sides[] = {covering ? "not claimed" : "other side", covering ? "claimed" : "shaded side"};
  Value::Array marks;
  for (std::size_t k = 0; k < panel.marks.rows.size(); ++k) {
    const double x_apart = jitter(panel.marks.rows[k], 0), y_apart = jitter(panel.marks.rows[k], 1);
    const bool above = panel.marks.above[k] == 1;
    marks.push_back(
        Value::object({{"group", classes[panel.marks.classes[k]]},
                       {"row", Value(panel.marks.rows[k])},
                       {"above", sides[above ? 1 : 0]},
                       {"filled", above ? 0.8 : 0.0},
                       {"x", x.at(panel.marks.x[k], x_apart)},
                       {"y", y.at(two ? panel.marks.y[k] : static_cast<double>(panel.marks.classes[k]), y_apart)}}));
  }
  const Value color = class_color(classes);
  Value filled = field("filled", "quantitative");
  Value fill = color;
  Value own = Value::object({{"stroke", Value(color).set("legend", Value())}, {"fill", fill.set("legend", Value())}});
  own.set("fillOpacity", filled.set("scale", Value()).set("legend", Value()));
  std::vector<TooltipField> tips{{"row", "row"}, {"group", "class", false}, {"above", "which is", false}};
  if (!x.axis.is_categorical()) tips.push_back({"x", "first feature"});
  if (!y.axis.is_categorical()) tips.push_back({"y", "second feature"});
  own.set("tooltip", tooltip(tips));
  const Value mark =
      Value::object({{"type", "point"}, {"size", 20}, {"strokeWidth", 1.1}, {"opacity", 0.85}, {"clip", true}});
  return Value::object({{"data", inline_data(std::move(marks))}, {"mark", mark}, {"encoding", own}});
}

Value panel_chart(const ShownPanels& item, std::size_t number, const std::vector<std::string>& classes, int width) {
  const ShownPanel& panel = item.panels[number];
  const bool two = panel.axes.size() > 1;
  const Axis strips = class_strips(item.classes);
  const Edges x(panel.axes[0]), y(two ? panel.axes[1] : strips);
  const auto claimed = std::find(item.classes.begin(), item.classes.end(), panel.claims);
  const std::string claims =
      claimed == item.classes.end() ? "" : classes[static_cast<std::size_t>(claimed - item.classes.begin())];
  Value layers = Value::array();
  if (Value::Array cells = region_rows(panel, x, y, claims); !cells.empty()) {
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
  return Value::object({{"title", title_of(item, number)},
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
  const std::size_t all = item.panels.size() + (item.trade_off.empty() ? 0 : 1);
  const int width = all == 1 || columns == 1 ? chart_width : chart_width / 2 + 40;
  Value::Array charts;
  for (std::size_t number = 0; number < item.panels.size(); ++number) {
    charts.push_back(panel_chart(item, number, classes, width));
  }
  if (!item.trade_off.empty()) charts.push_back(trade_off_chart(item, width));
  if (charts.size() == 1) return charts[0];
  if (columns == 1) return Value::object({{"vconcat", Value(std::move(charts))}});
  return Value::object({{"columns", columns}, {"spacing", 22}, {"concat", Value(std::move(charts))}});
}

}  // namespace vega

}  // namespace sightglass
