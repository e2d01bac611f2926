// What a feature does, by several methods in one chart: each can be shown or hidden by a signal (show_pdp, show_ale,
// show_mplot, show_ice, show_band), one output at a time (output). Axes follow what is shown. Data travel as one object
// per line and are taken apart by the chart: no number and no name stands there twice.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/readable.h"
#include "sightglass/insight/shading.h"
#include "sightglass/render/vega/parts_internal.h"
#include "sightglass/result/json.h"

namespace sightglass::vega {

namespace {

constexpr double faded = 0.35;
constexpr std::size_t roomy_levels = 12;    // more stand closer
constexpr const char* row_ink = "#8a94a3";  // of single rows
constexpr const char* row_label = "single rows";
constexpr std::size_t grey_place = 7;  // among the colours of lines, on light and dark paper

// Whether a line's method is shown.
std::string shown_methods(const Effect& effect) {
  std::string expression;
  for (const EffectMethod method : effect_methods) {
    if (!effect.has(method)) continue;
    expression += (expression.empty() ? "" : " || ") + std::string("(datum.group == '") + effect_label(method) +
                  "' && " + effect_signal(method) + ")";
  }
  return expression;
}

// The entries of a legend while their signals are on. A legend without any would be of no size, which Vega cannot draw:
// it has one that nobody sees.
void show_entries(Value& legend, const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string list, any;
  for (const auto& [label, condition] : entries) {
    list += (list.empty() ? "" : " + ") + std::string("(") + condition + " ? '" + label + "|' : '')";
    any += (any.empty() ? "" : " || ") + condition;
  }
  const std::string opacity = to_json(*legend.find("symbolOpacity"));
  legend.set("values", Value::object({{"expr", "split(slice(" + list + ", 0, -1), '|')"}}));
  legend.set("symbolOpacity", Value::object({{"expr", any + " ? " + opacity + " : 0"}}));
}

Value method_color(const Effect& effect) {
  std::vector<std::string> labels;
  std::vector<std::pair<std::string, std::string>> entries;
  // All methods have their place, so that each has its colour in every chart.
  for (const EffectMethod method : effect_methods) {
    labels.emplace_back(effect_label(method));
    if (effect.has(method)) entries.emplace_back(effect_label(method), effect_signal(method));
  }
  if (!effect.rows.empty()) {
    while (labels.size() < grey_place) labels.push_back(std::to_string(labels.size()));
    labels.emplace_back(row_label);
    entries.emplace_back(row_label, "show_ice");
  }
  Value color = group_color(labels, ""), legend = *color.find("legend");
  show_entries(legend, entries);
  return color.set("legend", legend);
}

class EffectChart {
 public:
  explicit EffectChart(const Effect& effect)
      : drawn_(drawn_effect(effect)),
        effect_(drawn_.effect),
        outputs_(unique_labels(effect.outputs)),
        several_outputs_(effect.outputs.size() > 1) {
    for (const auto& curve : effect_.curves) {
      heights_.add(curve.mean);
      any_band_ = any_band_ || std::any_of(curve.se_shape.begin(), curve.se_shape.end(),
                                           [](double se) { return std::isfinite(se) && se > 0; });
      any_count_ = any_count_ || !curve.count.empty();
      any_missing_ = any_missing_ || curve.missing.has_value();
    }
    for (const auto& rows : effect_.rows) {
      for (const auto& line : rows.values) heights_.add(line);
    }
  }

  [[nodiscard]] Value chart() {
    Value chart = effect_.axis().is_categorical() ? levels() : numbers();
    Value params = Value::array();
    for (const EffectMethod method : effect_methods) {
      if (effect_.has(method)) params.push_back(signal(effect_signal(method), effect_.shows(method)));
    }
    if (!effect_.rows.empty()) params.push_back(signal("show_ice", false)).push_back(signal("row_grid", row_grid_));
    if (any_band_) params.push_back(signal("show_band", true));
    if (several_outputs_) {
      const auto& names = effect_.outputs;
      const auto shown = std::find(names.begin(), names.end(), shown_output(*effect_.result));
      params.push_back(
          signal("output", outputs_[shown == names.end() ? 0 : static_cast<std::size_t>(shown - names.begin())]));
      chart.set("title", output_title(*effect_.result));
    }
    return chart.set("params", params);
  }

 private:
  // Of the output that is shown.
  [[nodiscard]] std::string of_output(const std::string& condition) const {
    return several_outputs_ ? "datum.output == output && (" + condition + ")" : condition;
  }
  [[nodiscard]] std::string output_label(const std::string& output) const {
    const auto found = std::find(effect_.outputs.begin(), effect_.outputs.end(), output);
    return outputs_[static_cast<std::size_t>(found - effect_.outputs.begin())];
  }
  void name(Value& line, const Curve& curve) const {
    line.set("group", curve.series);
    if (several_outputs_) line.set("output", output_label(curve.output));
  }
  // Halves of the bands, and rows nearby: fields of every line, empty where a method does not know them.
  void add_bands(Value& line, const std::vector<double>& se, const std::vector<double>& count) const {
    Value halves = Value::array(), rows = Value::array();
    for (const double value : se) halves.push_back(plotted(interval_width * value, 3));
    for (const double value : count) rows.push_back(plotted(value));
    line.set("half", halves).set("rows", rows);
  }
  [[nodiscard]] Value bands(const char* height) const {
    const std::string at = std::string("datum.") + height;
    const auto edge = [&](const char* sign, const char* as) {
      return Value::object(
          {{"calculate", "isValid(datum.half) ? " + at + sign + "datum.half : null"}, {"as", std::string(as)}});
    };
    return Value::array().push_back(edge(" - ", "low")).push_back(edge(" + ", "high"));
  }
  [[nodiscard]] Value transforms(const std::vector<std::string>& fields, const char* height) const {
    Value list = Value::array().push_back(shown_if(of_output(shown_methods(effect_))));
    list.push_back(Value::object({{"flatten", Value(fields)}}));
    if (any_band_) {
      const Value edges = bands(height);
      for (const auto& edge : edges.as_array()) list.push_back(edge);
    }
    return list;
  }
  [[nodiscard]] Value tip(const char* axis, bool number, const char* height) const {
    return curve_tooltip(effect_.group(effect_.outputs[0]), axis, number, height, any_band_, any_count_);
  }
  [[nodiscard]] Value height_axis(const char* name) const {
    const CurveLines group = effect_.group(effect_.outputs[0]);
    Value encoding = quantity_encoding(
        name, height_title(*effect_.result, group, several_outputs_ ? std::string() : effect_.outputs[0]), false,
        heights_.any);
    tell_probabilities(encoding, *effect_.result, group);
    return encoding;
  }
  [[nodiscard]] Value in_percents(Value chart, const char* heights) const {
    const Measure measure = line_heights(effect_.group(effect_.outputs[0])).measure;
    return with_percents(*effect_.result, measure, std::move(chart), {heights, "half", "height"});
  }
  // Beside each height, as the words for tooltips.
  void add_probabilities_to(Value& line, const Curve& curve) const {
    const auto known = CurveProbabilities::of(*effect_.result, curve);
    if (!known) return;
    Value list = Value::array();
    const auto add = [&](double height) { list.push_back(probability_text(known->at(height))); };
    for (const double height : curve.mean) add(height);
    if (curve.missing && curve.axis.is_categorical()) add(curve.missing->mean);
    line.set("probability", list);
  }
  [[nodiscard]] bool any_probability() const {
    return CurveProbabilities::of(*effect_.result, effect_.curves[0]).has_value();
  }
  [[nodiscard]] std::vector<std::string> with_probability(std::vector<std::string> fields) const {
    if (any_probability()) fields.emplace_back("probability");
    return fields;
  }

  // Single rows: their lines at the same grid, which travels once.
  [[nodiscard]] Value row_data(const std::vector<std::string>& levels) {
    Value::Array lines;
    for (const auto& rows : effect_.rows) {
      if (row_grid_.is_null()) {
        Domain grid;
        grid.add(rows.axis.numbers);
        row_grid_ = rows.axis.is_categorical() ? texts(levels)
                    : rows.axis.dates          ? placed(rows.axis, rows.axis.numbers)
                                               : grid.plotted(rows.axis.numbers);
      }
      for (std::size_t r = 0; r < rows.values.size(); ++r) {
        Value line = Value::object({{"row", Value(rows.rows[r])}, {"height", heights_.plotted(rows.values[r], 4)}});
        if (r < rows.own_value.size() && rows.own_value[r]) line.set("own", axis_number(rows.axis, *rows.own_value[r]));
        if (r < rows.own_level.size()) line.set("own", printable(rows.own_level[r]));
        if (several_outputs_) line.set("output", output_label(rows.output));
        lines.push_back(std::move(line));
      }
    }
    return inline_data(std::move(lines));
  }
  [[nodiscard]] Value row_transforms() const {
    const Value number = Value::array().push_back(Value::object({{"op", "row_number"}, {"as", "at"}}));
    return Value::array()
        .push_back(shown_if(of_output("show_ice")))
        .push_back(Value::object({{"flatten", Value(std::vector<std::string>{"height"})}}))
        .push_back(Value::object({{"window", number}, {"groupby", Value(std::vector<std::string>{"row"})}}))
        .push_back(Value::object({{"calculate", "row_grid[datum.at - 1]"}, {"as", "grid"}}));
  }
  [[nodiscard]] Value row_tip() const {
    return tooltip({{"row", "row", false}, {"own", "its own value", false}, {"height", "prediction moved"}});
  }

  [[nodiscard]] Value numbers() {
    NumericX x;
    std::size_t most_points = 0;
    for (const auto& curve : effect_.curves) {
      x.domain.add(curve.axis.numbers);
      x.domain.add(curve.distribution.edges);
      most_points = std::max(most_points, curve.axis.size());
    }
    x.has_missing = any_missing_;
    x.whole = counts_whole(effect_.curves[0].distribution);
    Value::Array lines, missing;
    for (const auto& curve : effect_.curves) {
      Value line = Value::object(
          {{"x", curve.axis.dates ? placed(curve.axis, curve.axis.numbers) : x.domain.plotted(curve.axis.numbers)},
           {"y", heights_.plotted(curve.mean)}});
      name(line, curve);
      add_bands(line, curve.se_shape, curve.count);
      add_probabilities_to(line, curve);
      lines.push_back(std::move(line));
      if (!curve.missing) continue;
      const CurvePoint point{curve.missing->mean, curve.missing->se_shape, curve.missing->count};
      Value alone = point_row("x", placed(curve.axis, x.slot()), "y", point, curve.series);
      if (several_outputs_) alone.set("output", output_label(curve.output));
      if (const auto known = CurveProbabilities::of(*effect_.result, curve))
        alone.set("probability", probability_text(known->at(curve.missing->mean)));
      missing.push_back(std::move(alone));
    }
    const Curve& first = effect_.curves[0];
    Value panel = histogram_panel(first.axis, first.distribution, x);
    const Value point_tip = tip("x", true, "y");

    Value layers = Value::array();
    if (Value shade = shades(); !shade.is_null()) layers.push_back(std::move(shade));
    if (first.measure == Measure::effect) layers.push_back(zero_rule());
    for (std::size_t i = 0; i < effect_.curves.size() && effect_.curves[i].output == first.output; ++i) {
      Value ticks = edge_layer(effect_.curves[i]);
      if (!ticks.is_null()) layers.push_back(ticks.set("transform", Value::array().push_back(shown_if("show_ale"))));
    }
    if (!effect_.rows.empty()) layers.push_back(row_lines());
    if (any_band_) {
      Value band = band_layer(true);
      layers.push_back(band.set("transform", Value::array().push_back(shown_if("show_band"))));
    }
    layers.push_back(Value::object({{"mark", Value::object({{"type", "line"}, {"strokeWidth", 2.25}})}}));
    layers.push_back(point_layer(most_points, point_tip, 0));
    if (any_missing_) {
      Value apart = missing_layers(inline_data(std::move(missing)), point_tip);
      layers.push_back(apart.set("transform", Value::array().push_back(shown_if(of_output(shown_methods(effect_))))));
      Value label = missing_label(x);
      if (panel.is_null()) {
        layers.push_back(std::move(label));
      } else {
        Value panel_layers = *panel.find("layer");
        panel.set("layer", panel_layers.push_back(std::move(label)));
      }
    }
    Value chart = Value::object({{"width", chart_width},
                                 {"height", chart_height},
                                 {"data", inline_data(std::move(lines))},
                                 {"transform", transforms(with_probability({"x", "y", "half", "rows"}), "y")},
                                 {"encoding", Value::object({{"x", x.encoding(first.axis, panel.is_null())},
                                                             {"y", height_axis("y")},
                                                             {"color", method_color(effect_)}})},
                                 {"layer", layers}});
    chart = in_percents(std::move(chart), "y");
    return stacked({std::move(chart), std::move(panel)});
  }
  // Few rows concern all methods; leaving the data, those that set values.
  [[nodiscard]] Value shades() const {
    Value layer = shade_layer(effect_.curves[0].axis, shaded_spans(effect_.curves[0]));
    if (layer.is_null()) return layer;
    std::string leaves = effect_.has(EffectMethod::partial_dependence) ? "show_pdp" : "";
    if (!effect_.rows.empty()) leaves += leaves.empty() ? "show_ice" : " || show_ice";
    if (leaves.empty()) leaves = "true";
    const std::string words(extrapolated_words);
    layer.set("transform", Value::array().push_back(shown_if("datum.why != '" + words + "' || " + leaves)));
    Value encoding = *layer.find("encoding"), fill = *encoding.find("fill"), legend = *fill.find("legend");
    std::vector<std::pair<std::string, std::string>> entries;
    for (const auto& kind : fill.find("scale")->find("domain")->as_array()) {
      const bool outside = kind.as_string() == words;
      entries.emplace_back(kind.as_string(), outside ? "(" + leaves + ")" : "true");
    }
    show_entries(legend, entries);
    return layer.set("encoding", encoding.set("fill", fill.set("legend", legend)));
  }
  [[nodiscard]] Value row_lines() {
    const auto count = static_cast<double>(std::max<std::size_t>(1, effect_.rows[0].values.size()));
    return Value::object({{"data", row_data({})},
                          {"transform", row_transforms()},
                          {"mark", Value::object({{"type", "line"},
                                                  {"strokeWidth", 1},
                                                  {"opacity", std::clamp(24 / count, 0.2, 0.6)},
                                                  {"color", row_ink}})},
                          {"encoding", Value::object({{"x", field("grid", "quantitative")},
                                                      {"y", field("height", "quantitative")},
                                                      {"color", Value::object({{"value", row_ink}})},
                                                      {"detail", field("row", "nominal")},
                                                      {"tooltip", row_tip()}})}});
  }

  // Levels run down the page, methods stand above one another within each.
  [[nodiscard]] Value levels() {
    SharedLevels shared = drawn_.shared;
    if (any_missing_) shared.levels.emplace_back("missing");
    const auto labels = unique_labels(shared.levels);
    Value::Array lines;
    bool any_doubt = false;
    for (std::size_t g = 0; g < effect_.curves.size(); ++g) {
      const Curve& curve = effect_.curves[g];
      Value level = Value::array(), shown = Value::array();
      auto heights = curve.mean, se = curve.se_shape, count = curve.count;
      const auto doubts = doubts_of(curve);
      for (std::size_t i = 0; i < curve.axis.size(); ++i) {
        level.push_back(labels[shared.place[g][i]]);
        shown.push_back(doubts[i].any() ? faded : 1);
        any_doubt = any_doubt || doubts[i].any();
      }
      if (curve.missing) {
        level.push_back(labels.back());
        shown.push_back(1);
        heights.push_back(curve.missing->mean);
        if (!se.empty()) se.push_back(curve.missing->se_shape);
        if (!count.empty()) count.push_back(curve.missing->count);
      }
      Value line = Value::object({{"y", level}, {"x", heights_.plotted(heights)}, {"shown", shown}});
      name(line, curve);
      add_bands(line, se, count);
      add_probabilities_to(line, curve);
      lines.push_back(std::move(line));
    }
    Value offset = field("group", "nominal");
    offset.set("sort", Value());
    Value spread = Value::object({{"yOffset", offset}});
    if (any_doubt)
      spread.set("opacity", Value::object({{"field", "shown"}, {"type", "quantitative"}, {"scale", Value()}}));
    Value layers = Value::array();
    if (effect_.curves[0].measure == Measure::effect) layers.push_back(zero_rule(true));
    if (!effect_.rows.empty()) layers.push_back(row_ticks());
    if (any_band_) {
      Value encoding = spread;
      encoding.set("x", field("low", "quantitative")).set("x2", Value::object({{"field", "high"}}));
      layers.push_back(Value::object({{"transform", Value::array().push_back(shown_if("show_band"))},
                                      {"mark", Value::object({{"type", "rule"}, {"strokeWidth", 2}})},
                                      {"encoding", encoding}}));
    }
    Value dots = spread;
    Value mark = Value::object({{"type", "point"}, {"filled", true}, {"size", 70}});
    if (!any_doubt) mark.set("opacity", 1);
    layers.push_back(Value::object({{"mark", mark}, {"encoding", dots.set("tooltip", tip("y", false, "x"))}}));
    if (any_count_) layers.push_back(count_layer(effect_.group(effect_.outputs[0]), drawn_.shared, labels, false));
    Value y = level_encoding(effect_.axis(), labels, false);
    y.set("scale", Value::object({{"domain", texts(labels)}, {"paddingInner", 0.35}, {"paddingOuter", 0.2}}));
    Value color = method_color(effect_);
    Value legend = *color.find("legend");
    // The axis title stands above the levels' labels; the legend keeps clear of it.
    color.set("legend", legend.set("offset", 28));
    Value chart = Value::object({{"width", chart_width},
                                 {"height", (labels.size() > roomy_levels ? 32 : 44) * static_cast<int>(labels.size())},
                                 {"data", inline_data(std::move(lines))},
                                 {"transform", transforms(with_probability({"y", "x", "half", "rows", "shown"}), "x")},
                                 {"encoding", Value::object({{"y", y}, {"x", height_axis("x")}, {"color", color}})},
                                 {"layer", layers}});
    return in_percents(std::move(chart), "x");
  }
  [[nodiscard]] Value row_ticks() {
    return Value::object({{"data", row_data(unique_labels(effect_.rows[0].axis.levels))},
                          {"transform", row_transforms()},
                          {"mark", Value::object({{"type", "tick"}, {"thickness", 1.5}, {"opacity", 0.35}})},
                          {"encoding", Value::object({{"y", field("grid", "nominal")},
                                                      {"x", field("height", "quantitative")},
                                                      {"color", Value::object({{"value", row_ink}})},
                                                      {"tooltip", row_tip()}})}});
  }

  const DrawnEffect drawn_;
  const Effect& effect_;
  std::vector<std::string> outputs_;  // labels
  bool several_outputs_, any_band_ = false, any_count_ = false, any_missing_ = false;
  Domain heights_;
  Value row_grid_;
};

}  // namespace

Value effect_chart(const Effect& effect) { return EffectChart(effect).chart(); }

}  // namespace sightglass::vega
