#include <algorithm>
#include <cmath>
#include <map>

#include "sightglass/base/error.h"
#include "sightglass/render/groups.h"
#include "sightglass/render/html/payload_internal.h"
#include "sightglass/render/readable.h"
#include "sightglass/render/vega/vega_renderer.h"

namespace sightglass {

namespace {

constexpr std::size_t canvas_cells = 4500;  // more marks than this are drawn on canvas, not as SVG elements
constexpr std::size_t spark_points = 48;

Value pairs(const std::vector<std::pair<std::string, std::string>>& list) {
  Value rows = Value::array();
  for (const auto& [name, value] : list) rows.push_back(Value::array().push_back(name).push_back(value));
  return rows;
}

std::string how_to_read(const ItemGroup& group) {
  if (group.surface != nullptr) {
    const Surface& surface = *group.surface;
    std::string text = "The mean prediction when both features of every row are set to these values.";
    const bool lines = surface.first.is_categorical() != surface.second.is_categorical();
    if (!surface.count.empty() && !lines) text += " Faded cells: the data have no rows there.";
    return text;
  }
  if (group.curves != nullptr) {
    const Curves& curves = *group.curves;
    const bool centred = curves.anchor.has_value() || !curves.anchor_level.empty();
    std::string text = centred ? "Each thin line is one row: how its prediction changes from where all lines meet."
                               : "Each thin line is one row: its prediction when only this feature changes.";
    if (!curves.mean.empty()) text += " The thick line is the mean of all rows.";
    if (curves.bands.size() > 1) {
      text +=
          " The grey band holds " + percent(curves.band_levels.back() - curves.band_levels.front()) + " of all rows.";
    }
    return text + " Lines that are not parallel mean interactions.";
  }
  const Curve& curve = *group.curve[0];
  if (curve.axis.is_categorical()) {
    return "The mean prediction when this feature of every row is set to the level. The thin lines are 95 % "
           "intervals for differences between levels.";
  }
  std::string text = "The mean prediction when this feature of every row is set to the value on the axis.";
  if (!curve.se_shape.empty()) text += " The band is a 95 % interval for the shape of the curve.";
  if (!curve.distribution.counts.empty()) text += " Below: how many rows of the data have such values, with deciles.";
  return text;
}

Value chips(const ItemGroup& group) {
  Value list = Value::array();
  const auto heterogeneity = group.curves != nullptr ? group.curves->heterogeneity
                             : !group.curve.empty()  ? group.curve[0]->heterogeneity
                                                     : std::nullopt;
  if (group.curve.size() == 1 && group.curve[0]->shape) {
    list.push_back(std::string(to_string(*group.curve[0]->shape)) + " shape");
  }
  if (heterogeneity && group.curve.size() <= 1) list.push_back("heterogeneity " + percent(*heterogeneity));
  return list;
}

Value table_of(const ItemGroup& group) {
  const DataTable table = data_table(group);
  Value columns = Value::array(), rows = Value::array();
  for (const auto& column : table.columns) {
    columns.push_back(Value::object({{"title", column.title}, {"numeric", column.numeric}}));
  }
  for (const auto& row : table.rows) rows.push_back(Value(row));
  return Value::object(
      {{"columns", columns}, {"rows", rows}, {"left_out", Value(static_cast<std::uint64_t>(table.left_out))}});
}

Value chart_of(const Result& result, const ItemGroup& group) {
  const bool many_marks =
      group.surface != nullptr && group.surface->first.size() * group.surface->second.size() > canvas_cells;
  Value chart = Value::object({{"method", method_title(result.method)}});
  chart.set("chips", chips(group));
  chart.set("reading", how_to_read(group));
  chart.set("description", describe(result, group));
  chart.set("canvas", group.curves != nullptr || many_marks);
  chart.set("table", table_of(group));
  chart.set("spec", vega_spec(result, group));
  return chart;
}

struct Section {
  std::vector<std::string> features;
  std::string title;
  Value::Array charts;
};

class Sections {
 public:
  std::size_t find_or_add(const ItemGroup& group) {
    std::vector<std::string> features;
    for (const Axis* axis : group.axes()) features.push_back(axis->feature);
    const std::size_t found = find(features);
    if (found < list_.size()) return found;
    list_.push_back({features, group_title(group), {}});
    return list_.size() - 1;
  }
  // list_.size() if there is none.
  [[nodiscard]] std::size_t find(const std::vector<std::string>& features) const {
    const auto same = [&](const Section& section) { return section.features == features; };
    return static_cast<std::size_t>(std::find_if(list_.begin(), list_.end(), same) - list_.begin());
  }
  std::vector<Section>& list() { return list_; }

 private:
  std::vector<Section> list_;
};

// How far the mean prediction moves along the feature: the first thing one wants to compare.
struct Glance {
  std::size_t section = 0;
  std::string quantity;  // only effects on the same quantity can be compared
  std::string title, output, shape, heterogeneity;
  bool of_several = false;  // outputs, of which this one moves most
  double range = 0;
  bool categorical = false;
  Value spark = Value::array();
};

Glance glance_of(const ItemGroup& group, std::size_t section) {
  Glance glance;
  glance.section = section;
  glance.title = group_title(group);
  glance.categorical = group.curve[0]->axis.is_categorical();
  const Curve* widest = nullptr;
  for (const Curve* curve : group.curve) {
    double low = INFINITY, high = -INFINITY;
    for (const double value : curve->mean) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (high >= low && (widest == nullptr || high - low > glance.range)) {
      glance.range = high - low;
      widest = curve;
    }
  }
  if (widest == nullptr) return glance;
  glance.output = widest->output;
  glance.of_several = group.curve.size() > 1;
  if (widest->shape) glance.shape = to_string(*widest->shape);
  if (widest->heterogeneity) glance.heterogeneity = percent(*widest->heterogeneity);
  const std::size_t size = widest->mean.size(), shown = std::min(size, spark_points);
  const double low = *std::min_element(widest->mean.begin(), widest->mean.end());
  for (std::size_t k = 0; k < shown; ++k) {
    const double value = widest->mean[shown < 2 ? 0 : k * (size - 1) / (shown - 1)];
    const double share = glance.range > 0 ? (value - low) / glance.range : 0.5;
    if (std::isfinite(share)) glance.spark.push_back(std::round(1000 * share) / 1000);
  }
  return glance;
}

Value glances_of(std::vector<Glance> glances) {
  std::map<std::string, double> largest;
  for (const auto& glance : glances) largest[glance.quantity] = std::max(largest[glance.quantity], glance.range);
  const auto share = [&](const Glance& glance) {
    return glance.range > 0 ? glance.range / largest[glance.quantity] : 0;
  };
  std::stable_sort(glances.begin(), glances.end(),
                   [&](const Glance& a, const Glance& b) { return share(a) > share(b); });
  const bool several = std::any_of(glances.begin(), glances.end(), [](const Glance& g) { return g.of_several; });
  Value list = Value::array();
  for (const auto& glance : glances) {
    const std::string title = several ? glance.title + ", output " + glance.output : glance.title;
    list.push_back(Value::object({{"section", Value(static_cast<std::uint64_t>(glance.section))},
                                  {"title", title},
                                  {"range", readable(glance.range)},
                                  {"share", share(glance)},
                                  {"shape", glance.shape},
                                  {"heterogeneity", glance.heterogeneity},
                                  {"categorical", glance.categorical},
                                  {"spark", glance.spark}}));
  }
  return list;
}

Value caveat_of(const Caveat& caveat, const Sections& sections, std::size_t section_count) {
  std::vector<std::string> features;
  if (const Value* feature = caveat.evidence.find("feature"); feature != nullptr && feature->is_string()) {
    features.push_back(feature->as_string());
  } else if (const Value* several = caveat.evidence.find("features"); several != nullptr && several->is_array()) {
    for (const auto& item : several->as_array()) features.push_back(item.is_string() ? item.as_string() : "");
  }
  const std::size_t section = features.empty() ? section_count : sections.find(features);
  return Value::object({{"id", printable(caveat.id, 60)},
                        {"severity", std::string(to_string(caveat.severity))},
                        {"message", printable(caveat.message, 800)},
                        {"advice", printable(caveat.advice, 400)},
                        {"evidence", pairs(facts(caveat.evidence))},
                        {"section", section < section_count ? Value(static_cast<std::uint64_t>(section)) : Value()}});
}

std::string default_title(const std::vector<Result>& results) {
  if (results.empty()) return "Sightglass";
  const Result& first = results[0];
  const std::string target = text_member(first.data, "target");
  const std::string subject = target.empty() ? text_member(first.model, "source") : target;
  return subject.empty() ? method_title(first.method) : "What the model says about " + printable(subject, 80);
}

}  // namespace

Value page_payload(const std::vector<Result>& results, std::string_view title) {
  Sections sections;
  std::vector<Glance> glances;
  Value runs = Value::array();
  for (const auto& result : results) {
    runs.push_back(Value::object({{"method", method_title(result.method)},
                                  {"version", printable(result.version, 40)},
                                  {"shows", prediction_title(result, Quantity::mean, "")},
                                  {"model", pairs(facts(result.model))},
                                  {"data", pairs(facts(result.data))},
                                  {"options", pairs(facts(result.options))}}));
    for (const auto& group : group_items(result)) {
      const std::size_t section = sections.find_or_add(group);
      Value chart = chart_of(result, group);
      // The same curve may come with two results (alone, and beside a pair): once is enough.
      auto& charts = sections.list()[section].charts;
      if (std::find(charts.begin(), charts.end(), chart) != charts.end()) continue;
      charts.push_back(std::move(chart));
      if (group.curve.empty() || group.axes()[0]->size() == 0) continue;
      glances.push_back(glance_of(group, section));
      glances.back().quantity = prediction_title(result, Quantity::mean, "");
    }
  }
  const std::size_t section_count = sections.list().size();
  std::vector<Caveat> all;
  for (const auto& result : results) all.insert(all.end(), result.caveats.begin(), result.caveats.end());
  Value caveats = Value::array();
  for (const Caveat* caveat : worst_first(all)) caveats.push_back(caveat_of(*caveat, sections, section_count));

  Value list = Value::array();
  for (auto& section : sections.list()) {
    list.push_back(Value::object({{"title", section.title}, {"charts", Value(std::move(section.charts))}}));
  }
  return Value::object({{"title", title.empty() ? default_title(results) : printable(title, 200)},
                        {"runs", runs},
                        {"glance", glances_of(std::move(glances))},
                        {"caveats", caveats},
                        {"sections", list}});
}

}  // namespace sightglass
