// Two features: a matrix of numbers, or shades.
#include <algorithm>

#include "sightglass/render/readable.h"
#include "sightglass/render/shading.h"
#include "sightglass/render/text/page_internal.h"

namespace sightglass::text {

namespace {

// Two columns of one shade; colours where the terminal has them: of the viridis scale, or from blue to orange
// for effects around zero. Where there are no rows, strokes.
std::string shade(const Page& page, Measure measure, double share, bool empty = false) {
  if (!std::isfinite(share)) return "??";
  share = std::clamp(share, 0.0, 1.0);
  const auto step = [share](int steps) { return static_cast<std::size_t>(std::lround(share * (steps - 1))); };
  const bool effect = measure == Measure::effect;
  if (page.color()) {
    static constexpr int viridis[] = {54, 60, 61, 31, 30, 36, 35, 71, 107, 149, 185, 220};
    static constexpr int diverging[] = {25, 32, 74, 117, 195, 255, 230, 222, 214, 208, 166};
    const int colour = effect ? diverging[step(11)] : viridis[step(12)];
    return "\x1b[48;5;" + std::to_string(colour) + "m" + (empty ? "//" : "  ") + "\x1b[0m";
  }
  if (empty) return "//";
  static constexpr const char* blocks[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  static constexpr const char* letters[] = {"  ", "..", "++", "%%", "@@"};
  static constexpr const char* signs[] = {"--", "- ", ". ", "+ ", "++"};
  return effect ? signs[step(5)] : page.unicode() ? blocks[step(5)] : letters[step(5)];
}

void number_matrix(Page& page, const Surface& surface) {
  std::vector<double> all;
  for (const auto& row : surface.mean) all.insert(all.end(), row.begin(), row.end());
  const ColumnFormat format(all);
  TableColumn names{page.fitted(axis_title(surface.second), 18), {}, true};
  for (std::size_t j = 0; j < surface.second.size(); ++j) names.cells.push_back(page.grid_label(surface.second, j, 18));
  std::vector<TableColumn> columns{names};
  bool any_empty = false;
  for (std::size_t i = 0; i < surface.first.size(); ++i) {
    TableColumn column{page.grid_label(surface.first, i, 12), {}, false};
    for (std::size_t j = 0; j < surface.second.size(); ++j) {
      const bool empty = no_rows_at(surface, i, j);
      any_empty = any_empty || empty;
      column.cells.push_back(page.ascii(format(surface.mean[i][j])) + (empty ? "*" : surface.count.empty() ? "" : " "));
    }
    columns.push_back(column);
  }
  page.line(page.dim("  columns: " + page.fitted(axis_title(surface.first), page.width() - 14)));
  page.table(columns);
  if (any_empty) page.line(page.dim("  * no rows of the data there"));
}

void heat_map(Page& page, const Surface& surface) {
  Range range;
  for (const auto& row : surface.mean) range.add(row);
  if (surface.measure == Measure::effect) {
    // Zero is in the middle.
    const double largest = std::max(std::abs(range.low), std::abs(range.high));
    range.low = -largest;
    range.high = largest;
  }
  bool any_empty = false;
  const auto rows = spread(surface.second.size(), 16);
  auto names = page.grid_column(surface.second, rows).cells;
  int label = 8;
  for (auto& name : names) {
    name = page.fitted(name, 18);
    label = std::max(label, text_width(name));
  }
  const auto columns = spread(surface.first.size(), static_cast<std::size_t>(page.width() - label - 5) / 2);
  page.line(page.dim("  " + page.fitted(axis_title(surface.second), page.width() - 4)));
  for (std::size_t r = rows.size(); r-- > 0;) {
    std::string cells;
    for (const auto c : columns) {
      const bool empty = no_rows_at(surface, c, rows[r]);
      any_empty = any_empty || empty;
      cells += shade(page, surface.measure, range.share(surface.mean[c][rows[r]]), empty);
    }
    page.line(page.dim(pad_left(names[r], label) + (page.unicode() ? " │" : " |")) + cells);
  }
  const int drawn = 2 * static_cast<int>(columns.size());
  page.line(page.dim(repeat(" ", label + 1) + (page.unicode() ? "└" + repeat("─", drawn) : "+" + repeat("-", drawn))));
  const std::string left = page.grid_label(surface.first, columns.front(), 18);
  const std::string right = page.grid_label(surface.first, columns.back(), 18);
  const std::string name =
      page.fitted(axis_title(surface.first), std::max(drawn - text_width(left) - text_width(right) - 4, 4));
  const int gap = std::max(drawn - text_width(left) - text_width(right) - text_width(name), 2);
  page.line(repeat(" ", label + 2) + left + repeat(" ", gap / 2) + page.bold(name) + repeat(" ", gap - gap / 2) +
            right);
  std::string scale;
  for (int i = 0; i < 5; ++i) scale += shade(page, surface.measure, i / 4.0);
  page.line(repeat(" ", label + 2) + page.number(range.low) + " " + scale + " " + page.number(range.high) +
            (any_empty ? "   // no rows of the data" : ""));
}

}  // namespace

void surface_section(Page& page, const Surface& surface) {
  const std::string names = axis_title(surface.first, 40) + page.times() + axis_title(surface.second, 40);
  page.title(page.item_title(names, surface.output, surface.group), "");
  if (surface.first.size() == 0 || surface.second.size() == 0) {
    page.line("  no grid points: a feature has no values");
    return;
  }
  if (surface.first.size() <= 8 && surface.second.size() <= 30) {
    number_matrix(page, surface);
  } else {
    heat_map(page, surface);
  }
}

}  // namespace sightglass::text
