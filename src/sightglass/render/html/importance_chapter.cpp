// What matters: features ranked by all measures side by side, then what a ranking cannot show.
#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/insight/groups/attribution_picture.h"
#include "sightglass/insight/groups/curve_lines.h"
#include "sightglass/insight/groups/importance_entries.h"
#include "sightglass/insight/ranking.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/html/draft_internal.h"

namespace sightglass::html {

namespace {

Value number_or_null(const std::optional<double>& value) { return value ? Value(*value) : Value(); }

Value ranking_value(const RankTable& table, const Draft& draft) {
  Value columns = Value::array(), rows = Value::array();
  for (const auto& column : table.columns) {
    columns.push_back(Value::object(
        {{"title", column.title}, {"method", column.method_title}, {"hint", column.hint}, {"base", column.base}}));
  }
  for (const auto& row : table.rows) {
    Value cells = Value::array();
    for (const auto& cell : row.cells) {
      cells.push_back(Value::object({{"text", cell.text},
                                     {"value", number_or_null(cell.value)},
                                     {"low", number_or_null(cell.low)},
                                     {"high", number_or_null(cell.high)}}));
    }
    const auto section = draft.find(row.features);
    const std::string name = printable(row.name, 80);
    rows.push_back(Value::object({{"name", name.empty() ? "(no name)" : name},
                                  {"section", section ? Value(static_cast<std::uint64_t>(*section)) : Value()},
                                  {"cells", cells}}));
  }
  return Value::object({{"columns", columns}, {"rows", rows}});
}

// Every bar is a cell of the table.
bool is_in_table(const ImportanceEntries& entries, const Result& result, const RankTable& table) {
  return std::all_of(entries.importance.begin(), entries.importance.end(), [&](const Importance* entry) {
    return entry->group.empty() && table.has(result.method, entry->measure);
  });
}

}  // namespace

void importance_chapter(Draft& draft, Chapter& chapter) {
  const RankTable& table = draft.ranking();
  const bool tabled = table.columns.size() > 1 && !table.rows.empty();
  if (tabled) chapter.ranking = ranking_value(table, draft);
  for (auto& picture : draft.pictures()) {
    const auto* attributions = picture.group.as<AttributionPicture>();
    const auto* lines = picture.group.as<CurveLines>();
    const auto* entries = picture.group.as<ImportanceEntries>();
    const bool swarm = attributions != nullptr && attributions->view == AttributionView::rows;
    const bool loss = lines != nullptr && lines->curve[0]->measure == Measure::loss;
    const bool ranks_features = entries != nullptr && !entries->is_recourse();
    if (picture.taken || (!ranks_features && !swarm && !loss)) continue;
    if (tabled && entries != nullptr && is_in_table(*entries, *picture.result, table)) {
      picture.taken = true;
      continue;
    }
    // In groups of rows the ranking is another one.
    const std::string by = printable(text_member(picture.result->options, "by"), 80);
    const bool of_groups = tabled && entries != nullptr && !by.empty();
    std::size_t section = 0;
    if (of_groups) {
      section = draft.section(chapter, SectionKind::overview, {}, "By " + by);
      draft.add_picture(section, picture);
      picture.taken = true;
    } else {
      section = draft.show(chapter, picture);
    }
    if (std::find(chapter.sections.begin(), chapter.sections.end(), section) == chapter.sections.end())
      chapter.sections.push_back(section);
  }
  chapter.open = chapter.sections.size();
  chapter.lead = "Which features the predictions depend on, most important first.";
  if (tabled)
    chapter.reading =
        "The measures answer different questions: where they disagree, look at what the feature does and with what it "
        "acts together.";
}

}  // namespace sightglass::html
