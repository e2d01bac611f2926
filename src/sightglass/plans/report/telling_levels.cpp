#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/plans/report/telling_levels_internal.h"
#include "sightglass/result/shapes/examples.h"
#include "sightglass/result/shapes/panels.h"

namespace sightglass {

std::size_t levels_in(const ColumnView& column, std::size_t levels) {
  std::vector<bool> seen(levels, false);
  for (std::size_t row = 0; row < column.size; ++row) {
    const double code = column.number(row);
    if (code >= 0 && code < static_cast<double>(levels)) seen[static_cast<std::size_t>(code)] = true;
  }
  return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true));
}

TellingLevels telling_levels(const Table& table, const MethodInput& input, const std::vector<std::string>& wanted) {
  TellingLevels telling;
  Value found = Value::array();
  for (const std::uint32_t column : input.features) {
    const ColumnInfo& info = table.schema()[column];
    const bool is_wanted = wanted.empty() || std::find(wanted.begin(), wanted.end(), info.name) != wanted.end();
    const std::size_t levels = info.dictionary ? levels_in(table.column(column), info.dictionary->size()) : 0;
    if (2 * levels <= table.rows()) {
      telling.other_columns.push_back(info.name);
      if (is_wanted) telling.kept.push_back(info.name);
      continue;
    }
    // Nor where other features are explained.
    telling.columns.insert(info.name);
    if (!is_wanted) continue;
    telling.left_out += (telling.left_out.empty() ? "" : ", ") + printable(info.name, 40);
    found.push_back(Value::object({{"feature", info.name}, {"levels", levels}, {"rows", table.rows()}}));
  }
  if (telling.left_out.empty()) return telling;
  if (telling.kept.empty())
    throw Error(ErrorKind::usage, "without rows nothing can be shown: the levels of every feature tell rows apart",
                "choose other features, or group their levels");
  telling.caveat = Caveat{.id = "telling-levels",
                          .severity = Severity::caution,
                          .message = "nearly each row has a level of its own of " + printable(telling.left_out, 200) +
                                     ": as rows are not to be shown, nothing is told about these features",
                          .evidence = Value::object({{"features", std::move(found)}}),
                          .advice = "group the levels, or check that the model should know them at all"};
  return telling;
}

void leave_out_levels(const TellingLevels& telling, std::vector<Caveat>& caveats) {
  std::erase_if(caveats, [&](const Caveat& caveat) {
    const Value *kind = caveat.evidence.find("kind"), *column = caveat.evidence.find("column");
    return kind != nullptr && column != nullptr && caveat.id == "data-and-model" &&
           kind->as_string() == to_string(FitNote::Kind::unknown_levels) &&
           telling.columns.contains(column->as_string());
  });
}

void leave_out_rows(Result& own) {
  std::erase_if(own.results, [](const ResultItem& item) { return item.as<Examples>() != nullptr; });
  for (ResultItem& item : own.results) {
    const auto* shown = item.as<ShownPanels>();
    if (shown == nullptr) continue;
    ShownPanels panels = *shown;
    panels.tolerated.clear();
    for (ShownPanel& panel : panels.panels) panel.marks = {};
    item = ResultItem(std::move(panels));
  }
}

}  // namespace sightglass
