// Pieces that the charts share. A chart is a Vega-Lite view as a Value; its data have fixed internal field
// names (x, y, low, high, group, …). Names from the user appear only as data, as literal titles or in
// explicit scale domains, never in a place that Vega-Lite turns into an expression: for the same reason a
// tooltip's titles are fixed words and levels are ordered by a domain, not by a sort.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sightglass/insight/effects.h"
#include "sightglass/insight/groups.h"
#include "sightglass/insight/groups/attribution_picture.h"
#include "sightglass/insight/groups/curve_lines.h"
#include "sightglass/insight/groups/figures.h"
#include "sightglass/insight/groups/importance_entries.h"
#include "sightglass/insight/groups/interaction_entries.h"
#include "sightglass/insight/pairs.h"
#include "sightglass/insight/probabilities.h"
#include "sightglass/insight/shading.h"
#include "sightglass/insight/shown_levels.h"
#include "sightglass/insight/what_if.h"
#include "sightglass/result/result.h"

namespace sightglass::vega {

constexpr int chart_width = 560;
constexpr int chart_height = 290;
constexpr const char* muted_ink = "#737d8c";  // readable on light and dark paper

// For drawing: six digits are plenty; what JSON cannot hold leaves a gap.
[[nodiscard]] Value plotted(double value, int digits = 6);

// A value of a feature, as finely as it is told: six digits of a date would be some hours.
[[nodiscard]] Value placed(const Axis& axis, double value);
[[nodiscard]] Value placed(const Axis& axis, const std::vector<double>& values);

struct Domain {
  double low = 0, high = 1;
  bool any = false;
  void add(double value);
  void add(const std::vector<double>& values);
  [[nodiscard]] double span() const { return high > low ? high - low : 1; }
  // So many digits, or as many as tell the domain's values apart where they lie far from zero.
  [[nodiscard]] Value plotted(double value, int digits = 5) const;
  [[nodiscard]] Value plotted(const std::vector<double>& values, int digits = 5) const;
};

// Round numbers within the domain, about `count` of them.
[[nodiscard]] Value ticks(const Domain& domain, int count, double least_step = 0);

[[nodiscard]] Value field(const char* name, const char* type);
[[nodiscard]] Value inline_data(Value::Array rows);
[[nodiscard]] Value texts(const std::vector<std::string>& values);
// Rows as one object with a list per field, which the chart takes apart: the names of fields travel once.
struct PackedRows {
  Value data, transform;
};
[[nodiscard]] PackedRows packed(const Value::Array& rows);

// Numeric: quantitative over the domain. `slot` is where missing values are drawn, right of the data.
struct NumericX {
  Domain domain;
  bool has_missing = false;
  bool whole = false;          // the feature counts: there is nothing between 2 and 3
  std::vector<double> values;  // of the data, where the axis has no grid

  [[nodiscard]] double slot() const { return domain.high + 0.09 * domain.span(); }
  [[nodiscard]] Value encoding(const Axis& axis, bool labelled) const;
};
// Ticks of an axis: few values (0 and 1) are the ticks themselves, between whole numbers there is nothing to mark, and
// years are written as such. Dates have ticks where months or days begin.
void add_ticks(Value& guide, const Axis& axis, const std::vector<double>& values);
void add_date_ticks(Value& guide, const Axis& axis, const Domain& domain, int count);
// Categorical: one band per level, in the given order.
[[nodiscard]] Value level_encoding(const Axis& axis, const std::vector<std::string>& labels, bool vertical);

// A y axis with the quantity's title, not forced to start at zero. Without a single number to draw it still
// needs some domain.
[[nodiscard]] Value quantity_encoding(const char* name, const std::string& title, bool zero, bool any_number = true);
// Ticks of a quantity say what its margins are as probabilities, too; `base` is added to them, with words for it where
// that is the average margin.
void add_probabilities(Value& encoding, const ProbabilityScale& scale, double base, bool effect);
// Colour by the field "group"; a legend only where there is more than one.
[[nodiscard]] Value group_color(const std::vector<std::string>& labels, const std::string& title);
[[nodiscard]] Value line_legend(const std::string& title);

struct TooltipField {
  const char* field;
  const char* title;
  bool number = true;
};
[[nodiscard]] Value tooltip(const std::vector<TooltipField>& fields);
// The chart with the numbers of these fields told in percent wherever a scale, a legend or a tooltip tells them. They
// are probabilities and differences of them; the sign is the configuration's.
[[nodiscard]] Value in_percent(const Value& chart, const std::vector<std::string_view>& fields);
// The same where a result's heights are told in percent; else as it is.
[[nodiscard]] Value with_percents(const Result& result, Measure measure, Value chart,
                                  const std::vector<std::string_view>& fields);

// The same, with the axis' values in that field; years are written as such. Dates are told by a field of their own,
// which with_date_texts() must add to the view that has the tooltip.
[[nodiscard]] Value tooltip_along(const Axis& axis, const std::string& name, Value tip);
[[nodiscard]] Value with_date_texts(Value view);

// A point of a curve with its 95 % band, as a row with the fields low, high, half and rows besides its own two.
struct CurvePoint {
  double mean, se, count;
};
[[nodiscard]] Value point_row(const char* axis, Value at, const char* height, const CurvePoint& point,
                              const std::string& group);
[[nodiscard]] Value curve_tooltip(const CurveLines& group, const char* axis, bool number, const char* height,
                                  bool any_band, bool any_count);
// Of a line at a height, in words, for the field "probability" of its points; nothing where none is known.
[[nodiscard]] std::optional<std::string> probability_beside(const CurveLines& group, std::size_t line, double height);
// The value at i, or a gap where a list is shorter (or empty).
[[nodiscard]] double entry(const std::vector<double>& values, std::size_t i);
// The axis of a chart of curves: "effect on the prediction of rentals (bikes/hour)".
[[nodiscard]] Value height_encoding(const Result& result, const CurveLines& group, const char* name, bool zero);
void tell_probabilities(Value& encoding, const Result& result, const CurveLines& group);
[[nodiscard]] std::string legend_title(const Result& result, const CurveLines& group);

// The line at height 0 (or at another where nothing happens), across the chart; down, where heights run to the
// right.
[[nodiscard]] Value zero_rule(bool vertical = false, double at = 0);
// "missing", where the axis has its numbers.
[[nodiscard]] Value missing_label(const NumericX& x);

// Layers of charts of curves (curve_layers.cpp). The band from `low` to `high`.
[[nodiscard]] Value band_layer(bool several);
// The value where the feature is missing, drawn apart.
[[nodiscard]] Value missing_layers(Value data, const Value& tip);
// Grid points where a curve should not be trusted, behind everything; null if there are none.
[[nodiscard]] Value shade_layer(const Axis& axis, const std::vector<ShadedSpan>& spans);
// Where the steps of accumulated effects end; null if the curve has none.
[[nodiscard]] Value edge_layer(const Curve& curve);
// A grid with few points shows them; with many, one appears under the pointer.
[[nodiscard]] Value point_layer(std::size_t points, const Value& tip, int id);

// The data's histogram and deciles, a small panel under a chart; null if there is nothing to show.
[[nodiscard]] Value histogram_panel(const Axis& axis, const Distribution& distribution, const NumericX& x);
// One above the other; null ones are left out, and one alone is just itself.
[[nodiscard]] Value stacked(Value::Array charts);

// What is shown only while an expression of signals is true. Expressions are made of fixed words, never of names.
[[nodiscard]] Value shown_if(const std::string& expression);
// A top-level parameter: a signal that the page (or nobody) changes.
[[nodiscard]] Value signal(const char* name, Value value);

// The charts; `id` keeps the names of interactions apart where charts are joined.
[[nodiscard]] Value curve_chart(const Result& result, const CurveLines& group, int id);
[[nodiscard]] Value level_chart(const Result& result, const CurveLines& group);
// Rows per level, at the right edge of a chart of levels, and whether rows leave the data there.
[[nodiscard]] Value count_layer(const CurveLines& group, const SharedLevels& shared,
                                const std::vector<std::string>& levels, bool with_doubts = true);
[[nodiscard]] Value effect_chart(const Effect& effect);
// A panel for each feature; below them, how far values can move.
[[nodiscard]] Value what_if_chart(const WhatIf& picture);
[[nodiscard]] Value panels_chart(const WhatIf& picture);
// Null where no value changes the class.
[[nodiscard]] Value slack_chart(const WhatIf& picture);
[[nodiscard]] Value pair_map_chart(const PairMap& map);
[[nodiscard]] Value pair_bars_chart(const PairMap& map);
// Charts of the same kind, one per output, as one chart that shows the output of the signal `output`; their colours
// then have one scale.
[[nodiscard]] Value by_output(const Result& result, const std::vector<std::string>& labels, std::vector<Value> charts);
// The output that a chart shows, above it.
[[nodiscard]] Value output_title(const Result& result);
[[nodiscard]] Value curves_chart(const Result& result, const Curves& curves, const LevelPlanPtr& plan);
// colours: the heights that they stand for, where charts of several outputs share them.
[[nodiscard]] Value surface_chart(const Result& result, const Surface& surface, int id, const LevelPlanPtr& plan,
                                  const std::optional<Domain>& colours = std::nullopt);
[[nodiscard]] Domain surface_colours(const Surface& surface, const LevelPlanPtr& plan);
[[nodiscard]] Value importance_chart(const ImportanceEntries& group);
[[nodiscard]] Value interaction_chart(const Result& result, const InteractionEntries& group);
[[nodiscard]] Value attribution_chart(const Result& result, const AttributionPicture& group);
// A sentence in place of a chart.
[[nodiscard]] Value message_chart(const std::string& message);
[[nodiscard]] Value figure_chart(const Result& result, const Figures& group);

}  // namespace sightglass::vega
