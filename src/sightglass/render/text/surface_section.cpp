// Two features: a matrix of numbers, or shades.
#include <algorithm>

#include "sightglass/insight/readable.h"
#include "sightglass/insight/shading.h"
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

void number_matrix(Page& page, const DrawnSurface& surface, bool counted) {
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
      const bool empty = surface.empty[i][j];
      any_empty = any_empty || empty;
      column.cells.push_back(page.ascii(format(surface.mean[i][j])) + (empty ? "*" : counted ? " " : ""));
    }
    columns.push_back(column);
  }
  page.line(page.dim("  columns: " + page.fitted(axis_title(surface.first), page.width() - 14)));
  page.table(columns);
  if (any_empty) page.line(page.dim("  * no rows of the data there"));
}

// From the lowest to the highest height; of effects with zero in the middle, and without what stands on few rows:
// that would decide what all other shades mean.
struct ColourScale {
  Range range;
  bool cut = false;  // there are heights beyond it

  ColourScale(const DrawnSurface& surface, Measure measure) {
    Range all;
    bool any_thin = false;
    for (std::size_t i = 0; i < surface.mean.size(); ++i) {
      all.add(surface.mean[i]);
      for (std::size_t j = 0; j < surface.mean[i].size(); ++j) {
        any_thin = any_thin || surface.thin[i][j];
        if (!surface.thin[i][j] && !surface.empty[i][j]) range.add(surface.mean[i][j]);
      }
    }
    if (!any_thin) range = all;
    if (!range.any || (range.low == 0 && range.high == 0)) range = all;
    if (measure != Measure::effect) return;
    const double largest = std::max(std::abs(range.low), std::abs(range.high));
    cut = largest < std::max(std::abs(all.low), std::abs(all.high));
    range.low = -largest;
    range.high = largest;
  }
};

// Each shade and its height.
void shade_legend(Page& page, Measure measure, const ColourScale& scale, const std::vector<std::string>& notes) {
  constexpr int steps = 5;
  std::string text;
  int used = 0;
  for (int i = 0; i < steps; ++i) {
    const double share = static_cast<double>(i) / (steps - 1);
    const double height = scale.range.low * (1 - share) + scale.range.high * share;
    const std::string more = !scale.cut ? "" : i == 0 ? " or less" : i == steps - 1 ? " or more" : "";
    const std::string label = "] " + page.number(height) + more;
    const int width = text_width(label) + 5;  // two spaces, a bracket and the shade, which may have a colour
    if (used + width > page.width()) {
      page.line(text);
      text.clear();
      used = 0;
    }
    text += "  [" + shade(page, measure, share) + label;
    used += width;
  }
  page.line(text);
  for (const auto& note : notes) page.line(page.dim("  " + note));
}

void heat_map(Page& page, const DrawnSurface& surface, Measure measure) {
  const ColourScale scale(surface, measure);
  const Range& range = scale.range;
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
      const bool empty = surface.empty[c][rows[r]];
      any_empty = any_empty || empty;
      cells += shade(page, measure, range.share(surface.mean[c][rows[r]]), empty);
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
  std::vector<std::string> notes;
  if (any_empty) notes.emplace_back("// no rows of the data");
  if (scale.cut) notes.emplace_back("shades are scaled to cells with enough rows");
  shade_legend(page, measure, scale, notes);
}

}  // namespace

void surface_section(Page& page, const Surface& given, const LevelPlanPtr& plan) {
  const std::string names = axis_title(given.first, 40) + page.times() + axis_title(given.second, 40);
  page.title(page.item_title(names, given.output, given.group), "");
  if (given.first.size() == 0 || given.second.size() == 0) {
    page.line("  no grid points: a feature has no values");
    return;
  }
  // Of many levels so few that each has its name.
  const bool many = given.first.levels.size() > levels_shown + 1 || given.second.levels.size() > levels_shown + 1;
  const DrawnSurface surface =
      drawn_surface(given, plan, false, many ? SideLevels{7, 15} : SideLevels{levels_shown, levels_shown});
  if (surface.first.size() <= 8 && surface.second.size() <= 30) {
    number_matrix(page, surface, !given.count.empty());
  } else {
    heat_map(page, surface, given.measure);
  }
  page.left_out_levels(surface.first_left_out + surface.second_left_out);
}

}  // namespace sightglass::text
