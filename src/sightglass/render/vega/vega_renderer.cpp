#include "sightglass/render/vega/vega_renderer.h"

#include "sightglass/insight/readable.h"
#include "sightglass/render/shape_view.h"
#include "sightglass/render/vega/parts_internal.h"
#include "sightglass/result/json.h"

namespace sightglass {

namespace {

// Okabe and Ito's colours, which remain apart for every common kind of colour vision, without the yellow that
// nobody can see on white.
const std::vector<std::string> palette = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                          "#56B4E9", "#E69F00", "#5D3A9B", "#7A7A7A"};

Value complete(Value chart) {
  Value spec = Value::object({{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"}});
  spec.set("background", "transparent");
  for (const auto& [key, value] : chart.as_object()) spec.set(key, value);
  // Vega-Lite would build descriptions of marks from titles, as expressions: names must not get there. The
  // page has its own text alternative.
  spec.set(
      "config",
      Value::object(
          {{"aria", false},
           // "12 %", as in every sentence.
           {"locale", Value::object({{"number", Value::object({{"decimal", "."},
                                                               {"thousands", ","},
                                                               {"grouping", Value::array().push_back(3)},
                                                               {"currency", Value(std::vector<std::string>{"$", ""})},
                                                               {"percent", " %"}})}})},
           {"font", "system-ui, sans-serif"},
           {"view", Value::object({{"stroke", Value()}})},
           {"axis", Value::object({{"titleLimit", 420},
                                   {"labelFontSize", 11},
                                   {"titleFontSize", 12},
                                   {"titleFontWeight", "normal"},
                                   {"titlePadding", 8}})},
           {"legend",
            Value::object({{"titleLimit", 300},
                           {"labelFontSize", 11},
                           {"titleFontSize", 12},
                           {"titleFontWeight", "normal"},
                           // Legends above a chart stand one above the other: side by side they may not fit.
                           {"layout", Value::object({{"top", Value::object({{"direction", "vertical"}})}})}})},
           {"line", Value::object({{"color", palette[0]}})},
           {"style",
            Value::object({{"on-middle", Value::object({{"color", "#1a1f27"}})},
                           {"on-ends", Value::object({{"color", "#ffffff"}})},
                           {"rim", Value::object({{"color", "#ffffff"}, {"stroke", "#ffffff"}, {"strokeWidth", 4}})}})},
           {"range",
            Value::object({{"category", Value(palette)}, {"diverging", Value::object({{"scheme", "blueorange"}})}})}}));
  return spec;
}

// What is shown, and below it by which method, of which output.
Value chart_title(const std::string& text, const std::vector<std::string>& more) {
  std::string below;
  for (const auto& part : more) {
    if (!part.empty()) below += (below.empty() ? "" : " · ") + part;
  }
  return Value::object({{"text", ordinary_name(text)},
                        {"subtitle", below},
                        {"subtitleColor", vega::muted_ink},
                        {"anchor", "start"},
                        {"limit", 640},
                        {"offset", 12}});
}

// alone: without a page around it.
Value chart_of(const Result& result, const ItemGroup& group, int id, bool alone = false) {
  // A feature without any value still gets a place, so that nobody looks for it in vain.
  if (group.is_empty()) return vega::message_chart("no values to show");
  const ShapeView& view = view_of(group);
  return alone && view.chart_alone != nullptr ? view.chart_alone(result, group, id) : (*view.chart)(result, group, id);
}

}  // namespace

Value vega_spec(const Result& result, const ItemGroup& group) {
  Value chart = chart_of(result, group, 0);
  const auto narrow = view_of(group).narrow_chart;
  if (narrow != nullptr && !group.is_empty())
    chart.set("usermeta",
              Value::object({{"narrow", narrow(result, group)}}));  // the page takes it where it fits better
  return complete(std::move(chart));
}

Value vega_spec(const Effect& effect) { return complete(vega::effect_chart(effect)); }

Value vega_spec(const WhatIf& picture) { return complete(vega::panels_chart(picture)); }

Value vega_slack(const WhatIf& picture) {
  Value chart = vega::slack_chart(picture);
  return chart.is_null() ? chart : complete(std::move(chart));
}

Value vega_pair_map(const PairMap& map) { return complete(vega::pair_map_chart(map)); }

Value vega_pair_bars(const PairMap& map) { return complete(vega::pair_bars_chart(map)); }

Value vega_spec(const Result& result, const std::vector<const Surface*>& surfaces, const LevelPlanPtr& levels) {
  std::vector<std::string> outputs;
  std::vector<Value> charts;
  vega::Domain colours;
  for (const Surface* surface : surfaces) {
    const vega::Domain own = vega::surface_colours(*surface, levels);
    colours.add(own.low);
    colours.add(own.high);
  }
  for (const Surface* surface : surfaces) {
    outputs.push_back(surface->output);
    // The chart's title names the output where there are several, its legend must not.
    Surface shown = *surface;
    if (surfaces.size() > 1) shown.output.clear();
    charts.push_back(vega::surface_chart(result, shown, 0, levels, colours));
  }
  return complete(vega::by_output(result, unique_labels(outputs), std::move(charts)));
}

Value vega_spec(const Result& result) {
  const auto groups = group_items(result);
  // A picture travels alone: it says itself what it shows, and that it does not show all rows.
  const std::string condition = rows_condition(result);
  const std::string only = condition.empty() ? "" : "only rows where " + condition;
  if (groups.size() == 1) {
    const ItemGroup& group = groups[0];
    Value chart = chart_of(result, group, 0, true);
    const std::string shown = prediction_title(result, Quantity::single, group_output(result, group));
    chart.set("title", chart_title(group_title(group),
                                   {method_title(result), group_qualifier(result, group, false), shown, only}));
    return complete(std::move(chart));
  }
  Value::Array charts;
  for (const auto& group : groups) {
    Value chart = chart_of(result, group, static_cast<int>(charts.size()), true);
    const std::string qualifier = group_qualifier(result, group);
    chart.set("title", Value::object({{"text", group_title(group) + (qualifier.empty() ? "" : " · " + qualifier)},
                                      {"anchor", "start"}}));
    charts.push_back(std::move(chart));
  }
  // Colours and axes belong to each chart, not to the page.
  const Value independent = Value::object({{"color", "independent"}, {"x", "independent"}, {"y", "independent"}});
  Value page = Value::object(
      {{"vconcat", Value(std::move(charts))}, {"spacing", 48}, {"resolve", Value::object({{"scale", independent}})}});
  if (!groups.empty())
    page.set("title", chart_title(method_title(result), {prediction_title(result, Quantity::single, ""), only}));
  return complete(std::move(page));
}

std::string render_vega(const Result& result) { return to_json(vega_spec(result)) + "\n"; }

}  // namespace sightglass
