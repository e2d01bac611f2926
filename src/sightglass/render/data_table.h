// The numbers of a picture as a table of formatted cells: beside each chart of a page.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/insight/groups.h"
#include "sightglass/insight/groups/attribution_picture.h"
#include "sightglass/insight/groups/curve_lines.h"
#include "sightglass/insight/groups/figures.h"
#include "sightglass/insight/groups/importance_entries.h"
#include "sightglass/insight/groups/interaction_entries.h"
#include "sightglass/insight/shown_levels.h"

namespace sightglass {

struct DataTable {
  struct Column {
    std::string title;
    bool numeric = true;
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::size_t left_out = 0;  // rows beyond the limit
  bool open = false;         // to be read, not only looked up
  // The column of levels, where the picture has only some of them: the others are found here.
  std::optional<std::size_t> find = std::nullopt;
};
// Rows of a table with more levels than are shown: all of some thousand levels, for those who look for one.
constexpr std::size_t rows_with_levels = 10'000;

// By default so many rows that a page stays small; more where a picture does not have all levels.
[[nodiscard]] DataTable data_table(const ItemGroup& group);
[[nodiscard]] DataTable data_table(const ItemGroup& group, std::size_t limit);

// The tables of shapes, and of any shape that stands alone: its tidy rows.
[[nodiscard]] DataTable curve_table(const CurveLines& group, std::size_t limit);
[[nodiscard]] DataTable curves_table(const Curves& curves, const LevelPlanPtr& plan, std::size_t limit);
[[nodiscard]] DataTable surface_table(const Surface& surface, const LevelPlanPtr& plan, std::size_t limit);
[[nodiscard]] DataTable importance_table(const ImportanceEntries& group, std::size_t limit);
[[nodiscard]] DataTable interaction_table(const InteractionEntries& group, std::size_t limit);
[[nodiscard]] DataTable attribution_table(const AttributionPicture& group, std::size_t limit);
[[nodiscard]] DataTable figure_table(const Figures& group, std::size_t limit);
[[nodiscard]] DataTable tidy_table(const ItemGroup& group, std::size_t limit);

// The same table of another output below; its rows say which, unless that is empty.
void append(DataTable& table, DataTable more, const std::string& output);
// Nothing if there is no such column.
void drop_column(DataTable& table, std::string_view title);

// The distinct names of what else was measured (Importance::details, …), in order of appearance.
[[nodiscard]] std::vector<std::string> detail_names(const std::vector<const Value*>& details);

}  // namespace sightglass
