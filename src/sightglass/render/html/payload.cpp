#include <algorithm>
#include <cmath>
#include <map>

#include "sightglass/base/error.h"
#include "sightglass/render/data_table.h"
#include "sightglass/render/description.h"
#include "sightglass/render/findings.h"
#include "sightglass/render/groups.h"
#include "sightglass/render/html/payload_internal.h"
#include "sightglass/render/ranking.h"
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

Value chart_of(const Result& result, const ItemGroup& group, const std::string& rows) {
  const bool many_marks =
      group.surface != nullptr && group.surface->first.size() * group.surface->second.size() > canvas_cells;
  Value chart = Value::object({{"method", method_title(result.method)}});
  std::string about = group_qualifier(result, group);
  if (!rows.empty()) about += (about.empty() ? "" : " · ") + rows;
  chart.set("about", about);
  chart.set("chips", Value(badges(group)));
  chart.set("reading", how_to_read(result, group));
  chart.set("description", describe(result, group));
  // Rankings side by side need the whole page.
  chart.set("wide", !group.importance.empty() && ranking_of(group).columns.size() > 2);
  const bool many_dots = group.attributions != nullptr && group.view != AttributionView::row;
  chart.set("canvas", group.curves != nullptr || many_marks || many_dots);
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
    const std::string title = group_title(group);
    // Rankings are about no feature alone; they have their place by their title.
    const auto same = [&](const Section& section) {
      return section.features == features && (!features.empty() || section.title == title);
    };
    const auto found = std::find_if(list_.begin(), list_.end(), same);
    if (found != list_.end()) return static_cast<std::size_t>(found - list_.begin());
    list_.push_back({features, title, {}});
    return list_.size() - 1;
  }
  // list_.size() if there is none.
  [[nodiscard]] std::size_t find(const std::vector<std::string>& features) const {
    const auto same = [&](const Section& section) { return !features.empty() && section.features == features; };
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
  std::string title, line, shape, heterogeneity;
  double range = 0;
  bool categorical = false;
  Value spark = Value::array(), others = Value::array();
};

// Of methods that are compared, effects count: the others mix in what other features do.
std::size_t told_line(const ItemGroup& group) {
  if (group.lines == LinesBy::series) {
    for (std::size_t k = 0; k < group.curve.size(); ++k) {
      const Curve& curve = *group.curve[k];
      if (curve.measure == Measure::effect || curve.series.starts_with("ALE")) return k;
    }
    return 0;
  }
  return widest_first(group)[0];
}

// From 0 to 1 between the least and the greatest.
class Shares {
 public:
  void add(double value) {
    if (!std::isfinite(value)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  // Halves, so that the largest numbers there are do not overflow.
  [[nodiscard]] double operator()(double value) const {
    const double span = high_ / 2 - low_ / 2;
    return span > 0 ? std::round(1000 * (value / 2 - low_ / 2) / span) / 1000 : 0.5;
  }

 private:
  double low_ = INFINITY, high_ = -INFINITY;
};

// The lines of one chart, small, numeric features at their values. Only shapes are compared: each line is centred,
// because the lines of classes may lie far apart.
struct Sparks {
  Shares x, y;

  Sparks(const ItemGroup& group, const std::vector<std::size_t>& lines) {
    for (const auto k : lines) {
      const double centre = centre_of(*group.curve[k]);
      for (const double value : group.curve[k]->axis.numbers) x.add(value);
      for (const double height : group.curve[k]->mean) y.add(height - centre);
    }
  }
  static double centre_of(const Curve& curve) {
    double low = INFINITY, high = -INFINITY;
    for (const double height : curve.mean) {
      if (!std::isfinite(height)) continue;
      low = std::min(low, height);
      high = std::max(high, height);
    }
    return low <= high ? low / 2 + high / 2 : 0;
  }
  // [[x, y], …]; levels have no place of their own.
  [[nodiscard]] Value of(const ItemGroup& group, std::size_t k) const {
    const Curve& curve = *group.curve[k];
    const bool levels = curve.axis.is_categorical();
    const double centre = centre_of(curve);
    Value points = Value::array();
    const std::size_t size = curve.mean.size(), shown = std::min(size, spark_points);
    for (std::size_t i = 0; i < shown; ++i) {
      const std::size_t at = shown < 2 ? 0 : i * (size - 1) / (shown - 1);
      const double right = levels ? static_cast<double>(i) : x(curve.axis.numbers[at]);
      const double up = y(curve.mean[at] - centre);
      if (std::isfinite(right) && std::isfinite(up)) points.push_back(Value::array().push_back(right).push_back(up));
    }
    return points;
  }
};

// Which of several lines the row is about.
std::string told_of(const ItemGroup& group, std::size_t told) {
  if (group.curve.size() < 2) return {};
  const std::string label = line_labels(group)[told], count = std::to_string(group.curve.size());
  switch (group.lines) {
    case LinesBy::output: return "largest for " + label + ", of " + count + " outputs";
    case LinesBy::group: return "largest for " + label + ", of " + count + " groups of rows";
    case LinesBy::series: return "by " + label + ", of " + count + " methods";
  }
  return label;
}

Glance glance_of(const ItemGroup& group, std::size_t section) {
  Glance glance;
  glance.section = section;
  glance.title = group_title(group);
  glance.categorical = group.curve[0]->axis.is_categorical();
  const std::size_t told = told_line(group);
  const Curve& curve = *group.curve[told];
  glance.range = range_of(curve.mean);
  glance.line = told_of(group, told);
  if (curve.shape) glance.shape = to_string(*curve.shape);
  // Methods that are compared see the same rows: whichever of them knows how much these differ.
  for (const Curve* line : group.curve) {
    const bool counts = line == &curve || group.lines == LinesBy::series;
    if (counts && line->heterogeneity && (glance.heterogeneity.empty() || line == &curve)) {
      glance.heterogeneity = percent(*line->heterogeneity);
    }
  }
  // Other groups and outputs behind it; what other methods say is for the chart.
  std::vector<std::size_t> lines{told};
  for (std::size_t k = 0; k < group.curve.size(); ++k) {
    if (k != told && !glance.categorical && group.lines != LinesBy::series) lines.push_back(k);
  }
  const Sparks sparks(group, lines);
  glance.spark = sparks.of(group, told);
  for (std::size_t i = 1; i < lines.size(); ++i) glance.others.push_back(sparks.of(group, lines[i]));
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
  Value list = Value::array();
  for (const auto& glance : glances) {
    list.push_back(Value::object({{"section", Value(static_cast<std::uint64_t>(glance.section))},
                                  {"title", glance.title},
                                  {"line", glance.line},
                                  {"range", readable(glance.range)},
                                  {"share", share(glance)},
                                  {"shape", glance.shape},
                                  {"heterogeneity", glance.heterogeneity},
                                  {"categorical", glance.categorical},
                                  {"spark", glance.spark},
                                  {"others", glance.others}}));
  }
  return list;
}

Value figure_of(const Result& result, const Figure& figure) {
  std::string value = readable(figure.value);
  if (figure.se) value += " ± " + readable_error(1.96 * *figure.se);
  return Value::object({{"name", figure_title(result, figure)},
                        {"about", figure_about(result, figure)},
                        {"value", value},
                        {"meaning", printable(figure.meaning, 400)}});
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

Value findings_of(const std::vector<Result>& results, const Sections& sections, std::size_t section_count) {
  Value list = Value::array();
  for (const Finding& finding : findings(results)) {
    std::size_t section = sections.find(finding.features);
    // A pair may be drawn the other way round.
    if (section == section_count) section = sections.find({finding.features.rbegin(), finding.features.rend()});
    list.push_back(
        Value::object({{"text", finding.text},
                       {"section", section < section_count ? Value(static_cast<std::uint64_t>(section)) : Value()},
                       {"chapter", finding.chapter}}));
  }
  return list;
}

std::string rows_words(const Result& result) {
  const std::string condition = rows_condition(result);
  return condition.empty() ? "all rows" : "rows where " + condition;
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
  std::map<std::size_t, const Result*> told;  // which method is at a glance, per section
  const bool different_rows = std::any_of(results.begin(), results.end(), [&](const Result& result) {
    return rows_condition(result) != rows_condition(results[0]);
  });
  Value runs = Value::array(), figures = Value::array();
  for (const auto& result : results) {
    runs.push_back(Value::object({{"method", method_title(result.method)},
                                  {"version", printable(result.version, 40)},
                                  {"shows", prediction_title(result, Quantity::mean, "")},
                                  {"model", pairs(facts(result.model))},
                                  {"data", pairs(data_facts(result))},
                                  {"options", pairs(facts(result.options))}}));
    // What holds for the whole page stands at its top.
    const std::string rows = different_rows ? rows_words(result) : std::string();
    for (const auto& group : group_items(result)) {
      if (!group.figure.empty()) {
        for (const Figure* figure : group.figure) figures.push_back(figure_of(result, *figure));
        continue;
      }
      const std::size_t section = sections.find_or_add(group);
      Value chart = chart_of(result, group, rows);
      // The same curve may come with two results (alone, and beside a pair): once is enough.
      auto& charts = sections.list()[section].charts;
      if (std::find(charts.begin(), charts.end(), chart) != charts.end()) continue;
      charts.push_back(std::move(chart));
      if (group.curve.empty() || group.is_empty() || group.curve[0]->measure == Measure::loss) continue;
      // One method per feature: a second one would say nearly the same again.
      if (told.try_emplace(section, &result).first->second != &result) continue;
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
                        {"figures", figures},
                        {"findings", findings_of(results, sections, section_count)},
                        {"glance", glances_of(std::move(glances))},
                        {"caveats", caveats},
                        {"sections", list}});
}

}  // namespace sightglass
