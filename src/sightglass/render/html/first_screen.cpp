// What somebody sees who looks for half a minute: how good the model is, what matters, and how the first features act.
#include <algorithm>
#include <cmath>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/compared_models.h"
#include "sightglass/insight/findings/evidence_internal.h"
#include "sightglass/insight/rank_table.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/html/draft_internal.h"

namespace sightglass::html {

namespace {

constexpr std::size_t most_bars = 8, most_effects = 4;
constexpr std::size_t longest_sentence = 210;  // beside a small chart; a longer one has its place among the findings

Value section_or_null(const std::optional<std::size_t>& section) {
  return section ? Value(static_cast<std::uint64_t>(*section)) : Value();
}

std::string shown_name(const std::string& given) {
  const std::string name = printable(given, 80);
  return name.empty() ? "(no name)" : name;
}

// Bars of the first measure, from what does not matter to the longest of them.
Value bars_of(const RankTable& table, const Draft& draft) {
  const RankTable::Column& column = table.columns[0];
  double longest = 0;
  for (const auto& row : table.rows) {
    for (const auto& end : {row.cells[0].value, row.cells[0].high}) {
      if (end && std::isfinite(*end - column.base)) longest = std::max(longest, *end - column.base);
    }
  }
  if (!(longest > 0)) return {};
  const auto share = [&](const std::optional<double>& value) {
    return value && std::isfinite(*value) ? Value(std::clamp((*value - column.base) / longest, 0.0, 1.0)) : Value();
  };
  Value rows = Value::array();
  for (const auto& row : table.rows) {
    const RankTable::Cell& cell = row.cells[0];
    if (!cell.value || rows.as_array().size() == most_bars) continue;
    rows.push_back(Value::object({{"name", shown_name(row.name)},
                                  {"section", section_or_null(draft.find(row.features))},
                                  {"share", share(cell.value)},
                                  {"low", share(cell.low)},
                                  {"high", share(cell.high)},
                                  {"text", cell.text}}));
  }
  return Value::object({{"measure", column.title},
                        {"hint", column.hint},
                        {"left_out", Value(static_cast<std::uint64_t>(table.rows.size() - rows.as_array().size()))},
                        {"rows", rows}});
}

// Where nothing ranks features, how far they move the prediction does.
Value bars_of(const std::vector<Glance>& glances, const Draft& draft) {
  Value rows = Value::array();
  for (const auto& glance : glances) {
    if (glance.quantity != glances[0].quantity || rows.as_array().size() == most_bars) continue;
    rows.push_back(Value::object({{"name", glance.title},
                                  {"section", Value(static_cast<std::uint64_t>(glance.section))},
                                  {"share", glance.share},
                                  {"low", Value()},
                                  {"high", Value()},
                                  {"text", glance.shown_range}}));
  }
  if (rows.as_array().empty()) return {};
  const auto models = compared_models(draft.results().front());
  return Value::object({{"measure", "Range of the effect" + (models.empty() ? "" : " in " + models[0])},
                        {"hint", "How far the feature moves the " + glances[0].quantity + "."},
                        {"left_out", Value(static_cast<std::uint64_t>(glances.size() - rows.as_array().size()))},
                        {"rows", rows}});
}

std::vector<const Glance*> first_effects(const std::vector<Glance>& glances, const RankTable& table,
                                         const Draft& draft) {
  std::vector<const Glance*> chosen;
  const auto add = [&](const Glance& glance) {
    if (chosen.size() < most_effects && std::find(chosen.begin(), chosen.end(), &glance) == chosen.end())
      chosen.push_back(&glance);
  };
  for (const auto& row : table.rows) {
    const auto section = draft.find(row.features);
    const auto found = std::find_if(glances.begin(), glances.end(),
                                    [&](const Glance& glance) { return section && glance.section == *section; });
    if (found != glances.end()) add(*found);
  }
  std::for_each(glances.begin(), glances.end(), add);
  return chosen;
}

// "highest at autumn, lowest at winter", of levels.
std::string ends_of(const Glance& glance) {
  const auto& points = glance.spark.as_array();
  if (!glance.categorical || points.size() < 2) return {};
  const auto height = [](const Value& point) { return point.as_array()[1].as_number(); };
  const auto [low, high] = std::minmax_element(points.begin(), points.end(),
                                               [&](const Value& a, const Value& b) { return height(a) < height(b); });
  const auto name = [&](const Value& point) {
    const auto place = static_cast<std::size_t>(point.as_array()[0].as_number());
    return place < glance.levels.size() ? finders::level_name(glance.levels[place]) : "";
  };
  if (!(height(*high) > height(*low))) return {};
  return "highest at " + name(*high) + ", lowest at " + name(*low);
}

// A sentence of its own, where the findings have one; else how it goes and how far.
std::string words_of(const Glance& glance, const Section& section, const std::vector<Finding>& told,
                     std::set<const Finding*>& taken) {
  for (const Finding& finding : told) {
    if (finding.chapter != "effects" || finding.features != section.features || taken.contains(&finding)) continue;
    if (finding.text.size() > longest_sentence) continue;
    taken.insert(&finding);
    return finding.text;
  }
  const std::string range = "range " + glance.sized + ".";
  const std::string ends = ends_of(glance);
  const std::string& course = ends.empty() ? glance.course : ends;
  return capitalised(course.empty() ? range : course + "; " + range);
}

}  // namespace

Value first_screen(const Draft& draft, const std::vector<Glance>& glances, const std::vector<Finding>& told,
                   std::set<const Finding*>& taken) {
  // A ranking of one measure has a chart of its own, no table; its bars are wanted here.
  const RankTable table = draft.different_rows() ? RankTable() : rank_table(draft.results());
  const bool ranked = !table.columns.empty() && !table.rows.empty();
  Value list = Value::array();
  for (const ShownScore& score : scores(draft.results()))
    list.push_back(Value::object({{"value", score.value}, {"words", score.words}, {"name", score.name}}));
  const auto headline = std::find_if(told.begin(), told.end(), [](const Finding& each) { return each.is_headline; });
  if (headline != told.end()) taken.insert(&*headline);
  Value effects = Value::array();
  for (const Glance* glance : first_effects(glances, table, draft)) {
    const std::size_t before = taken.size();
    const std::string text = words_of(*glance, draft.sections()[glance->section], told, taken);
    effects.push_back(Value::object({{"section", Value(static_cast<std::uint64_t>(glance->section))},
                                     {"text", text},
                                     {"about", taken.size() > before ? "" : glance->line}}));
  }
  Value matters = ranked ? bars_of(table, draft) : Value();
  if (matters.is_null()) matters = bars_of(glances, draft);
  return Value::object({{"headline", headline != told.end() ? headline->text : ""},
                        {"scores", list},
                        {"matters", matters},
                        {"effects", effects}});
}

}  // namespace sightglass::html
