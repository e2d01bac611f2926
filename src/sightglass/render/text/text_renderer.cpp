#include "sightglass/render/text/text_renderer.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sightglass/base/error.h"
#include "sightglass/render/readable.h"
#include "sightglass/render/text/canvas_internal.h"

namespace sightglass {

namespace {

constexpr int chart_rows = 9;
constexpr std::size_t table_rows = 12;
constexpr std::size_t sparkline_rows = 8;

struct Range {
  double low = 0, high = 0;
  bool any = false;

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
  void add(const std::vector<double>& values) {
    for (const double value : values) add(value);
  }
  // Where the value lies between low and high; the middle if there is only one value.
  [[nodiscard]] double share(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

// At most `limit` of `size` indices, evenly spread, first and last included.
std::vector<std::size_t> spread(std::size_t size, std::size_t limit) {
  std::vector<std::size_t> picked;
  const std::size_t count = std::min(size, limit);
  for (std::size_t i = 0; i < count; ++i) picked.push_back(count < 2 ? 0 : i * (size - 1) / (count - 1));
  return picked;
}

struct TableColumn {
  std::string title;
  std::vector<std::string> cells;
  bool left = false;
};

class TextPage {
 public:
  TextPage(const Result& result, const TextOptions& options)
      : result_(result), options_(options), width_(std::max(options.width, 60)) {}

  std::string render() {
    header();
    for (const auto& item : result_.results) {
      line();
      std::visit([this](const auto& shape) { section(shape); }, item);
    }
    if (result_.results.empty()) line("  no results");
    caveats();
    return std::move(out_);
  }

 private:
  // ---- pieces

  void line(std::string_view text = {}) {
    std::string_view trimmed = text;
    while (trimmed.ends_with(' ')) trimmed.remove_suffix(1);
    out_ += trimmed;
    out_ += '\n';
  }
  [[nodiscard]] std::string styled(std::string_view text, std::string_view code) const {
    if (!options_.color || text.empty()) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
  }
  [[nodiscard]] std::string bold(std::string_view text) const { return styled(text, "1"); }
  [[nodiscard]] std::string dim(std::string_view text) const { return styled(text, "2"); }
  [[nodiscard]] std::string ink(std::string_view text) const { return styled(text, "36"); }
  [[nodiscard]] std::string fitted(std::string_view text, int width) const {
    return fit(text, width, options_.unicode);
  }
  [[nodiscard]] const char* dot() const { return options_.unicode ? " · " : ", "; }
  [[nodiscard]] const char* plus_minus() const { return options_.unicode ? "±" : "+-"; }

  void header() {
    line(bold(method_title(result_.method)));
    const auto described = [&](std::string_view label, const Value& object) {
      std::string text;
      for (const auto& [name, value] : facts(object)) {
        text += (text.empty() ? "" : dot()) + name + " " + value;
      }
      if (text.empty()) return;
      const auto lines = wrap(text, width_ - 8);
      for (std::size_t i = 0; i < lines.size() && i < 3; ++i) {
        line(dim(pad_right(i == 0 ? label : "", 8) + lines[i]));
      }
    };
    described("model", result_.model);
    described("data", result_.data);
    if (!result_.results.empty()) line(dim(pad_right("shows", 8) + fitted(shown_quantity(), width_ - 8)));
  }

  // Said once, so that an item's title need only name its axis and its output.
  [[nodiscard]] std::string shown_quantity() const {
    const auto* curves = std::get_if<Curves>(&result_.results[0]);
    const bool centred = curves != nullptr && (curves->anchor.has_value() || !curves->anchor_level.empty());
    const auto outputs = outputs_of(result_);
    return prediction_title(result_,
                            centred             ? Quantity::change
                            : curves != nullptr ? Quantity::single
                                                : Quantity::mean,
                            outputs.size() == 1 ? outputs[0] : "");
  }

  void title(std::string left, const std::string& right) {
    const std::string rule = options_.unicode ? "─" : "-";
    const int right_width = right.empty() ? 0 : text_width(right) + 1;
    left = fitted(left, width_ - right_width - 1);
    const int fill = std::max(width_ - text_width(left) - right_width - 1, 0);
    line(bold(left) + " " + dim(repeat(rule, fill) + (right.empty() ? "" : " " + right)));
  }

  void table(const std::vector<TableColumn>& columns) {
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
        text +=
            (i == 0 ? " " : "   ") + (columns[i].left ? pad_right(content, widths[i]) : pad_left(content, widths[i]));
      }
      return fitted(text, width_);
    };
    line(dim(row([](const TableColumn& column) { return column.title; })));
    for (std::size_t r = 0; r < rows; ++r) {
      line(row([r](const TableColumn& column) { return column.cells[r]; }));
    }
  }

  [[nodiscard]] TableColumn number_column(std::string name, const std::vector<double>& values,
                                          const std::vector<std::size_t>& picked) const {
    std::vector<double> shown;
    for (const auto i : picked) shown.push_back(values[i]);
    const ColumnFormat format(shown);
    TableColumn column{std::move(name), {}, false};
    for (const double value : shown) column.cells.push_back(ascii(format(value)));
    return column;
  }

  [[nodiscard]] TableColumn grid_column(const Axis& axis, const std::vector<std::size_t>& picked) const {
    const std::string name = fitted(axis_title(axis), 24);
    if (!axis.is_categorical()) return number_column(name, axis.numbers, picked);
    TableColumn column{name, {}, true};
    for (const auto i : picked) column.cells.push_back(level(axis, i, 24));
    return column;
  }

  [[nodiscard]] std::string level(const Axis& axis, std::size_t i, int width) const {
    return fitted(printable(axis.levels[i], 400), width);
  }

  // Formatting of special numbers uses Unicode signs.
  [[nodiscard]] std::string ascii(std::string text) const {
    if (options_.unicode) return text;
    if (text == "–") return "-";
    if (text == "∞") return "inf";
    if (text == "-∞") return "-inf";
    return text;
  }

  [[nodiscard]] std::string number(double value) const { return ascii(readable(value)); }

  void shown_of(std::size_t shown, std::size_t all) {
    if (shown >= all) return;
    line(dim("  " + std::to_string(shown) + " of " + std::to_string(all) + " grid points; csv and json have all"));
  }

  // Axis labels left of a canvas, ticks below it, and the data's histogram under them.
  void chart(const DotCanvas& canvas, int columns, const Range& y, const Axis& axis, const Distribution& data,
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
    const std::string left = number(axis.numbers.front());
    const std::string right = number(axis.numbers.back());
    const std::string name = fitted(axis_title(axis), std::max(columns - text_width(left) - text_width(right) - 4, 4));
    const int gap = std::max(columns - text_width(left) - text_width(right) - text_width(name), 2);
    line(repeat(" ", label_width + 2) + left + repeat(" ", gap / 2) + bold(name) + repeat(" ", gap - gap / 2) + right);
    histogram(axis, data, columns);
  }

  void histogram(const Axis& axis, const Distribution& data, int columns) {
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

  // ---- shapes

  [[nodiscard]] std::string item_title(const std::string& axes, const std::string& output) const {
    const std::string subject = prediction_subject(result_, output);
    return subject.empty() ? axes : axes + (options_.unicode ? " → " : " -> ") + subject;
  }
  [[nodiscard]] std::string item_title(const Axis& axis, const std::string& output) const {
    return item_title(fitted(axis_title(axis), width_ / 2), output);
  }

  void section(const Curve& curve) {
    std::string right;
    if (curve.shape) right = std::string(to_string(*curve.shape));
    if (curve.heterogeneity) {
      right += (right.empty() ? "" : dot()) + std::string("heterogeneity ") + percent(*curve.heterogeneity);
    }
    title(item_title(curve.axis, curve.output), right);
    if (curve.axis.size() == 0) {
      line("  no grid points: the feature has no values");
    } else if (curve.axis.is_categorical()) {
      bars(curve);
      return;
    } else if (curve.axis.size() > 1) {
      numeric_chart(curve);
      line();
    }
    curve_table(curve);
  }

  void numeric_chart(const Curve& curve) {
    Range y;
    y.add(curve.mean);
    std::string aside;
    if (curve.missing) {
      aside = "missing: " + number(curve.missing->mean);
    }
    const int columns = width_ - label_width - 3 - (aside.empty() ? 0 : text_width(aside) + 2);
    DotCanvas canvas(columns, chart_rows, options_.unicode);
    Range x;
    x.add(curve.axis.numbers);
    draw(canvas, curve.axis.numbers, curve.mean, x, y);
    chart(canvas, columns, y, curve.axis, curve.distribution, aside);
  }

  static void draw(DotCanvas& canvas, const std::vector<double>& xs, const std::vector<double>& ys, const Range& x,
                   const Range& y) {
    for (std::size_t i = 0; i < xs.size() && i < ys.size(); ++i) {
      if (i == 0 || !std::isfinite(ys[i - 1])) canvas.point(x.share(xs[i]), y.share(ys[i]));
      if (i > 0) canvas.line(x.share(xs[i - 1]), y.share(ys[i - 1]), x.share(xs[i]), y.share(ys[i]));
    }
  }

  void curve_table(const Curve& curve) {
    if (curve.axis.size() == 0) return;
    const auto picked = spread(curve.axis.size(), table_rows);
    std::vector<TableColumn> columns{grid_column(curve.axis, picked), number_column("mean", curve.mean, picked)};
    if (!curve.se_shape.empty()) {
      std::vector<double> half;
      for (const double se : curve.se_shape) half.push_back(1.96 * se);
      columns.push_back(number_column(std::string(plus_minus()) + " shape", half, picked));
    }
    if (!curve.sd.empty()) columns.push_back(number_column("sd", curve.sd, picked));
    if (!curve.count.empty()) columns.push_back(number_column("rows", curve.count, picked));
    if (curve.missing) {
      const auto& missing = *curve.missing;
      std::size_t i = 0;
      columns[i++].cells.emplace_back("missing");
      columns[i++].cells.push_back(number(missing.mean));
      if (!curve.se_shape.empty()) columns[i++].cells.push_back(number(1.96 * missing.se_shape));
      if (!curve.sd.empty()) columns[i++].cells.push_back(number(missing.sd));
      if (!curve.count.empty()) columns[i++].cells.push_back(number(missing.count));
    }
    table(columns);
    shown_of(picked.size(), curve.axis.size());
  }

  void bars(const Curve& curve) {
    Range range;
    range.add(0);
    range.add(curve.mean);
    if (curve.missing) range.add(curve.missing->mean);
    int name_width = 7;
    for (std::size_t i = 0; i < curve.axis.size(); ++i) {
      name_width = std::max(name_width, text_width(level(curve.axis, i, 24)));
    }
    const bool all_rows = curve.count.size() == curve.axis.size();
    const ColumnFormat means(curve.mean), counts(curve.count);
    struct Row {
      std::string name, mean, spread, rows;
      double value;
    };
    std::vector<Row> rows;
    const auto add = [&](std::string name, double mean, const double* se, const double* count) {
      rows.push_back({std::move(name), ascii(means(mean)),
                      se != nullptr ? plus_minus() + std::string(" ") + number(1.96 * *se) : "",
                      count != nullptr ? counts(*count) : "", mean});
    };
    for (std::size_t i = 0; i < curve.axis.size(); ++i) {
      add(level(curve.axis, i, name_width), curve.mean[i], curve.se_shape.empty() ? nullptr : &curve.se_shape[i],
          all_rows ? &curve.count[i] : nullptr);
    }
    if (curve.missing) add("missing", curve.missing->mean, &curve.missing->se_shape, &curve.missing->count);
    int mean_width = 4, spread_width = 0, rows_width = 4;
    for (const auto& row : rows) {
      mean_width = std::max(mean_width, text_width(row.mean));
      spread_width = std::max(spread_width, text_width(row.spread));
      rows_width = std::max(rows_width, text_width(row.rows));
    }
    const int numbers_width = 6 + mean_width + spread_width + rows_width;
    name_width = std::max(std::min(name_width, width_ - numbers_width - 12), 4);
    const int room = std::max(width_ - numbers_width - name_width - 4, 8);
    // Bars start at zero; negative ones end there.
    const double below = range.low < 0 ? -range.low : 0, above = range.high > 0 ? range.high : 0;
    const double scale = below + above > 0 ? room / (below + above) : 0;
    const int zero = static_cast<int>(std::lround(below * scale));
    line(dim("  " + pad_right("", name_width) + "  " + pad_right("", room) + "  " + pad_left("mean", mean_width) +
             "  " + pad_right("", spread_width) + "  " + pad_left(all_rows ? "rows" : "", rows_width)));
    for (const auto& row : rows) {
      const std::string drawn = bar(std::abs(row.value) * scale, options_.unicode);
      const int offset = row.value < 0 ? std::max(zero - text_width(drawn), 0) : zero;
      line("  " + pad_right(fitted(row.name, name_width), name_width) + "  " + repeat(" ", offset) + ink(drawn) +
           repeat(" ", room - offset - text_width(drawn)) + "  " + pad_left(row.mean, mean_width) + "  " +
           dim(pad_right(row.spread, spread_width) + "  " + pad_left(row.rows, rows_width)));
    }
  }

  void section(const Curves& curves) {
    std::string right =
        std::to_string(curves.rows.size()) + " curves of " + readable(Value(curves.total_rows)) + " rows";
    if (curves.heterogeneity) right += dot() + std::string("heterogeneity ") + percent(*curves.heterogeneity);
    title(item_title(curves.axis, curves.output), right);
    if (curves.axis.size() == 0) {
      line("  no grid points: the feature has no values");
      return;
    }
    if (!curves.axis.is_categorical() && curves.axis.size() > 1) band_chart(curves);
    line();
    band_table(curves);
    line();
    sparklines(curves);
  }

  // The mean between the outermost quantiles, or between the outermost curves where there are no quantiles.
  void band_chart(const Curves& curves) {
    std::vector<double> low, high;
    std::string legend = "mean, lowest and highest curve";
    if (curves.bands.size() > 1) {
      low = curves.bands.front();
      high = curves.bands.back();
      legend = "mean, " + percent(curves.band_levels.front()) + " and " + percent(curves.band_levels.back()) +
               " quantile of all rows";
    } else {
      for (std::size_t i = 0; i < curves.axis.size(); ++i) {
        Range range;
        for (const auto& values : curves.values) range.add(values[i]);
        low.push_back(range.low);
        high.push_back(range.high);
      }
    }
    Range x, y;
    x.add(curves.axis.numbers);
    const std::vector<double>* lines[] = {&curves.mean, &low, &high};
    for (const auto* values : lines) y.add(*values);
    const int columns = width_ - label_width - 3;
    DotCanvas canvas(columns, chart_rows, options_.unicode);
    for (const auto* values : lines) draw(canvas, curves.axis.numbers, *values, x, y);
    chart(canvas, columns, y, curves.axis, curves.distribution, "");
    line(dim(repeat(" ", label_width + 2) + legend));
  }

  void band_table(const Curves& curves) {
    const auto picked = spread(curves.axis.size(), table_rows);
    std::vector<TableColumn> columns{grid_column(curves.axis, picked)};
    for (std::size_t i = 0; i < curves.bands.size(); ++i) {
      columns.push_back(number_column(percent(curves.band_levels[i]), curves.bands[i], picked));
    }
    if (!curves.mean.empty()) columns.push_back(number_column("mean", curves.mean, picked));
    if (columns.size() < 2) return;
    table(columns);
    shown_of(picked.size(), curves.axis.size());
  }

  void sparklines(const Curves& curves) {
    Range y;
    for (const auto& values : curves.values) y.add(values);
    const auto picked = spread(curves.rows.size(), sparkline_rows);
    const int room = std::max(width_ - 44, 8);
    for (const auto r : picked) {
      std::vector<double> shown;
      const auto points = spread(curves.axis.size(), static_cast<std::size_t>(room));
      Range own;
      for (const auto i : points) shown.push_back(curves.values[r][i]);
      own.add(shown);
      std::string text = pad_left("row " + std::to_string(curves.rows[r]), 12) + "  " +
                         ink(sparkline(shown, y.low, y.high, options_.unicode)) + "  " + number(own.low) + " to " +
                         number(own.high);
      line(text);
    }
    if (picked.size() < curves.rows.size()) {
      line(dim("  " + std::to_string(picked.size()) + " of " + std::to_string(curves.rows.size()) + " curves"));
    }
  }

  void section(const Importance& entry) { line("  " + printable(entry.feature) + "  " + number(entry.importance)); }
  void section(const Interaction& entry) { line("  " + printable(entry.features[0]) + "  " + number(entry.h2)); }
  void section(const Figure& figure) { line("  " + printable(figure.name) + "  " + number(figure.value)); }

  void section(const Surface& surface) {
    const std::string names =
        axis_title(surface.first, 40) + (options_.unicode ? " × " : " x ") + axis_title(surface.second, 40);
    title(item_title(names, surface.output), "");
    if (surface.first.size() == 0 || surface.second.size() == 0) {
      line("  no grid points: a feature has no values");
      return;
    }
    if (surface.first.size() <= 8 && surface.second.size() <= 30) {
      number_matrix(surface);
    } else {
      heat_map(surface);
    }
  }

  [[nodiscard]] std::string grid_label(const Axis& axis, std::size_t i, int width) const {
    return axis.is_categorical() ? level(axis, i, width) : number(axis.numbers[i]);
  }

  void number_matrix(const Surface& surface) {
    std::vector<double> all;
    for (const auto& row : surface.mean) all.insert(all.end(), row.begin(), row.end());
    const ColumnFormat format(all);
    TableColumn names{fitted(axis_title(surface.second), 18), {}, true};
    for (std::size_t j = 0; j < surface.second.size(); ++j) names.cells.push_back(grid_label(surface.second, j, 18));
    std::vector<TableColumn> columns{names};
    bool any_empty = false;
    for (std::size_t i = 0; i < surface.first.size(); ++i) {
      TableColumn column{grid_label(surface.first, i, 12), {}, false};
      for (std::size_t j = 0; j < surface.second.size(); ++j) {
        const bool empty = !surface.count.empty() && !(surface.count[i][j] > 0);
        any_empty = any_empty || empty;
        column.cells.push_back(ascii(format(surface.mean[i][j])) + (empty ? "*" : surface.count.empty() ? "" : " "));
      }
      columns.push_back(column);
    }
    line(dim("  columns: " + fitted(axis_title(surface.first), width_ - 14)));
    table(columns);
    if (any_empty) line(dim("  * no rows of the data there"));
  }

  void heat_map(const Surface& surface) {
    Range range;
    for (const auto& row : surface.mean) range.add(row);
    const auto rows = spread(surface.second.size(), 16);
    auto names = grid_column(surface.second, rows).cells;
    int label = 8;
    for (auto& name : names) {
      name = fitted(name, 18);
      label = std::max(label, text_width(name));
    }
    const auto columns = spread(surface.first.size(), static_cast<std::size_t>(width_ - label - 5) / 2);
    line(dim("  " + fitted(axis_title(surface.second), width_ - 4)));
    for (std::size_t r = rows.size(); r-- > 0;) {
      std::string cells;
      for (const auto c : columns) cells += shade(range.share(surface.mean[c][rows[r]]));
      line(dim(pad_left(names[r], label) + (options_.unicode ? " │" : " |")) + cells);
    }
    const int drawn = 2 * static_cast<int>(columns.size());
    line(dim(repeat(" ", label + 1) + (options_.unicode ? "└" + repeat("─", drawn) : "+" + repeat("-", drawn))));
    const std::string left = grid_label(surface.first, columns.front(), 18);
    const std::string right = grid_label(surface.first, columns.back(), 18);
    const std::string name =
        fitted(axis_title(surface.first), std::max(drawn - text_width(left) - text_width(right) - 4, 4));
    const int gap = std::max(drawn - text_width(left) - text_width(right) - text_width(name), 2);
    line(repeat(" ", label + 2) + left + repeat(" ", gap / 2) + bold(name) + repeat(" ", gap - gap / 2) + right);
    std::string scale;
    for (int i = 0; i < 5; ++i) scale += shade(i / 4.0);
    line(repeat(" ", label + 2) + number(range.low) + " " + scale + " " + number(range.high));
  }

  // Two columns of one shade; colours of the viridis scale where the terminal has colours.
  [[nodiscard]] std::string shade(double share) const {
    if (!std::isfinite(share)) return "??";
    share = std::clamp(share, 0.0, 1.0);
    if (options_.color) {
      static constexpr int viridis[] = {54, 60, 61, 31, 30, 36, 35, 71, 107, 149, 185, 220};
      const auto i = static_cast<std::size_t>(std::lround(share * 11));
      return "\x1b[48;5;" + std::to_string(viridis[i]) + "m  \x1b[0m";
    }
    static constexpr const char* blocks[] = {"  ", "░░", "▒▒", "▓▓", "██"};
    static constexpr const char* letters[] = {"  ", "..", "++", "%%", "@@"};
    const auto i = static_cast<std::size_t>(std::lround(share * 4));
    return options_.unicode ? blocks[i] : letters[i];
  }

  void caveats() {
    if (result_.caveats.empty()) return;
    line();
    title("Cautions", "");
    for (const Caveat* caveat : worst_first(result_.caveats)) {
      const std::string_view colour = caveat->severity == Severity::warning   ? "31;1"
                                      : caveat->severity == Severity::caution ? "33;1"
                                                                              : "2";
      const std::string label(to_string(caveat->severity));
      std::string text = printable(caveat->message, 600);
      if (!caveat->advice.empty()) text += (options_.unicode ? " → " : " -> ") + printable(caveat->advice, 300);
      text += " [" + printable(caveat->id, 40) + "]";
      const auto lines = wrap(text, width_ - 11);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        line("  " + (i == 0 ? styled(pad_right(label, 9), colour) : repeat(" ", 9)) + lines[i]);
      }
    }
  }

  static constexpr int label_width = 9;
  const Result& result_;
  TextOptions options_;
  int width_;
  std::string out_;
};

}  // namespace

std::string render_text(const Result& result, const TextOptions& options) { return TextPage(result, options).render(); }

}  // namespace sightglass
