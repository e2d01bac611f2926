#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"

namespace sightglass::text {

void Range::add(double value) {
  if (!std::isfinite(value)) return;
  low = any ? std::min(low, value) : value;
  high = any ? std::max(high, value) : value;
  any = true;
}

void Range::add(const std::vector<double>& values) {
  for (const double value : values) add(value);
}

std::vector<std::size_t> spread(std::size_t size, std::size_t limit) {
  std::vector<std::size_t> picked;
  const std::size_t count = std::min(size, limit);
  for (std::size_t i = 0; i < count; ++i) picked.push_back(count < 2 ? 0 : i * (size - 1) / (count - 1));
  return picked;
}

std::vector<double> resampled(const std::vector<double>& grid, const std::vector<double>& heights, const Range& x,
                              int room) {
  std::vector<double> shown;
  for (int i = 0; i < room; ++i) {
    const double at = x.low + (x.high - x.low) * (room < 2 ? 0.5 : static_cast<double>(i) / (room - 1));
    const auto after = std::lower_bound(grid.begin(), grid.end(), at);
    const auto k = static_cast<std::size_t>(after - grid.begin());
    if (after == grid.end() || (k == 0 && grid[0] != at)) {
      shown.push_back(std::nan(""));
    } else if (k == 0 || grid[k] == at || !(grid[k] > grid[k - 1])) {
      shown.push_back(heights[k]);
    } else {
      const double share = (at - grid[k - 1]) / (grid[k] - grid[k - 1]);
      shown.push_back(heights[k - 1] + share * (heights[k] - heights[k - 1]));
    }
  }
  return shown;
}

Page::Page(const Result& result, const TextOptions& options)
    : result_(result), options_(options), width_(std::max(options.width, 60)) {}

void Page::line(std::string_view text) {
  std::string_view trimmed = text;
  while (trimmed.ends_with(' ')) trimmed.remove_suffix(1);
  out_ += trimmed;
  out_ += '\n';
}

std::string Page::styled(std::string_view text, std::string_view code) const {
  if (!options_.color || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string Page::ascii(std::string text) const {
  if (options_.unicode) return text;
  if (text == "–") return "-";
  if (text == "∞") return "inf";
  if (text == "-∞") return "-inf";
  return text;
}

std::string Page::number(double value) const { return ascii(readable(value)); }

std::string Page::level(const Axis& axis, std::size_t i, int width) const {
  return fitted(printable(axis.levels[i], 400), width);
}

std::string Page::grid_label(const Axis& axis, std::size_t i, int width) const {
  return axis.is_categorical() ? level(axis, i, width) : ascii(axis_number(axis, axis.numbers[i]));
}

void Page::title(std::string left, const std::string& right) {
  const std::string rule = options_.unicode ? "─" : "-";
  const int right_width = right.empty() ? 0 : text_width(right) + 1;
  left = fitted(left, width_ - right_width - 1);
  const int fill = std::max(width_ - text_width(left) - right_width - 1, 0);
  line(bold(left) + " " + dim(repeat(rule, fill) + (right.empty() ? "" : " " + right)));
}

std::string Page::item_title(const std::string& axes, const std::string& output, const std::string& group) const {
  const std::string subject = prediction_subject(result_, output);
  std::string text = subject.empty() ? axes : axes + (options_.unicode ? " → " : " -> ") + subject;
  if (!group.empty()) text += dot() + printable(group, 60);
  return text;
}

std::string Page::item_title(const Axis& axis, const std::string& output, const std::string& group) const {
  return item_title(fitted(axis_title(axis), width_ / 2), output, group);
}

void Page::wrapped(std::string_view text, int indent) {
  for (const auto& part : wrap(text, width_ - indent)) line(dim(repeat(" ", indent) + part));
}

void Page::table(const std::vector<TableColumn>& columns) {
  std::vector<int> widths;
  for (const auto& column : columns) {
    int width = text_width(column.title);
    for (const auto& cell : column.cells) width = std::max(width, text_width(cell));
    widths.push_back(width);
  }
  const std::size_t rows = columns.empty() ? 0 : columns[0].cells.size();
  const auto row = [&](const std::function<std::string(const TableColumn&)>& cell) {
    std::string text = " ";
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string content = fitted(cell(columns[i]), widths[i]);
      text += (i == 0 ? " " : "   ") + (columns[i].left ? pad_right(content, widths[i]) : pad_left(content, widths[i]));
    }
    return fitted(text, width_);
  };
  line(dim(row([](const TableColumn& column) { return column.title; })));
  for (std::size_t r = 0; r < rows; ++r) {
    line(row([r](const TableColumn& column) { return column.cells[r]; }));
  }
}

TableColumn Page::number_column(std::string name, const std::vector<double>& values,
                                const std::vector<std::size_t>& picked, bool percents) const {
  std::vector<double> shown;
  for (const auto i : picked) shown.push_back(i < values.size() ? values[i] : std::nan(""));
  const ColumnFormat format(shown, percents);
  TableColumn column{std::move(name), {}, false};
  for (const double value : shown) column.cells.push_back(ascii(format(value)));
  return column;
}

TableColumn Page::grid_column(const Axis& axis, const std::vector<std::size_t>& picked) const {
  const std::string name = fitted(axis_title(axis), 24);
  if (!axis.is_categorical() && !axis.dates) return number_column(name, axis.numbers, picked);
  if (axis.dates) {
    std::vector<double> shown;
    for (const auto i : picked) shown.push_back(axis.numbers[i]);
    return {name, date_texts(axis.dates, shown), false};
  }
  TableColumn column{name, {}, true};
  for (const auto i : picked) column.cells.push_back(level(axis, i, 24));
  return column;
}

void Page::shown_of(std::size_t shown, std::size_t all, const std::string& things) {
  if (shown >= all) return;
  line(dim("  " + std::to_string(shown) + " of " + std::to_string(all) + " " + things + "; csv and json have all"));
}

void Page::left_out_levels(std::size_t levels) {
  if (levels == 0) return;
  line(dim("  others: " + readable(static_cast<double>(levels)) + " levels; csv and json have each of them"));
}

void Page::bars(const std::vector<Bar>& list, const std::vector<std::string>& heads, double base) {
  Range range;
  range.add(0);
  int name_width = 7;
  std::vector<int> widths;
  for (const auto& head : heads) widths.push_back(text_width(head));
  for (const auto& bar : list) {
    range.add(bar.value - base);
    name_width = std::max(name_width, text_width(bar.name));
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], text_width(bar.cells[i]));
  }
  int cells_width = 0;
  for (const int width : widths) cells_width += width + 2;
  name_width = std::max(std::min(name_width, width_ - cells_width - 12), 4);
  const int room = std::max(width_ - cells_width - name_width - 4, 8);
  const double below = range.low < 0 ? -range.low : 0, above = range.high > 0 ? range.high : 0;
  // Halves, so that the largest numbers there are do not add up to infinity.
  const double scale = below / 2 + above / 2 > 0 ? room / (below / 2 + above / 2) / 2 : 0;
  const int zero = static_cast<int>(std::lround(below * scale));
  // The first cell is the bar's own number, the others say more about it.
  const auto cells = [&](const std::vector<std::string>& texts) {
    std::string rest;
    for (std::size_t i = 1; i < widths.size(); ++i) rest += "  " + pad_left(texts[i], widths[i]);
    return std::pair(widths.empty() ? std::string() : "  " + pad_left(texts[0], widths[0]), rest);
  };
  const auto [first_head, other_heads] = cells(heads);
  line(dim(repeat(" ", name_width + room + 4) + first_head + other_heads));
  for (const auto& bar : list) {
    // Rounding of where zero is must not push a bar out of its place.
    const double most = bar.value < base ? zero : room - zero;
    const std::string drawn = sightglass::bar(std::min(std::abs(bar.value - base) * scale, most), options_.unicode);
    const int offset = bar.value < base ? std::max(zero - text_width(drawn), 0) : zero;
    const auto [first, others] = cells(bar.cells);
    line("  " + pad_right(fitted(bar.name, name_width), name_width) + "  " + repeat(" ", offset) +
         (bar.faded ? dim(drawn) : ink(drawn)) + repeat(" ", room - offset - text_width(drawn)) + first + dim(others));
  }
}

void Page::chart(const DotCanvas& canvas, int columns, const Range& y, const Axis& axis, const Distribution& data,
                 const std::string& aside) {
  // A flat line stands in the middle, and so does its only label.
  const bool flat_line = !(y.high > y.low);
  const std::string corner = options_.unicode ? "└" : "+", flat = options_.unicode ? "─" : "-";
  for (int r = 0; r < chart_rows; ++r) {
    const bool first = r == 0, last = r == chart_rows - 1;
    std::string label;
    if (flat_line ? r == chart_rows / 2 : first || last) label = number(last ? y.low : y.high);
    const std::string stem = options_.unicode ? (first || last ? "┤" : "│") : "|";
    line(dim(pad_left(label, label_width) + " " + stem) + ink(canvas.row(r)) +
         (last && !aside.empty() ? "  " + aside : ""));
  }
  line(dim(repeat(" ", label_width + 1) + corner + repeat(flat, columns)));
  const std::string left = ascii(axis_number(axis, axis.numbers.front()));
  const std::string right = ascii(axis_number(axis, axis.numbers.back()));
  const std::string name = fitted(axis_title(axis), std::max(columns - text_width(left) - text_width(right) - 4, 4));
  const int gap = std::max(columns - text_width(left) - text_width(right) - text_width(name), 2);
  line(repeat(" ", label_width + 2) + left + repeat(" ", gap / 2) + bold(name) + repeat(" ", gap - gap / 2) + right);
  histogram(axis, data, columns);
}

void Page::histogram(const Axis& axis, const Distribution& data, int columns) {
  if (data.counts.empty() || data.edges.size() != data.counts.size() + 1) return;
  const double low = axis.numbers.front(), high = axis.numbers.back();
  if (!(high > low)) return;
  // Rows per unit of the feature at each column's middle: bins may be wider or narrower than a column.
  std::vector<double> heights;
  for (int i = 0; i < columns; ++i) {
    const double x = low + (high - low) * (i + 0.5) / columns;
    const auto after = std::upper_bound(data.edges.begin(), data.edges.end(), x);
    const std::ptrdiff_t bin = after - data.edges.begin() - 1;
    double height = std::nan("");
    if (bin >= 0 && bin < static_cast<std::ptrdiff_t>(data.counts.size())) {
      const auto b = static_cast<std::size_t>(bin);
      const double width = data.edges[b + 1] - data.edges[b];
      if (data.counts[b] > 0 && width > 0) height = data.counts[b] / width;
    }
    heights.push_back(height);
  }
  Range range;
  range.add(heights);
  line(dim(pad_left("rows", label_width) + "  " + sparkline(heights, 0, range.high, options_.unicode)));
}

void Page::draw(DotCanvas& canvas, const std::vector<double>& xs, const std::vector<double>& ys, const Range& x,
                const Range& y) {
  for (std::size_t i = 0; i < xs.size() && i < ys.size(); ++i) {
    if (i == 0 || !std::isfinite(ys[i - 1])) canvas.point(x.share(xs[i]), y.share(ys[i]));
    if (i > 0) canvas.line(x.share(xs[i - 1]), y.share(ys[i - 1]), x.share(xs[i]), y.share(ys[i]));
  }
}

}  // namespace sightglass::text
