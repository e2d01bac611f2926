// What features add to predictions: one row as bars on their way from base to prediction, many rows as swarms of
// dots, and one feature's values against what they add.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/attribution_view.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/probabilities.h"
#include "sightglass/insight/readable.h"
#include "sightglass/insight/shown_levels.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr int step_height = 26;
constexpr int swarm_height = 34;
constexpr const char* raises = "#D55E00";
constexpr const char* lowers = "#0072B2";
// Shades of a feature's values, readable on light and dark paper.
constexpr const char* low_shade = "#2f89c5";
constexpr const char* middle_shade = "#a58fb0";
constexpr const char* high_shade = "#dd6a1f";
constexpr const char* plain = "#8a94a3";
constexpr std::size_t colours = 8;

// Labels down the page in this order.
Value down(const std::vector<std::string>& labels, int limit) {
  Value y = field("y", "nominal");
  y.set("scale", Value::object({{"domain", texts(labels)}})).set("sort", Value());
  Value guide = Value::object({{"title", Value()}, {"labelLimit", limit}, {"grid", false}, {"ticks", false}});
  return y.set("axis", guide.set("domain", false).set("labelPadding", 8));
}

Value from_low_to_high() { return texts({low_shade, middle_shade, high_shade}); }

// A dashed line at a height of the prediction, with a word above or below the chart.
Value level_rule(double at, const std::string& label, bool above) {
  Value rows = Value::array().push_back(Value::object({{"x", plotted(at)}, {"label", label}}));
  const Value ink = Value::object({{"value", muted_ink}});
  Value layers = Value::array();
  layers.push_back(Value::object({{"mark", Value::object({{"type", "rule"},
                                                          {"strokeDash", Value::array().push_back(3).push_back(3)},
                                                          {"strokeWidth", 1},
                                                          {"tooltip", Value()}})},
                                  {"encoding", Value::object({{"color", ink}})}}));
  layers.push_back(
      Value::object({{"mark", Value::object({{"type", "text"},
                                             {"style", "guide-label"},
                                             {"baseline", above ? "bottom" : "top"},
                                             {"dy", above ? -5 : 5},
                                             {"tooltip", Value()}})},
                     {"encoding", Value::object({{"y", Value::object({{"value", above ? Value(0) : Value("height")}})},
                                                 {"text", field("label", "nominal")},
                                                 {"color", ink}})}}));
  return Value::object({{"data", Value::object({{"values", rows}})},
                        {"encoding", Value::object({{"x", field("x", "quantitative")}, {"y", Value()}})},
                        {"layer", layers}});
}

Value row_chart(const Result& result, const Attributions& item, std::size_t row) {
  const auto steps = attribution_steps(item, row);
  const auto probabilities = running_probabilities(result, item, row, steps);
  const auto beside = [&](std::size_t step) {
    return probabilities.empty() ? std::string() : " (" + probability_text(probabilities[step]) + ")";
  };
  std::vector<std::string> labels;
  Value::Array bars, stems;
  Domain domain;
  domain.add(item.base);
  domain.add(item.prediction[row]);
  bool any_error = false;
  std::vector<double> values;
  for (const AttributionStep& step : steps) values.push_back(step.value);
  const ColumnFormat format(values, told_in_percent(&result));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const AttributionStep& step = steps[i];
    labels.push_back(step.label);
    if (!std::isfinite(step.from) || !std::isfinite(step.to)) continue;
    domain.add(step.from);
    domain.add(step.to);
    Value bar = Value::object({{"y", step.label},
                               {"x", plotted(step.from)},
                               {"to", plotted(step.to)},
                               {"right", plotted(std::max(step.from, step.to))},
                               {"adds", plotted(step.value)},
                               {"group", step.value < 0 ? "lowers" : "raises"},
                               {"label", (step.value > 0 ? "+" : "") + format(step.value)}});
    if (!probabilities.empty()) {
      const std::string reached = probability_text(probabilities[i + 1]);
      bar.set("told", *bar.find("label")).set("label", bar.find("label")->as_string() + " → " + reached);
      bar.set("probability", probability_text(probabilities[i]) + " → " + reached);
    }
    if (i + 1 < steps.size()) {
      stems.push_back(Value::object({{"y", step.label}, {"to", plotted(step.to)}, {"next", steps[i + 1].label}}));
    }
    if (step.se && *step.se > 0) {
      const double half = interval_width * *step.se;
      bar.set("low", plotted(step.to - half)).set("high", plotted(step.to + half)).set("half", plotted(half));
      domain.add(step.to - half);
      domain.add(step.to + half);
      any_error = true;
    }
    bars.push_back(std::move(bar));
  }
  Value x = quantity_encoding("x", prediction_title(result, Quantity::single, item.output), false, domain.any);
  if (const auto scale = ProbabilityScale::of(result); scale && scale->alone()) add_probabilities(x, *scale, 0, false);
  const double margin = 0.06 * domain.span();
  // Room at the right for the longest label.
  x.set("scale",
        Value::object({{"domain", Value::array()
                                      .push_back(plotted(domain.low - margin))
                                      .push_back(plotted(domain.high + (probabilities.empty() ? 2 : 3) * margin))},
                       {"zero", false},
                       {"nice", false}}));
  Value color = field("group", "nominal");
  color.set("scale", Value::object({{"domain", texts({"raises", "lowers"})}, {"range", texts({raises, lowers})}}));
  color.set("legend", Value());
  std::vector<TooltipField> fields{{"y", "feature", false}, {"adds", "adds"}};
  if (any_error) fields.push_back({"half", "± 95 %"});
  if (!probabilities.empty()) fields.push_back({"probability", "probability", false});
  Value layers = Value::array();
  layers.push_back(level_rule(item.base, "average " + readable_prediction(result, item.base) + beside(0), true));
  layers.push_back(level_rule(item.prediction[row],
                              "this row " + readable_prediction(result, item.prediction[row]) + beside(steps.size()),
                              false));
  layers.push_back(
      Value::object({{"mark", Value::object({{"type", "bar"}, {"height", Value::object({{"band", 0.7}})}})},
                     {"encoding", Value::object({{"x2", Value::object({{"field", "to"}})},
                                                 {"color", color},
                                                 {"opacity", Value::object({{"value", 0.75}})},
                                                 {"tooltip", tooltip(fields)}})}}));
  // From where a bar ends to where the next begins.
  const Value stem = Value::object({{"type", "rule"}, {"strokeWidth", 1}, {"opacity", 0.7}, {"tooltip", Value()}});
  layers.push_back(Value::object({{"data", inline_data(std::move(stems))},
                                  {"mark", stem},
                                  {"encoding", Value::object({{"x", field("to", "quantitative")},
                                                              {"y2", Value::object({{"field", "next"}})},
                                                              {"color", Value::object({{"value", muted_ink}})}})}}));
  if (any_error) {
    layers.push_back(
        Value::object({{"mark", Value::object({{"type", "rule"}, {"strokeWidth", 2}, {"tooltip", Value()}})},
                       {"encoding", Value::object({{"x", field("low", "quantitative")},
                                                   {"x2", Value::object({{"field", "high"}})},
                                                   {"color", Value::object({{"value", muted_ink}})}})}}));
  }
  // On a rim of the paper's colour, because dashed lines run through where they stand.
  for (const bool rim : {true, false}) {
    Value mark = Value::object({{"type", "text"}, {"align", "left"}, {"dx", 5}, {"tooltip", Value()}});
    Value encoding = Value::object(
        {{"x", field(any_error ? "edge" : "right", "quantitative")}, {"text", field("label", "nominal")}});
    if (!rim) encoding.set("color", Value::object({{"value", muted_ink}}));
    layers.push_back(
        Value::object({{"mark", mark.set("style", texts(rim ? std::vector<std::string>{"guide-label", "rim"}
                                                            : std::vector<std::string>{"guide-label"}))},
                       {"encoding", encoding}}));
  }
  if (any_error) {
    for (Value& bar : bars) {
      const Value* high = bar.find("high");
      const double right = bar.find("right")->as_number();
      bar.set("edge", high != nullptr ? std::max(right, high->as_number()) : right);
    }
  }
  Value narrow = Value::array();
  // On a phone there is no room for both numbers; the tooltip has them.
  if (!probabilities.empty())
    narrow.push_back(Value::object({{"calculate", "width < 320 ? datum.told : datum.label"}, {"as", "label"}}));
  // On a phone the value of a long name would be cut off: values go below the names.
  Value y = down(labels, 240), names = *y.find("axis");
  if (std::any_of(labels.begin(), labels.end(), [](const std::string& label) { return label.size() > 18; })) {
    names.set("labelExpr", "width < 320 ? split(datum.label, ' = ') : datum.label");
    names.set("labelOffset", Value::object({{"expr", "width < 320 ? -6 : 0"}}));
  }
  y.set("axis", names);
  Value guide = *x.find("axis");
  x.set("axis", guide.set("titlePadding", 14).set("labelPadding", 16).set("grid", true));
  Value chart = Value::object({{"width", chart_width},
                               {"height", step_height * static_cast<int>(steps.size())},
                               {"data", inline_data(std::move(bars))},
                               {"encoding", Value::object({{"y", y}, {"x", x}})},
                               {"layer", layers}});
  if (!narrow.as_array().empty()) chart.set("transform", narrow);
  return with_percents(result, Measure::effect, std::move(chart), {"x", "adds", "half"});
}

Value dots(double opacity) {
  return Value::object({{"type", "point"}, {"filled", true}, {"size", 16}, {"opacity", opacity}});
}

// The dots of one feature.
struct Dots {
  Value x = Value::array(), offset = Value::array(), own = Value::array(), row = Value::array(), shade = Value::array();

  void add_to(Value::Array& list, const std::string& label) {
    if (x.as_array().empty()) return;
    list.push_back(Value::object({{"y", label},
                                  {"x", std::move(x)},
                                  {"o", std::move(offset)},
                                  {"own", std::move(own)},
                                  {"row", std::move(row)},
                                  {"shade", std::move(shade)}}));
  }
};

Value swarm_chart(const Result& result, const Attributions& item) {
  auto order = by_mean_size(item);
  const std::size_t left_out = order.size() - std::min(order.size(), features_in_swarm);
  order.resize(order.size() - left_out);
  // Each output has such a chart.
  const std::size_t charts = std::max<std::size_t>(1, outputs_of(result).size());
  const auto rows =
      shown_rows(item, std::min(dots_per_feature, dots_in_swarm / std::max<std::size_t>(1, order.size() * charts)));
  std::vector<std::string> names;
  Domain domain;
  domain.add(0);
  for (const std::size_t feature : order) {
    names.push_back(item.features[feature].feature);
    for (const std::size_t row : rows) domain.add(item.value(row, feature));
  }
  auto labels = unique_labels(names);
  // One object per feature, taken apart by the chart: a third of the size.
  Value::Array shaded, grey;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ValueShade shade(item, order[i]);
    const auto offsets = swarm_offsets(item, order[i], rows, domain.low, domain.high);
    Dots with_shade, without;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double value = item.value(rows[r], order[i]);
      if (!std::isfinite(value)) continue;
      const auto at = shade.of(item.own(rows[r], order[i]));
      Dots& dots = at ? with_shade : without;
      dots.x.push_back(domain.plotted(value));
      dots.offset.push_back(std::round(100 * offsets[r]) / 100);
      dots.own.push_back(own_value(item, rows[r], order[i]));
      dots.row.push_back(item.rows[rows[r]]);
      if (at) dots.shade.push_back(std::round(100 * *at) / 100);
    }
    with_shade.add_to(shaded, labels[i]);
    without.add_to(grey, labels[i]);
  }
  if (left_out > 0) labels.push_back("… " + std::to_string(left_out) + " more");
  Value color = field("shade", "quantitative");
  color.set("scale", Value::object({{"domain", Value::array().push_back(0).push_back(1)},
                                    {"range", from_low_to_high()},
                                    {"clamp", true}}));
  // Numbers would be shares between quantiles: only the direction matters.
  color.set("legend", Value::object({{"title", "value of the feature, low to high"},
                                     {"orient", "top"},
                                     {"direction", "horizontal"},
                                     {"gradientLength", 160},
                                     {"gradientThickness", 8},
                                     {"labelOpacity", 0},
                                     {"labelFontSize", 1}}));
  const Value tip = tooltip({{"y", "feature", false}, {"own", "value", false}, {"x", "adds"}, {"row", "row", false}});
  Value x = quantity_encoding("x", prediction_title(result, Quantity::effect, item.output), false, domain.any);
  const auto scale = ProbabilityScale::of(result);
  if (scale && scale->alone()) add_probabilities(x, *scale, item.base, true);
  Value offset = field("o", "quantitative");
  offset.set("scale", Value::object({{"domain", Value::array().push_back(-1.15).push_back(1.15)}}));
  Value layers = Value::array();
  layers.push_back(zero_rule(true));
  const Value apart(std::vector<std::string>{"x", "o", "own", "row", "shade"});
  const auto layer = [&](Value::Array data, Value of) {
    if (data.empty()) return;
    layers.push_back(Value::object({{"data", inline_data(std::move(data))},
                                    {"transform", Value::array().push_back(Value::object({{"flatten", apart}}))},
                                    {"mark", dots(0.75)},
                                    {"encoding", Value::object({{"y", down(labels, 190)},
                                                                {"x", x},
                                                                {"yOffset", offset},
                                                                {"color", std::move(of)},
                                                                {"tooltip", tip}})}}));
  };
  layer(std::move(grey), Value::object({{"value", plain}}));
  layer(std::move(shaded), color);
  Value chart = Value::object(
      {{"width", chart_width}, {"height", swarm_height * static_cast<int>(labels.size())}, {"layer", layers}});
  return with_percents(result, Measure::effect, std::move(chart), {"x"});
}

// Colours by another feature: shades for numbers, the palette for a few levels, else nothing.
struct Tint {
  std::optional<std::size_t> feature;
  bool levels = false;
};

Tint tint_of(const Attributions& item, std::size_t feature) {
  const auto other = companion(item, feature);
  if (!other) return {};
  const Axis& axis = item.features[*other];
  if (axis.is_categorical() && axis.levels.size() > colours) return {};
  return {other, axis.is_categorical()};
}

Value scatter_chart(const Result& result, const Attributions& item, std::size_t feature, const LevelPlanPtr& plan) {
  const Axis& axis = item.features[feature];
  const Tint tint = tint_of(item, feature);
  const auto rows = shown_rows(item, dots_per_feature);
  NumericX numeric;
  std::vector<bool> used(axis.levels.size() + 1);
  Domain heights;
  heights.add(0);
  for (const std::size_t row : rows) {
    const double own = item.own(row, feature);
    heights.add(item.value(row, feature));
    if (std::isnan(own)) {
      numeric.has_missing = true;
    } else if (axis.is_categorical()) {
      used[static_cast<std::size_t>(own)] = true;
    } else {
      numeric.domain.add(own);
      numeric.values.push_back(own);
    }
  }
  // Only levels that a row has; of many the others stand together.
  Axis present = axis;
  present.levels.clear();
  std::vector<std::size_t> codes;
  for (std::size_t level = 0; level < axis.levels.size(); ++level) {
    if (!used[level]) continue;
    present.levels.push_back(axis.levels[level]);
    codes.push_back(level);
  }
  const ShownLevels levels = choose_levels(plan, present, levels_across);
  std::vector<std::string> names;
  std::vector<std::size_t> place(axis.levels.size(), levels.shown.size());
  for (const std::size_t level : levels.shown) {
    place[codes[level]] = names.size();
    names.push_back(present.levels[level]);
  }
  if (!levels.others.empty()) names.push_back(others_label(levels.others.size()));
  if (axis.is_categorical() && numeric.has_missing) names.emplace_back("missing");
  const auto labels = unique_labels(names);
  std::vector<std::string> groups;
  if (tint.levels) {
    groups = unique_labels(item.features[*tint.feature].levels);
  }
  const ValueShade shade(item, tint.levels || !tint.feature ? feature : *tint.feature);
  const auto offsets = swarm_offsets(item, feature, rows, heights.low, heights.high);
  Value::Array tinted, grey;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::size_t row = rows[r];
    const double own = item.own(row, feature), value = item.value(row, feature);
    if (!std::isfinite(value) || std::isinf(own)) continue;
    Value dot = Value::object({{"y", plotted(value)}, {"own", own_value(item, row, feature)}, {"row", item.rows[row]}});
    if (axis.is_categorical()) {
      dot.set("x", std::isnan(own) ? labels.back() : labels[place[static_cast<std::size_t>(own)]]);
      dot.set("o", std::round(1000 * offsets[r]) / 1000);
    } else {
      dot.set("x", placed(axis, std::isnan(own) ? numeric.slot() : own));
    }
    bool any = false;
    if (tint.feature) {
      const double other = item.own(row, *tint.feature);
      dot.set("other", own_value(item, row, *tint.feature));
      if (tint.levels && !std::isnan(other)) {
        dot.set("group", groups[static_cast<std::size_t>(other)]);
        any = true;
      } else if (!tint.levels && std::isfinite(other)) {
        dot.set("shade", placed(item.features[*tint.feature], other));
        any = true;
      }
    }
    (any ? tinted : grey).push_back(std::move(dot));
  }
  Value x;
  if (axis.is_categorical()) {
    x = level_encoding(axis, labels, true);
  } else {
    x = numeric.encoding(axis, true);
  }
  Value y = quantity_encoding("y", prediction_title(result, Quantity::effect, item.output), false, true);
  const auto scale = ProbabilityScale::of(result);
  if (scale && scale->alone()) add_probabilities(y, *scale, item.base, true);
  std::vector<TooltipField> fields{{"own", "value", false}, {"y", "adds"}};
  if (tint.feature) fields.push_back({"other", "colour", false});
  fields.push_back({"row", "row", false});
  Value layers = Value::array();
  layers.push_back(zero_rule());
  const auto layer = [&](const Value::Array& data, Value color) {
    if (data.empty()) return;
    Value encoding = Value::object({{"x", x}, {"y", y}, {"color", std::move(color)}, {"tooltip", tooltip(fields)}});
    if (axis.is_categorical()) {
      Value offset = field("o", "quantitative");
      encoding.set("xOffset",
                   offset.set("scale", Value::object({{"domain", Value::array().push_back(-1.3).push_back(1.3)}})));
    }
    PackedRows rows_at_once = packed(data);
    layers.push_back(Value::object({{"data", std::move(rows_at_once.data)},
                                    {"transform", std::move(rows_at_once.transform)},
                                    {"mark", dots(0.75)},
                                    {"encoding", encoding}}));
  };
  layer(grey, Value::object({{"value", tint.feature ? plain : lowers}}));
  if (tint.levels) {
    Value color = group_color(groups, ordinary_name(axis_title(item.features[*tint.feature])));
    if (const Value* legend = color.find("legend"); legend != nullptr && legend->is_object()) {
      Value round = *legend;
      color.set("legend", round.set("symbolType", "circle").set("symbolStrokeWidth", 0));
    }
    layer(tinted, color);
  } else if (tint.feature) {
    Domain others;
    std::vector<double> sorted;
    for (const std::size_t row : rows) {
      if (std::isfinite(item.own(row, *tint.feature))) sorted.push_back(item.own(row, *tint.feature));
    }
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty()) {
      others.add(sorted[sorted.size() / 20]);
      others.add(sorted[sorted.size() - 1 - sorted.size() / 20]);
    }
    Value color = field("shade", "quantitative");
    color.set(
        "scale",
        Value::object({{"domain", Value::array()
                                      .push_back(placed(item.features[*tint.feature], others.low))
                                      .push_back(placed(item.features[*tint.feature], others.low + others.span()))},
                       {"range", from_low_to_high()},
                       {"clamp", true}}));
    Value legend = Value::object({{"title", ordinary_name(axis_title(item.features[*tint.feature]))},
                                  {"orient", "top"},
                                  {"direction", "horizontal"},
                                  {"gradientLength", 160},
                                  {"gradientThickness", 8},
                                  {"tickCount", 3},
                                  {"format", ",.3~r"}});
    if (item.features[*tint.feature].dates) add_date_ticks(legend, item.features[*tint.feature], others, 3);
    color.set("legend", legend);
    layer(tinted, color);
  }
  if (!axis.is_categorical() && numeric.has_missing) layers.push_back(missing_label(numeric));
  return with_percents(result, Measure::effect,
                       Value::object({{"width", chart_width}, {"height", chart_height}, {"layer", layers}}), {"y"});
}

}  // namespace

Value attribution_chart(const Result& result, const AttributionPicture& group) {
  switch (group.view) {
    case AttributionView::row: return row_chart(result, *group.attributions, group.shown);
    case AttributionView::feature: return scatter_chart(result, *group.attributions, group.shown, group.levels);
    case AttributionView::rows: break;
  }
  return swarm_chart(result, *group.attributions);
}

}  // namespace sightglass::vega
