// Which pairs of features act together: a heat map of their strengths, and the strongest as bars. A mark whose pair has
// a section of the page carries its number. Several outputs share the charts, one is shown (signal `output`).
#include <algorithm>
#include <cmath>
#include <map>

#include "sightglass/insight/readable.h"
#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

namespace {

constexpr int pair_step = 24;
// From next to nothing to full colour: reads the same on light and dark paper.
constexpr const char* faint = "rgba(213, 94, 0, 0.05)";
constexpr const char* full = "rgba(213, 94, 0, 1)";

std::string strength_title(const PairMap& map) {
  return "interaction strength: " +
         prediction_title(*map.result, Quantity::single, map.outputs.size() > 1 ? "" : map.outputs[0]);
}

void tag(Value& row, const PairMap& map, const PairMap::Cell& cell, const std::vector<std::string>& outputs) {
  row.set("h2", plotted(cell.entry->h2, 4));
  if (cell.entry->se) row.set("se", plotted(*cell.entry->se, 3));
  if (cell.section) row.set("section", Value(static_cast<std::uint64_t>(*cell.section)));
  if (map.outputs.size() > 1) row.set("output", outputs[cell.output]);
}

bool any_error(const PairMap& map) {
  return std::any_of(map.cells.begin(), map.cells.end(),
                     [](const PairMap::Cell& cell) { return cell.entry->se.has_value(); });
}

std::vector<TooltipField> tooltip_fields(const PairMap& map, std::vector<TooltipField> fields) {
  fields.push_back({"h2", "H²"});
  if (any_error(map)) fields.push_back({"se", "se of H²"});
  return fields;
}

// Cut names may be the same for two pairs.
std::map<std::vector<std::string>, std::string> pair_labels(const PairMap& map) {
  std::map<std::vector<std::string>, std::string> labels;
  for (const auto& cell : map.cells) labels[cell.entry->features] = joined_names(cell.entry->features, 40);
  std::vector<std::string> names;
  for (const auto& [features, name] : labels) names.push_back(name);
  const auto different = unique_labels(names);
  std::size_t next = 0;
  for (auto& [features, name] : labels) name = different[next++];
  return labels;
}

// One output at a time.
Value with_outputs(Value chart, const PairMap& map, const std::vector<std::string>& outputs) {
  if (map.outputs.size() < 2) return chart;
  chart.set("transform", Value::array().push_back(shown_if("datum.output == output")));
  return chart.set("title", output_title(*map.result))
      .set("params", Value::array().push_back(signal("output", outputs[0])));
}

}  // namespace

Value pair_map_chart(const PairMap& map) {
  const auto outputs = unique_labels(map.outputs);
  std::vector<std::string> names(map.features.begin(), map.features.end() - static_cast<std::ptrdiff_t>(map.left_out));
  const auto labels = unique_labels(names);
  Value::Array cells;
  double largest = 0;
  for (const auto& cell : map.cells) {
    if (cell.first >= labels.size() || cell.second >= labels.size() || !std::isfinite(cell.entry->strength)) continue;
    largest = std::max(largest, cell.entry->strength);
    // Symmetric: whichever way one looks for a pair.
    for (const bool turned : {false, true}) {
      Value row = Value::object({{"x", labels[turned ? cell.second : cell.first]},
                                 {"y", labels[turned ? cell.first : cell.second]},
                                 {"mean", plotted(cell.entry->strength, 4)}});
      tag(row, map, cell, outputs);
      cells.push_back(std::move(row));
    }
  }
  const auto side = [&](const char* name, int angle) {
    Value encoding = field(name, "nominal");
    encoding.set("scale", Value::object({{"domain", texts(labels)}})).set("sort", Value());
    Value guide = Value::object({{"title", Value()}, {"labelLimit", 130}, {"grid", false}, {"ticks", false}});
    return encoding.set("axis", guide.set("domain", false).set("labelAngle", angle));
  };
  Value color = field("mean", "quantitative");
  color.set("scale", Value::object({{"domain", Value::array().push_back(0).push_back(largest > 0 ? largest : 1)},
                                    {"range", texts({faint, full})}}));
  color.set("legend", Value::object({{"title", strength_title(map)},
                                     {"orient", "top"},
                                     {"direction", "horizontal"},
                                     {"gradientLength", 220},
                                     {"gradientThickness", 8},
                                     {"titleLimit", 420},
                                     {"tickCount", 4},
                                     {"format", ",.4~r"}}));
  const Value tip = tooltip(tooltip_fields(map, {{"x", "feature", false}, {"y", "with", false}, {"mean", "strength"}}));
  const Value places = Value::object({{"x", side("x", -40)}, {"y", side("y", 0)}});
  Value filled = Value::object({{"color", color}, {"tooltip", tip}});
  Value layers = Value::array();
  layers.push_back(Value::object({{"mark", Value::object({{"type", "rect"}})}, {"encoding", filled}}));
  const bool leads = std::any_of(map.cells.begin(), map.cells.end(),
                                 [](const PairMap::Cell& cell) { return cell.section.has_value(); });
  if (leads) {
    const Value frame = Value::object({{"type", "rect"},
                                       {"filled", false},
                                       {"stroke", muted_ink},
                                       {"strokeWidth", 1.2},
                                       {"fill", "transparent"},
                                       {"cursor", "pointer"}});
    layers.push_back(Value::object({{"transform", Value::array().push_back(shown_if("isValid(datum.section)"))},
                                    {"mark", frame},
                                    {"encoding", Value::object({{"tooltip", tip}})}}));
  }
  const int height = std::clamp(28 * static_cast<int>(labels.size()), 110, 560);
  return with_outputs(Value::object({{"width", chart_width},
                                     {"height", height},
                                     {"data", inline_data(std::move(cells))},
                                     {"encoding", places},
                                     {"layer", layers}}),
                      map, outputs);
}

Value pair_bars_chart(const PairMap& map) {
  const auto outputs = unique_labels(map.outputs);
  const auto labels = pair_labels(map);
  Value::Array rows;
  std::size_t most = 0;
  for (const auto& cell : map.cells) {
    if (cell.rank >= bars_of_pairs || !std::isfinite(cell.entry->strength)) continue;
    most = std::max(most, cell.rank + 1);
    Value row = Value::object({{"y", labels.at(cell.entry->features)},
                               {"x", plotted(cell.entry->strength, 4)},
                               {"rank", Value(static_cast<std::uint64_t>(cell.rank))},
                               {"shown", cell.faded ? 0.4 : 1.0},
                               {"label", cell.faded ? "" : "H² " + percent(cell.entry->h2)}});
    tag(row, map, cell, outputs);
    rows.push_back(std::move(row));
  }
  Value y = field("y", "nominal");
  y.set("sort", Value::object({{"field", "rank"}, {"op", "min"}}));
  y.set("axis",
        Value::object({{"title", Value()}, {"labelLimit", 240}, {"grid", false}, {"ticks", false}, {"domain", false}}));
  Value x = quantity_encoding("x", strength_title(map), true);
  const Value faint_bars = Value::object({{"field", "shown"}, {"type", "quantitative"}, {"scale", Value()}});
  Value layers = Value::array();
  layers.push_back(Value::object(
      {{"mark", Value::object({{"type", "bar"},
                               {"height", Value::object({{"band", 0.66}})},
                               {"fillOpacity", 0.75},
                               {"color", full},
                               {"cornerRadiusEnd", 2}})},
       {"encoding",
        Value::object({{"opacity", faint_bars},
                       {"tooltip", tooltip(tooltip_fields(map, {{"y", "features", false}, {"x", "strength"}}))}})}}));
  layers.push_back(Value::object(
      {{"mark", Value::object({{"type", "text"}, {"align", "left"}, {"dx", 6}, {"style", "guide-label"}})},
       {"encoding",
        Value::object({{"text", field("label", "nominal")}, {"color", Value::object({{"value", muted_ink}})}})}}));
  return with_outputs(Value::object({{"width", chart_width},
                                     {"height", pair_step * static_cast<int>(most)},
                                     {"data", inline_data(std::move(rows))},
                                     {"encoding", Value::object({{"y", y}, {"x", x}})},
                                     {"layer", layers}}),
                      map, outputs);
}

}  // namespace sightglass::vega
