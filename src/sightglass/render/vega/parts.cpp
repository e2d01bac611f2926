#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "sightglass/insight/compared_models.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr int part_height = 46;
constexpr std::size_t most_slanted = 12;  // labels side by side; more stand upright
constexpr std::size_t most_values_as_ticks = 7;

}  // namespace

Value plotted(double value, int digits) {
  if (!std::isfinite(value)) return {};
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits).ptr;
  double rounded = 0;
  std::from_chars(buffer, end, rounded);
  return rounded;
}

Value placed(const Axis& axis, double value) {
  if (!axis.dates || !std::isfinite(value)) return plotted(value);
  // A second is a hundred thousandth of a day.
  const double scale = axis.dates.unit == DateUnit::days ? 1e8 : 1e3;
  const double rounded = std::round(value * scale) / scale;
  return std::abs(value) < 1e12 ? Value(rounded) : plotted(value);
}

Value placed(const Axis& axis, const std::vector<double>& values) {
  Value list = Value::array();
  for (const double value : values) list.push_back(placed(axis, value));
  return list;
}

Value Domain::plotted(double value, int digits) const {
  if (std::isfinite(value) && value != 0) {
    digits +=
        std::clamp(static_cast<int>(std::floor(std::log10(std::abs(value))) - std::floor(std::log10(span()))), 0, 10);
  }
  return vega::plotted(value, digits);
}

Value Domain::plotted(const std::vector<double>& values, int digits) const {
  Value list = Value::array();
  for (const double value : values) list.push_back(plotted(value, digits));
  return list;
}

void Domain::add(double value) {
  if (!std::isfinite(value)) return;
  low = any ? std::min(low, value) : value;
  high = any ? std::max(high, value) : value;
  any = true;
}

void Domain::add(const std::vector<double>& values) {
  for (const double value : values) add(value);
}

Value ticks(const Domain& domain, int count, double least_step) {
  const double raw = std::max(domain.span() / count, least_step);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) {
      step = factor * power;
      break;
    }
  }
  Value values = Value::array();
  const double first = std::ceil(domain.low / step);
  for (int i = 0; i <= 2 * count && (first + i) * step <= domain.high * (1 + 1e-12); ++i) {
    values.push_back(plotted((first + i) * step));
  }
  return values;
}

Value field(const char* name, const char* type) { return Value::object({{"field", name}, {"type", type}}); }

Value inline_data(Value::Array rows) { return Value::object({{"values", Value(std::move(rows))}}); }

Value texts(const std::vector<std::string>& values) { return Value(values); }

PackedRows packed(const Value::Array& rows) {
  std::vector<std::string> fields;
  for (const auto& row : rows) {
    for (const auto& [key, value] : row.as_object()) {
      if (std::find(fields.begin(), fields.end(), key) == fields.end()) fields.push_back(key);
    }
  }
  Value lists = Value::object();
  for (const auto& name : fields) {
    Value list = Value::array();
    for (const auto& row : rows) {
      const Value* value = row.find(name);
      list.push_back(value != nullptr ? *value : Value());
    }
    lists.set(name, std::move(list));
  }
  return {inline_data({std::move(lists)}), Value::array().push_back(Value::object({{"flatten", texts(fields)}}))};
}

namespace {

// How many thousandths of a second one of the axis' numbers is.
const char* milliseconds(const Axis& axis) { return axis.dates.unit == DateUnit::days ? "86400000" : "1000"; }

const char* date_format(DateDetail detail) {
  switch (detail) {
    case DateDetail::day: return "%Y-%m-%d";
    case DateDetail::second: return "%Y-%m-%d %H:%M:%S";
    case DateDetail::fraction: return "%Y-%m-%d %H:%M:%S.%L";
    default: return "%Y-%m-%d %H:%M";
  }
}

// What tells all values apart.
DateDetail detail_of_values(const Axis& axis) {
  DateKind kind = axis.dates;
  const auto alike = [&] {
    for (std::size_t i = 1; i < axis.numbers.size(); ++i) {
      if (axis.numbers[i] != axis.numbers[i - 1] &&
          date_text(kind, axis.numbers[i]) == date_text(kind, axis.numbers[i - 1]))
        return true;
    }
    return false;
  };
  while (kind.detail != DateDetail::fraction && kind.detail != DateDetail::unknown && alike())
    kind.detail = static_cast<DateDetail>(static_cast<int>(kind.detail) + 1);
  return kind.detail;
}

}  // namespace

void add_date_ticks(Value& guide, const Axis& axis, const Domain& domain, int count) {
  const DateTicks ticks = date_ticks(axis.dates.unit, domain.low, domain.high, count);
  // What no calendar has stays a number.
  if (ticks.values.empty()) return;
  guide.set("values", placed(axis, ticks.values));
  guide.set("labelExpr",
            std::string("utcFormat(datum.value * ") + milliseconds(axis) + ", '" + std::string(ticks.format) + "')");
}

void add_ticks(Value& guide, const Axis& axis, const std::vector<double>& values) {
  if (axis.dates) {
    Domain domain;
    domain.add(values);
    return add_date_ticks(guide, axis, domain, 6);
  }
  std::set<double> distinct;
  bool whole = true, round = true;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    if (distinct.size() <= most_values_as_ticks) distinct.insert(value);
    whole = whole && value == std::floor(value);
    round = round && plotted(value, 3).as_number() == value;
  }
  if (distinct.empty()) return;
  if (whole) guide.set("tickMinStep", 1);
  if ((whole || round) && distinct.size() <= most_values_as_ticks) {
    Value list = Value::array();
    for (const double value : distinct) list.push_back(plotted(value, 15));
    guide.set("values", list).set("format", whole ? ",d" : ",.3~r");
  }
  if (are_years(values)) guide.set("format", "d");
}

namespace {

// Grids may have points between the numbers that there are (evenly spaced ones, middles of steps).
void set_whole_ticks(Value& guide, const Domain& domain) {
  guide.set("tickMinStep", 1);
  const Value* values = guide.find("values");
  if (values == nullptr) return;
  const auto& list = values->as_array();
  if (std::all_of(list.begin(), list.end(), [](const Value& v) { return v.as_number() == std::floor(v.as_number()); }))
    return;
  guide.set("values", ticks(domain, static_cast<int>(most_values_as_ticks), 1)).set("format", ",d");
}

}  // namespace

Value NumericX::encoding(const Axis& axis, bool labelled) const {
  const double margin = 0.015 * domain.span();
  Value x = field("x", "quantitative");
  const double right = has_missing ? slot() + 0.045 * domain.span() : domain.high + margin;
  x.set("scale", Value::object({{"domain", Value::array().push_back(domain.low - margin).push_back(right)},
                                {"nice", false},
                                {"zero", false}}));
  Value guide = Value::object({{"grid", false}, {"labelOverlap", "greedy"}, {"labelSeparation", 6}});
  add_ticks(guide, axis, axis.numbers.empty() ? values : axis.numbers);
  if (whole && !axis.dates) set_whole_ticks(guide, domain);
  guide.set("title", labelled ? Value(ordinary_name(axis_title(axis))) : Value());
  if (!labelled) guide.set("labels", false).set("ticks", false);
  // Ticks must not run on into the place where missing values are drawn; a single value needs but one.
  const bool single = !(domain.high > domain.low);
  if (single && guide.find("labelExpr") == nullptr) {
    guide.set("format", "~g");
    guide.set("values", Value::array().push_back(domain.low));
  }
  if (has_missing && guide.find("values") == nullptr)
    guide.set("values", ticks(domain, 6, guide.find("tickMinStep") != nullptr ? 1 : 0));
  x.set("axis", guide);
  return x;
}

Value level_encoding(const Axis& axis, const std::vector<std::string>& labels, bool vertical) {
  Value encoding = field(vertical ? "x" : "y", "nominal");
  encoding.set("scale", Value::object({{"domain", texts(labels)}}));
  encoding.set("sort", Value());
  Value guide = Value::object({{"title", ordinary_name(axis_title(axis))}, {"labelLimit", 150}, {"grid", false}});
  const bool crowded = vertical && (labels.size() > 5 || std::any_of(labels.begin(), labels.end(),
                                                                     [](const auto& l) { return l.size() > 14; }));
  if (vertical) guide.set("labelAngle", labels.size() > most_slanted ? -90 : crowded ? -35 : 0);
  if (vertical && !crowded) guide.set("labelOverlap", "greedy");
  if (!vertical) guide.set("titleAlign", "left").set("titleAngle", 0).set("titleAnchor", "end").set("titleY", -12);
  encoding.set("axis", guide);
  return encoding;
}

Value quantity_encoding(const char* name, const std::string& title, bool zero, bool any_number) {
  Value encoding = field(name, "quantitative");
  encoding.set("title", title);
  Value scale = Value::object({{"zero", zero}, {"nice", true}});
  if (!any_number) scale.set("domain", Value::array().push_back(0).push_back(1));
  encoding.set("scale", scale).set("stack", Value());
  encoding.set("axis", Value::object({{"format", ",.4~r"}, {"tickCount", 5}, {"titleLimit", chart_height + 50}}));
  return encoding;
}

void add_probabilities(Value& encoding, const ProbabilityScale& scale, double base, bool effect) {
  char number[40];
  const auto end = std::to_chars(number, number + sizeof number, base).ptr;
  const std::string p = "(" + scale.expression(std::string(number, end) + " + datum.value") + ")";
  const std::string text = "format(100 * " + p + ", " + p + " < 0.005 || " + p + " > 0.995 ? '.1f' : '.0f') + ' %'";
  const bool across = encoding.find("field")->as_string() == "x";
  Value guide = *encoding.find("axis");
  guide.set("labelExpr", across ? "[datum.label, " + text + "]" : "datum.label + ' · ' + " + text);
  encoding.set("axis", guide);
  // A second line, as ticks have it.
  const std::string title = encoding.find("title")->as_string();
  encoding.set("title",
               texts({title, effect ? "and the probability it makes of the average, " + probability_text(scale.at(base))
                                    : std::string("and the probability of it")}));
}

Value line_legend(const std::string& title) {
  return Value::object({{"title", title.empty() ? Value() : Value(title)},
                        {"orient", "top"},
                        {"labelLimit", 150},
                        {"columns", 4},
                        {"symbolType", "stroke"},
                        {"symbolStrokeWidth", 3},
                        {"symbolOpacity", 1}});
}

Value group_color(const std::vector<std::string>& labels, const std::string& title) {
  Value color = field("group", "nominal");
  color.set("scale", Value::object({{"domain", texts(labels)}}));
  color.set("sort", Value());
  if (labels.size() < 2) {
    color.set("legend", Value());
  } else {
    color.set("legend", line_legend(title));
  }
  return color;
}

Value tooltip(const std::vector<TooltipField>& fields) {
  Value list = Value::array();
  for (const auto& entry : fields) {
    Value item = field(entry.field, entry.number ? "quantitative" : "nominal");
    item.set("title", entry.title);
    if (entry.number) item.set("format", ",.5~r");
    list.push_back(item);
  }
  return list;
}

Value in_percent(const Value& chart, const std::vector<std::string_view>& fields) {
  constexpr const char* format = ",.4~p";
  if (chart.is_array()) {
    Value list = Value::array();
    for (const Value& part : chart.as_array()) list.push_back(in_percent(part, fields));
    return list;
  }
  if (!chart.is_object()) return chart;
  const Value *name = chart.find("field"), *type = chart.find("type");
  const bool told = name != nullptr && name->is_string() && type != nullptr && type->is_string() &&
                    type->as_string() == "quantitative" &&
                    std::find(fields.begin(), fields.end(), name->as_string()) != fields.end();
  Value made = Value::object();
  for (const auto& [key, value] : chart.as_object()) {
    const bool guide = told && (key == "axis" || key == "legend") && value.is_object();
    made.set(key, key == "data"             ? value
                  : guide                   ? Value(value).set("format", format)
                  : told && key == "format" ? Value(format)
                                            : in_percent(value, fields));
  }
  return made;
}

Value with_percents(const Result& result, Measure measure, Value chart, const std::vector<std::string_view>& fields) {
  return told_in_percent(&result, measure) ? in_percent(chart, fields) : chart;
}

namespace {

constexpr const char *days_suffix = "_in_days", *seconds_suffix = "_in_seconds";

Value date_item(const Axis& axis, const std::string& name, const Value& item) {
  const std::string suffix = axis.dates.unit == DateUnit::days ? days_suffix : seconds_suffix;
  return Value::object({{"field", name + suffix},
                        {"type", "nominal"},
                        {"title", *item.find("title")},
                        {"format", date_format(detail_of_values(axis))}});
}

}  // namespace

Value with_date_texts(Value view) {
  const Value* encoding = view.find("encoding");
  const Value* tip = encoding == nullptr ? nullptr : encoding->find("tooltip");
  if (tip == nullptr || !tip->is_array()) return view;
  const Value* known = view.find("transform");
  Value transforms = known == nullptr ? Value::array() : *known, items = Value::array();
  bool any = false;
  for (const Value& item : tip->as_array()) {
    const std::string& name = item.find("field")->as_string();
    const bool days = name.ends_with(days_suffix);
    if (!days && !name.ends_with(seconds_suffix)) {
      items.push_back(item);
      continue;
    }
    any = true;
    const std::string from = name.substr(0, name.size() - std::string_view(days ? days_suffix : seconds_suffix).size());
    transforms.push_back(
        Value::object({{"calculate", "utcFormat(datum." + from + (days ? " * 86400000, '" : " * 1000, '") +
                                         item.find("format")->as_string() + "')"},
                       {"as", name}}));
    items.push_back(Value::object({{"field", name}, {"type", "nominal"}, {"title", *item.find("title")}}));
  }
  if (!any) return view;
  Value told = *encoding;
  view.set("encoding", told.set("tooltip", items));
  return view.set("transform", transforms);
}

Value tooltip_along(const Axis& axis, const std::string& name, Value tip) {
  if (!axis.dates && !are_years(axis.numbers)) return tip;
  Value list = Value::array();
  for (Value item : tip.as_array()) {
    const Value* told = item.find("field");
    if (told != nullptr && told->is_string() && told->as_string() == name)
      item = axis.dates ? date_item(axis, name, item) : item.set("format", ".5~r");
    list.push_back(std::move(item));
  }
  return list;
}

Value histogram_panel(const Axis& axis, const Distribution& distribution, const NumericX& x) {
  const bool bars = !distribution.counts.empty() && distribution.edges.size() == distribution.counts.size() + 1;
  if (!bars) return {};
  Value::Array rows;
  for (std::size_t i = 0; i < distribution.counts.size(); ++i) {
    rows.push_back(Value::object({{"x", placed(axis, distribution.edges[i])},
                                  {"x2", placed(axis, distribution.edges[i + 1])},
                                  {"rows", plotted(distribution.counts[i])}}));
  }
  Value y = field("rows", "quantitative");
  y.set("axis", Value::object({{"title", "rows"}, {"tickCount", 2}, {"grid", false}, {"format", ",d"}}));
  y.set("scale", Value::object({{"zero", true}}));
  const Value floor = Value::object({{"datum", 0}});
  const Value bar_mark =
      Value::object({{"type", "rect"}, {"xOffset", 0.5}, {"x2Offset", -0.5}, {"color", "#8a94a3"}, {"opacity", 0.65}});
  Value layers = Value::array();
  layers.push_back(with_date_texts(Value::object(
      {{"data", inline_data(std::move(rows))},
       {"mark", bar_mark},
       {"encoding",
        Value::object(
            {{"x", x.encoding(axis, true)},
             {"x2", Value::object({{"field", "x2"}})},
             {"y", y},
             {"y2", floor},
             {"tooltip", tooltip_along(axis, "x",
                                       tooltip_along(axis, "x2",
                                                     tooltip({{"x", "from"}, {"x2", "to"}, {"rows", "rows"}})))}})}})));
  if (x.has_missing && distribution.missing > 0) {
    const double half = 0.018 * x.domain.span();
    Value::Array missing{Value::object({{"x", placed(axis, x.slot() - half)},
                                        {"x2", placed(axis, x.slot() + half)},
                                        {"rows", plotted(distribution.missing)}})};
    layers.push_back(Value::object({{"data", inline_data(std::move(missing))},
                                    {"mark", bar_mark},
                                    {"encoding", Value::object({{"x", field("x", "quantitative")},
                                                                {"x2", Value::object({{"field", "x2"}})},
                                                                {"y", field("rows", "quantitative")},
                                                                {"y2", floor},
                                                                {"tooltip", tooltip({{"rows", "rows missing"}})}})}}));
  }
  if (!distribution.rug.empty()) {
    Value::Array deciles;
    for (const double value : distribution.rug) deciles.push_back(Value::object({{"x", placed(axis, value)}}));
    layers.push_back(with_date_texts(Value::object(
        {{"data", inline_data(std::move(deciles))},
         {"mark",
          Value::object({{"type", "tick"}, {"orient", "vertical"}, {"size", 7}, {"thickness", 1.5}, {"opacity", 1}})},
         {"encoding", Value::object({{"x", field("x", "quantitative")},
                                     {"y", Value::object({{"value", part_height - 3.5}})},
                                     {"color", Value::object({{"value", "#D55E00"}})},
                                     {"tooltip", tooltip_along(axis, "x", tooltip({{"x", "decile"}}))}})}})));
  }
  return Value::object({{"width", chart_width}, {"height", part_height}, {"layer", layers}});
}

Value stacked(Value::Array charts) {
  charts.erase(std::remove_if(charts.begin(), charts.end(), [](const Value& chart) { return chart.is_null(); }),
               charts.end());
  if (charts.size() == 1) return charts[0];
  return Value::object({{"spacing", 6}, {"vconcat", Value(std::move(charts))}});
}

double entry(const std::vector<double>& values, std::size_t i) { return i < values.size() ? values[i] : std::nan(""); }

Value point_row(const char* axis, Value at, const char* height, const CurvePoint& point, const std::string& group) {
  Value value = Value::object({{axis, std::move(at)}, {height, plotted(point.mean)}, {"group", group}});
  const double half = interval_width * point.se;
  if (std::isfinite(half) && std::isfinite(point.mean)) {
    value.set("low", plotted(point.mean - half)).set("high", plotted(point.mean + half)).set("half", plotted(half));
  }
  if (std::isfinite(point.count)) value.set("rows", plotted(point.count));
  return value;
}

Value curve_tooltip(const CurveLines& group, const char* axis, bool number, const char* height, bool any_band,
                    bool any_count) {
  static constexpr const char* names[] = {"output", "group of rows", "method"};
  static constexpr const char* heights[] = {"mean prediction", "effect", "loss"};
  const Measure measure = line_heights(group).measure;
  std::vector<TooltipField> fields;
  const bool of_models =
      group.lines == LinesBy::series && group.result != nullptr && !compared_models(*group.result).empty();
  if (group.curve.size() > 1)
    fields.push_back({"group", of_models ? "model" : names[static_cast<std::size_t>(group.lines)], false});
  fields.push_back({axis, "value", number});
  const bool score = measure == Measure::loss && group.curve[0]->loss && is_score(*group.curve[0]->loss);
  fields.push_back({height, score ? "score" : heights[static_cast<std::size_t>(measure)]});
  if (any_band) fields.push_back({"half", measure == Measure::mean ? "± 95 % (shape)" : "± 95 %"});
  if (any_count) fields.push_back({"rows", "rows nearby"});
  const bool any_probability =
      group.result != nullptr && std::any_of(group.curve.begin(), group.curve.end(), [&](const Curve* curve) {
        return CurveProbabilities::of(*group.result, *curve).has_value();
      });
  if (any_probability) fields.push_back({"probability", "probability", false});
  return tooltip_along(group.curve[0]->axis, axis, tooltip(fields));
}

std::optional<std::string> probability_beside(const CurveLines& group, std::size_t line, double height) {
  if (group.result == nullptr) return std::nullopt;
  const auto known = CurveProbabilities::of(*group.result, *group.curve[line]);
  return known ? std::optional(probability_text(known->at(height))) : std::nullopt;
}

// Heights of all lines must mean the same probabilities.
void tell_probabilities(Value& encoding, const Result& result, const CurveLines& group) {
  std::optional<CurveProbabilities> shared;
  for (const Curve* curve : group.curve) {
    const auto known = CurveProbabilities::of(result, *curve);
    if (!known || (shared && shared->base() != known->base())) return;
    shared = known;
  }
  if (!shared || line_heights(group).shifted) return;
  add_probabilities(encoding, shared->scale(), shared->base(), line_heights(group).measure == Measure::effect);
}

Value height_encoding(const Result& result, const CurveLines& group, const char* name, bool zero) {
  const bool outputs_differ = group.lines == LinesBy::output && group.curve.size() > 1;
  const auto is_number = [](double height) { return std::isfinite(height); };
  const bool any = std::any_of(group.curve.begin(), group.curve.end(), [&](const Curve* curve) {
    return (curve->missing && is_number(curve->missing->mean)) ||
           std::any_of(curve->mean.begin(), curve->mean.end(), is_number);
  });
  Value encoding =
      quantity_encoding(name, height_title(result, group, outputs_differ ? "" : group.curve[0]->output), zero, any);
  tell_probabilities(encoding, result, group);
  return encoding;
}

std::string legend_title(const Result& result, const CurveLines& group) {
  if (group.lines != LinesBy::output || group.curve.size() < 2) return {};
  const std::string target = text_member(result.data, "target");
  return target.empty() ? target : ordinary_name(axis_title({target, "", {}, {}, false}));
}

Value zero_rule(bool vertical, double at) {
  const char* along = vertical ? "x" : "y";
  return Value::object(
      {{"data", inline_data({Value::object({{along, at}})})},
       {"mark", Value::object({{"type", "rule"}, {"strokeWidth", 1}, {"opacity", 0.8}, {"tooltip", Value()}})},
       {"encoding", Value::object({{vertical ? "y" : "x", Value()},
                                   {along, field(along, "quantitative")},
                                   {"color", Value::object({{"value", muted_ink}})}})}});
}

Value shown_if(const std::string& expression) { return Value::object({{"filter", expression}}); }

Value signal(const char* name, Value value) { return Value::object({{"name", name}, {"value", std::move(value)}}); }

Value missing_label(const NumericX& x) {
  return Value::object(
      {{"data", inline_data({Value::object(
                    {{"x", x.slot() > 1e5 ? Value(x.slot()) : plotted(x.slot())}, {"label", "missing"}})})},
       {"mark", Value::object({{"type", "text"}, {"baseline", "top"}, {"dy", 7}, {"style", "guide-label"}})},
       {"encoding", Value::object({{"x", field("x", "quantitative")},
                                   {"y", Value::object({{"value", "height"}})},
                                   {"text", field("label", "nominal")},
                                   {"color", Value::object({{"value", muted_ink}})}})}});
}

Value message_chart(const std::string& message) {
  return Value::object({{"width", chart_width},
                        {"height", 40},
                        {"data", inline_data({Value::object({{"label", message}})})},
                        {"mark", Value::object({{"type", "text"}, {"style", "guide-label"}, {"color", muted_ink}})},
                        {"encoding", Value::object({{"text", field("label", "nominal")}})}});
}

}  // namespace sightglass::vega
