// Attributions: a row's way from base to prediction as bars, largest first; of many rows how the values of each
// feature are spread.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/attribution_view.h"
#include "sightglass/insight/interval.h"
#include "sightglass/insight/probabilities.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"

namespace sightglass::text {

namespace {

std::string title_of(Page& page, const AttributionPicture& group) {
  const std::string qualifier = group_qualifier(page.result(), group);
  return group_title(group) + (qualifier.empty() ? "" : page.dot() + qualifier);
}

void row_section(Page& page, const AttributionPicture& group) {
  const Attributions& item = *group.attributions;
  const auto steps = attribution_steps(item, group.shown);
  const auto probabilities = running_probabilities(*group.result, item, group.shown, steps);
  page.title(title_of(page, group), "");
  const auto so_far = probability_texts(probabilities);
  const bool percents = told_in_percent(group.result);
  const auto height = [&](double value) { return percents ? percent(value) : page.number(value); };
  const auto beside = [&](std::size_t step) {
    return probabilities.empty() ? std::string() : " (" + probability_text(probabilities[step]) + ")";
  };
  page.line("  base " + page.bold(height(item.base)) + beside(0) + (page.unicode() ? " → " : " -> ") + "prediction " +
            page.bold(height(item.prediction[group.shown])) + beside(steps.size()));
  std::vector<double> values, half;
  for (const auto& step : steps) {
    values.push_back(step.value);
    half.push_back(step.se ? interval_width * *step.se : std::nan(""));
  }
  const ColumnFormat errors = error_format(half, percents);
  const ColumnFormat format(values, percents);
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const AttributionStep& step = steps[i];
    const std::string sign = step.value > 0 ? "+" : "";
    bars.push_back({page.fitted(step.label, 34), step.value, {sign + page.ascii(format(step.value))}, false});
    if (!item.se.empty()) {
      bars.back().cells.push_back(
          step.se ? page.plus_minus() + std::string(" ") + page.ascii(errors(interval_width * *step.se)) : "");
    }
    if (!so_far.empty()) bars.back().cells.push_back(so_far[i + 1]);
  }
  std::vector<std::string> heads{"adds"};
  if (!item.se.empty()) heads.emplace_back("95 %");
  if (!probabilities.empty()) heads.emplace_back("so far");
  page.bars(bars, heads);
}

void rows_section(Page& page, const AttributionPicture& group) {
  const Attributions& item = *group.attributions;
  page.title(title_of(page, group), "");
  page.line("  " + readable(Value(static_cast<std::uint64_t>(item.rows.size()))) + " rows, base " +
            page.bold(readable_prediction(*group.result, item.base)));
  if (item.rows.empty()) return;
  const auto order = by_mean_size(item);
  const std::size_t shown = std::min(order.size(), features_in_swarm);
  static constexpr const char* heads[] = {"lowest", "25 %", "median", "75 %", "highest"};
  std::vector<TableColumn> columns{{"adds", {}, true}};
  std::vector<std::vector<double>> quantiles(std::size(heads));
  for (std::size_t i = 0; i < shown; ++i) {
    columns[0].cells.push_back(page.fitted(printable(item.features[order[i]].feature), 28));
    std::vector<double> values;
    for (std::size_t row = 0; row < item.rows.size(); ++row) values.push_back(item.value(row, order[i]));
    std::sort(values.begin(), values.end());
    for (std::size_t q = 0; q < quantiles.size(); ++q)
      quantiles[q].push_back(values[(values.size() - 1) * q / (quantiles.size() - 1)]);
  }
  std::vector<double> all;
  for (const auto& each : quantiles) all.insert(all.end(), each.begin(), each.end());
  const ColumnFormat format(all, told_in_percent(group.result));
  for (std::size_t q = 0; q < quantiles.size(); ++q) {
    columns.push_back({heads[q], {}, false});
    for (const double value : quantiles[q]) columns.back().cells.push_back(page.ascii(format(value)));
  }
  page.table(columns);
  if (order.size() > shown)
    page.line(page.dim("  " + std::to_string(order.size() - shown) + " more; csv and json have all"));
}

}  // namespace

void attribution_section(Page& page, const AttributionPicture& group) {
  if (group.view == AttributionView::row) return row_section(page, group);
  rows_section(page, group);
}

}  // namespace sightglass::text
