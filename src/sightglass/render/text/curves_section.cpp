// One line per row: the mean between quantiles, and a few of the lines as sparklines.
#include <algorithm>

#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"

namespace sightglass::text {

namespace {

constexpr std::size_t sparkline_rows = 8;

// The mean between the outermost quantiles, or between the outermost curves where there are no quantiles.
void band_chart(Page& page, const Curves& curves) {
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
  const int columns = page.width() - label_width - 3;
  DotCanvas canvas(columns, chart_rows, page.unicode());
  for (const auto* values : lines) Page::draw(canvas, curves.axis.numbers, *values, x, y);
  page.chart(canvas, columns, y, curves.axis, curves.distribution, "");
  page.line(page.dim(repeat(" ", label_width + 2) + legend));
}

void band_table(Page& page, const Curves& curves) {
  const auto picked = spread(curves.axis.size(), table_rows);
  std::vector<TableColumn> columns{page.grid_column(curves.axis, picked)};
  for (std::size_t i = 0; i < curves.bands.size(); ++i) {
    columns.push_back(page.number_column(percent(curves.band_levels[i]), curves.bands[i], picked));
  }
  if (!curves.mean.empty()) {
    columns.push_back(page.number_column(curves.derivative ? "mean slope" : "mean", curves.mean, picked));
  }
  if (!curves.sd.empty()) columns.push_back(page.number_column("sd", curves.sd, picked));
  if (columns.size() < 2) return;
  page.table(columns);
  page.shown_of(picked.size(), curves.axis.size());
}

void sparklines(Page& page, const Curves& curves) {
  Range y;
  for (const auto& values : curves.values) y.add(values);
  const auto picked = spread(curves.rows.size(), sparkline_rows);
  const int room = std::max(page.width() - 44 - (curves.missing.empty() ? 0 : 18), 8);
  Range x;
  x.add(curves.axis.numbers);
  for (const auto r : picked) {
    std::vector<double> shown;
    if (curves.axis.is_categorical() || !(x.high > x.low)) {
      for (const auto i : spread(curves.axis.size(), static_cast<std::size_t>(room))) {
        shown.push_back(curves.values[r][i]);
      }
    } else {
      shown = resampled(curves.axis.numbers, curves.values[r], x, room);
    }
    Range own;
    own.add(curves.values[r]);
    std::string text = pad_left(page.ascii(row_name(curves.rows, curves.row_labels, r)), 12) + "  " +
                       page.ink(sparkline(shown, y.low, y.high, page.unicode())) + "  " + page.number(own.low) +
                       " to " + page.number(own.high);
    if (r < curves.missing.size() && curves.missing[r]) text += ", missing " + page.number(*curves.missing[r]);
    page.line(text);
  }
  if (picked.size() < curves.rows.size()) {
    page.line(page.dim("  " + std::to_string(picked.size()) + " of " + std::to_string(curves.rows.size()) + " curves"));
  }
}

}  // namespace

void curves_section(Page& page, const Curves& given, const LevelPlanPtr& plan) {
  const Curves curves = drawn_curves(given, plan, table_rows - 1);
  std::string right = std::to_string(curves.rows.size()) + " curves of " + readable(Value(curves.total_rows)) + " rows";
  if (curves.heterogeneity) right += page.dot() + std::string("rows differ (") + percent(*curves.heterogeneity) + ")";
  page.title(page.item_title(curves.axis, curves.output, curves.group), right);
  if (curves.axis.size() == 0) {
    page.line("  no grid points: the feature has no values");
    return;
  }
  if (!curves.axis.is_categorical() && curves.axis.size() > 1) band_chart(page, curves);
  page.line();
  band_table(page, curves);
  page.left_out_levels(given.axis.is_categorical()
                           ? given.axis.size() - choose_levels(plan, given.axis, table_rows - 1).shown.size()
                           : 0);
  page.line();
  sparklines(page, curves);
}

}  // namespace sightglass::text
