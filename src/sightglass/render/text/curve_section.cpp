// One feature: a line of dots or bars, and its table; lines that are compared become sparklines.
#include <algorithm>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/insight/compared_models.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/probabilities.h"
#include "sightglass/insight/readable.h"
#include "sightglass/insight/shading.h"
#include "sightglass/render/text/page_internal.h"

namespace sightglass::text {

namespace {

constexpr std::size_t compared_levels = 23;  // of lines side by side; the last row is that of others

// Marks under the columns of the chart where the curve should not be trusted, and what they mean.
void shades(Page& page, const Curve& curve, int columns) {
  const auto spans = shaded_spans(curve);
  if (spans.empty()) return;
  Range x;
  x.add(curve.axis.numbers);
  std::vector<std::string> marks(static_cast<std::size_t>(columns), " ");
  bool any_sparse = false, any_outside = false;
  const std::string sparse = page.unicode() ? "░" : "-", outside = page.unicode() ? "▒" : "x";
  for (const auto& span : spans) {
    const auto column = [&](double value) {
      return static_cast<std::size_t>(std::clamp(std::lround(x.share(value) * (columns - 1)), 0L, columns - 1L));
    };
    for (std::size_t i = column(span.range.low); i <= column(span.range.high); ++i) {
      marks[i] = span.extrapolated ? outside : sparse;
    }
    any_sparse = any_sparse || !span.extrapolated;
    any_outside = any_outside || span.extrapolated;
  }
  std::string row, legend;
  for (const auto& mark : marks) row += mark;
  if (any_sparse) legend = sparse + " " + std::string(sparse_words);
  if (any_outside) legend += (legend.empty() ? "" : "   ") + outside + " " + std::string(extrapolated_words);
  page.line(page.dim(pad_left("trust", label_width) + "  " + row));
  page.line(page.dim(repeat(" ", label_width + 2) + legend));
}

void numeric_chart(Page& page, const Curve& curve) {
  Range y;
  y.add(curve.mean);
  std::string aside;
  if (curve.missing) aside = "missing: " + page.number(curve.missing->mean);
  const int columns = page.width() - label_width - 3 - (aside.empty() ? 0 : text_width(aside) + 2);
  DotCanvas canvas(columns, chart_rows, page.unicode());
  Range x;
  x.add(curve.axis.numbers);
  if (curve.measure == Measure::effect && y.low < 0 && y.high > 0) {
    // The line of no effect, dotted: every fourth column.
    for (int i = 0; i < columns; i += 4) canvas.point((i + 0.5) / columns, y.share(0));
  }
  Page::draw(canvas, curve.axis.numbers, curve.mean, x, y);
  page.chart(canvas, columns, y, curve.axis, curve.distribution, aside);
  shades(page, curve, columns);
}

void curve_table(Page& page, const Curve& curve) {
  if (curve.axis.size() == 0) return;
  const auto picked = spread(curve.axis.size(), table_rows);
  const bool percents = told_in_percent(&page.result(), curve.measure);
  const auto height = [&](double value) { return percents ? percent(value) : page.number(value); };
  std::vector<TableColumn> columns{page.grid_column(curve.axis, picked),
                                   page.number_column(height_name(curve), curve.mean, picked, percents)};
  const MissingPoint missing = curve.missing.value_or(MissingPoint());
  std::vector<std::string> last{"missing", height(missing.mean)};
  if (const auto probabilities = CurveProbabilities::of(page.result(), curve)) {
    std::vector<double> told;
    for (const std::size_t i : picked) told.push_back(probabilities->at(curve.mean[i]));
    told.push_back(probabilities->at(missing.mean));
    columns.push_back({"probability", probability_texts(told), false});
    last.push_back(columns.back().cells.back());
    columns.back().cells.pop_back();
  }
  const auto add = [&](const std::string& name, const std::vector<double>& values, std::string at_missing,
                       bool heights = false) {
    if (values.empty()) return;
    columns.push_back(page.number_column(name, values, picked, heights && percents));
    last.push_back(std::move(at_missing));
  };
  std::vector<double> half;
  for (const double se : curve.se_shape) half.push_back(interval_width * se);
  add(std::string(page.plus_minus()) + (curve.measure == Measure::mean ? " shape" : " 95 %"), half,
      height(interval_width * missing.se_shape), true);
  add("sd", curve.sd, height(missing.sd), true);
  add("rows", curve.count, page.number(missing.count));
  // Effects have a slope and rows between two grid points: up to the next.
  add("rows to next", curve.bin_count, "");
  add("slope", curve.slope, "");
  for (std::size_t i = 0; curve.missing && i < columns.size(); ++i) columns[i].cells.push_back(last[i]);
  page.table(columns);
  page.shown_of(picked.size(), curve.axis.size());
}

void level_bars(Page& page, const Curve& given, const LevelPlanPtr& plan) {
  CurveLines alone;
  alone.curve.push_back(&given);
  alone.levels = plan;
  const DrawnLines drawn = drawn_lines(alone);
  const Curve& curve = *drawn.group.curve[0];
  const auto doubts = doubts_of(curve);
  const bool counted = curve.count.size() == curve.axis.size(), banded = !curve.se_shape.empty();
  const bool percents = told_in_percent(&page.result(), curve.measure);
  const ColumnFormat means(curve.mean, percents), counts(curve.count);
  std::vector<double> half;
  for (const double se : curve.se_shape) half.push_back(interval_width * se);
  const ColumnFormat errors = error_format(half, percents);
  const auto probabilities = CurveProbabilities::of(page.result(), curve);
  std::vector<double> told;
  for (const double mean : curve.mean) told.push_back(probabilities ? probabilities->at(mean) : 0);
  if (curve.missing) told.push_back(probabilities ? probabilities->at(curve.missing->mean) : 0);
  const auto beside = probability_texts(told);
  std::vector<Bar> list;
  const auto add = [&](std::string name, double mean, double se, double count, const Doubt& doubt) {
    Bar bar{std::move(name), mean, {page.ascii(means(mean))}, doubt.any()};
    if (probabilities) bar.cells.push_back(beside[list.size()]);
    bar.cells.push_back(
        std::isfinite(se) ? page.plus_minus() + std::string(" ") + page.ascii(errors(interval_width * se)) : "");
    bar.cells.push_back(counted ? counts(count) : "");
    if (doubt.any()) bar.name += " (" + (doubt.extrapolated ? std::string(extrapolated_words) : "few rows") + ")";
    list.push_back(std::move(bar));
  };
  for (std::size_t i = 0; i < curve.axis.size(); ++i) {
    add(page.level(curve.axis, i, 24), curve.mean[i], banded ? curve.se_shape[i] : std::nan(""),
        counted ? curve.count[i] : 0, doubts[i]);
  }
  if (curve.missing) {
    add("missing", curve.missing->mean, banded ? curve.missing->se_shape : std::nan(""), curve.missing->count, {});
  }
  std::vector<std::string> heads{height_name(curve), "", counted ? "rows" : ""};
  if (probabilities) heads.insert(heads.begin() + 1, "probability");
  page.bars(list, heads);
  page.left_out_levels(drawn.left_out);
}

void single(Page& page, const Curve& curve, const LevelPlanPtr& plan) {
  std::string right;
  if (curve.shape) right = std::string(to_string(*curve.shape));
  if (curve.heterogeneity) {
    right += (right.empty() ? "" : page.dot()) + difference_words(*curve.heterogeneity);
  }
  std::string name = curve.group;
  if (!curve.series.empty()) name += (name.empty() ? "" : ", ") + curve.series;
  page.title(page.item_title(curve.axis, curve.output, name), right);
  if (curve.axis.size() == 0) {
    page.line("  no grid points: the feature has no values");
  } else if (curve.axis.is_categorical()) {
    level_bars(page, curve, plan);
    return;
  } else if (curve.axis.size() > 1) {
    numeric_chart(page, curve);
    page.line();
  }
  curve_table(page, curve);
}

// The numbers of several lines side by side; a gap where a line has no such point.
void compared_table(Page& page, const CurveLines& group, const Axis& axis,
                    const std::vector<std::vector<std::size_t>>& place) {
  const LineHeights heights = line_heights(group);
  const auto labels = line_labels(group);
  const auto picked = spread(axis.size(), axis.is_categorical() ? compared_levels + 1 : table_rows);
  std::vector<TableColumn> columns{page.grid_column(axis, picked)};
  const bool missing = std::any_of(group.curve.begin(), group.curve.end(),
                                   [](const Curve* curve) { return curve->missing.has_value(); });
  auto shown = picked;
  if (missing) {
    columns[0].cells.emplace_back("missing");
    shown.push_back(axis.size());
  }
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const Curve& curve = *group.curve[k];
    std::vector<double> values(axis.size(), std::nan(""));
    for (std::size_t i = 0; i < curve.mean.size(); ++i) values[place[k][i]] = curve.mean[i] - heights.offset[k];
    values.push_back(curve.missing ? curve.missing->mean - heights.offset[k] : std::nan(""));
    columns.push_back(
        page.number_column(page.fitted(labels[k], 18), values, shown, told_in_percent(&page.result(), curve.measure)));
  }
  page.table(columns);
  page.shown_of(picked.size(), axis.size());
}

// Groups of rows, methods or models: one sparkline each on a common scale, and their numbers side by side.
void compared(Page& page, const CurveLines& group) {
  const Curve& first = *group.curve[0];
  const LineHeights heights = line_heights(group);
  const auto labels = line_labels(group);
  const std::string rows = group.lines == LinesBy::group ? std::string() : first.group;
  page.title(page.item_title(first.axis, first.output, rows),
             std::to_string(labels.size()) + (group.lines == LinesBy::group             ? " groups"
                                              : !compared_models(page.result()).empty() ? " models"
                                                                                        : " methods"));
  if (heights.shifted) page.line(page.dim("  differences to each line's own mean over the rows"));
  if (first.axis.is_categorical()) {
    const DrawnLines drawn = drawn_lines(group, compared_levels);
    Axis axis = first.axis;
    axis.levels = drawn.shared.levels;
    compared_table(page, drawn.group, axis, drawn.shared.place);
    page.left_out_levels(drawn.left_out);
    return;
  }
  Range x, y;
  int name_width = 4;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    x.add(group.curve[k]->axis.numbers);
    for (const double height : group.curve[k]->mean) y.add(height - heights.offset[k]);
    name_width = std::max(name_width, std::min(text_width(labels[k]), 28));
  }
  const int room = std::max(page.width() - name_width - 32, 8);
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const Curve& curve = *group.curve[k];
    Range own;
    std::vector<double> shifted;
    for (const double height : curve.mean) shifted.push_back(height - heights.offset[k]);
    own.add(shifted);
    const auto height = [&](double value) {
      return told_in_percent(&page.result(), curve.measure) ? percent(value) : page.number(value);
    };
    const std::string right = own.any ? height(own.low) + " to " + height(own.high) : "no values";
    page.line("  " + pad_right(page.fitted(labels[k], name_width), name_width) + "  " +
              page.ink(sparkline(resampled(curve.axis.numbers, shifted, x, room), y.low, y.high, page.unicode())) +
              "  " + page.fitted(right, 26));
  }
  // Side by side only where the lines were computed at the same places.
  const bool same = std::all_of(group.curve.begin(), group.curve.end(),
                                [&](const Curve* curve) { return curve->axis.numbers == first.axis.numbers; });
  if (!same || first.axis.size() == 0) return;
  page.line();
  std::vector<std::size_t> places(first.axis.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  compared_table(page, group, first.axis, std::vector(labels.size(), places));
}

}  // namespace

void curve_section(Page& page, const CurveLines& group) {
  if (group.lines != LinesBy::output && group.curve.size() > 1) {
    compared(page, group);
    return;
  }
  for (std::size_t k = 0; k < group.curve.size(); ++k) {
    if (k > 0) page.line();
    single(page, *group.curve[k], group.levels);
  }
}

}  // namespace sightglass::text
