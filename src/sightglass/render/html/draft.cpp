#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/render/description.h"
#include "sightglass/render/html/draft_internal.h"
#include "sightglass/render/ranking.h"
#include "sightglass/render/readable.h"
#include "sightglass/render/vega/vega_renderer.h"

namespace sightglass::html {

namespace {

constexpr std::size_t dots_in_table = 200;
constexpr std::size_t canvas_cells = 4500;  // more marks than this are drawn on canvas, not as SVG elements

Value table_value(const DataTable& table) {
  Value columns = Value::array(), rows = Value::array();
  for (const auto& column : table.columns) {
    columns.push_back(Value::object({{"title", column.title}, {"numeric", column.numeric}}));
  }
  for (const auto& row : table.rows) rows.push_back(Value(row));
  return Value::object(
      {{"columns", columns}, {"rows", rows}, {"left_out", Value(static_cast<std::uint64_t>(table.left_out))}});
}

std::string rows_words(const Result& result) {
  const std::string condition = rows_condition(result);
  return condition.empty() ? "all rows" : "rows where " + condition;
}

std::vector<std::string> features_of(const ItemGroup& group) {
  std::vector<std::string> features;
  for (const Axis* axis : group.axes()) features.push_back(axis->feature);
  return features;
}

SectionKind kind_of(const ItemGroup& group) {
  if (group.attributions != nullptr && group.view == AttributionView::row) return SectionKind::row;
  const std::size_t axes = group.axes().size();
  return axes == 1 ? SectionKind::feature : axes == 2 ? SectionKind::pair : SectionKind::overview;
}

}  // namespace

Value pairs_value(const std::vector<std::pair<std::string, std::string>>& list) {
  Value rows = Value::array();
  for (const auto& [name, value] : list) rows.push_back(Value::array().push_back(name).push_back(value));
  return rows;
}

Value toggle(const char* signal, const std::string& label, bool on, const std::string& hint) {
  return Value::object({{"signal", signal}, {"label", label}, {"on", on}, {"hint", hint}});
}

Value output_choice(const Result& result, const std::vector<std::string>& outputs) {
  return Value::object({{"signal", "output"},
                        {"label", predicts_probabilities(result) ? "Class" : "Output"},
                        {"options", Value(outputs)},
                        {"value", outputs.empty() ? "" : outputs[0]}});
}

Value chart_value(const ChartParts& parts) {
  return Value::object({{"method", parts.method},
                        {"about", parts.about},
                        {"chips", Value(parts.chips)},
                        {"reading", parts.reading},
                        {"description", parts.description},
                        {"wide", parts.wide},
                        {"canvas", parts.canvas},
                        {"table", table_value(parts.table)},
                        {"spec", parts.spec},
                        {"toggles", parts.toggles},
                        {"choices", parts.choices}});
}

ChartParts chart_parts(const Picture& picture) {
  const Result& result = *picture.result;
  const ItemGroup& group = picture.group;
  ChartParts parts;
  parts.method = method_title(result.method);
  parts.about = group_qualifier(result, group);
  if (!picture.rows.empty()) parts.about += (parts.about.empty() ? "" : " · ") + picture.rows;
  parts.chips = badges(group);
  parts.reading = how_to_read(result, group);
  parts.description = describe(result, group);
  // Rankings side by side need the whole page.
  parts.wide = !group.importance.empty() && ranking_of(group).columns.size() > 2;
  const bool many_marks =
      group.surface != nullptr && group.surface->first.size() * group.surface->second.size() > canvas_cells;
  const bool many_dots = group.attributions != nullptr && group.view != AttributionView::row;
  parts.canvas = group.curves != nullptr || many_marks || many_dots;
  // Of dots in a cloud a part is enough to see what they are; csv and json have all.
  parts.table = many_dots ? data_table(group, dots_in_table) : data_table(group);
  parts.spec = vega_spec(result, group);
  return parts;
}

Draft::Draft(const std::vector<Result>& results) : results_(results) {
  different_rows_ = std::any_of(results.begin(), results.end(), [&](const Result& result) {
    return rows_condition(result) != rows_condition(results[0]);
  });
  for (const auto& result : results) {
    // What holds for the whole page stands at its top.
    const std::string rows = different_rows_ ? rows_words(result) : std::string();
    for (auto& group : group_items(result)) {
      // Figures have a place of their own.
      if (group.figure.empty()) pictures_.push_back({&result, std::move(group), rows});
    }
  }
  std::set<const Result*> ranked;
  for (const auto& picture : pictures_) {
    if (!picture.group.importance.empty() || !picture.group.interaction.empty()) ranked.insert(picture.result);
  }
  if (ranked.size() > 1 && !different_rows_) ranking_ = rank_table(results);
}

std::size_t Draft::section(const Chapter& chapter, SectionKind kind, const std::vector<std::string>& features,
                           const std::string& title) {
  const auto same = [&](const Section& section) {
    return section.chapter == chapter.id && section.features == features &&
           (!features.empty() || section.title == title);
  };
  const auto found = std::find_if(sections_.begin(), sections_.end(), same);
  if (found != sections_.end()) return static_cast<std::size_t>(found - sections_.begin());
  sections_.push_back({chapter.id, kind, features, title, {}});
  return sections_.size() - 1;
}

std::optional<std::size_t> Draft::find(const std::vector<std::string>& features) const {
  std::optional<std::size_t> found;
  // A pair may be named the other way round.
  const std::vector<std::string> turned(features.rbegin(), features.rend());
  for (std::size_t i = 0; i < sections_.size() && !features.empty(); ++i) {
    if (sections_[i].features != features && sections_[i].features != turned) continue;
    if (!found || sections_[i].chapter == "effects") found = i;
  }
  return found;
}

bool Draft::add_chart(std::size_t section, const ChartParts& parts) {
  Value chart = chart_value(parts);
  // The same curve may come with two results (alone, and beside a pair): once is enough.
  auto& charts = sections_[section].charts;
  if (std::find(charts.begin(), charts.end(), chart) != charts.end()) return false;
  charts.push_back(std::move(chart));
  return true;
}

std::size_t Draft::show(const Chapter& chapter, Picture& picture) {
  picture.taken = true;
  const std::size_t place =
      section(chapter, kind_of(picture.group), features_of(picture.group), group_title(picture.group));
  add_chart(place, chart_parts(picture));
  return place;
}

}  // namespace sightglass::html
