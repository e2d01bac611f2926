#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/plans/report/report_budget_internal.h"

namespace sightglass {

namespace {

constexpr std::uint64_t fewest_rows = 300;
constexpr std::size_t measured_rows = 4096;
constexpr double measured_seconds = 0.25;

// Each feature of another row: most rows that methods ask about are no rows of the data, and some models (nearest
// neighbours) are quicker about rows that they know.
RowBlock mixed(const RowBlock& block, std::vector<ColumnView>& views) {
  const std::size_t rows = (block.rows + 1) / 2;
  views.assign(block.columns.size(), {});
  for (std::size_t column = 0; column < views.size(); ++column) {
    if (block.columns[column].data != nullptr)
      views[column] = block.columns[column].slice(column % (block.rows - rows + 1), rows);
  }
  return {.rows = rows, .columns = views};
}

}  // namespace

double seconds_of(const std::string& duration) {
  double number = 0;
  const char* end = duration.data() + duration.size();
  const auto [rest, error] = std::from_chars(duration.data(), end, number);
  const std::string unit(rest, end);
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : NAN;
  if (error != std::errc() || !(number >= 0) || !std::isfinite(number * factor))
    throw Error(ErrorKind::usage, option_text("budget") + ": " + printable(duration) + " is no time",
                "write 90s, 5m or 1h");
  return number * factor;
}

double seconds_per_row(const RunSession& session) {
  Evaluator& evaluator = session.evaluator();
  Matrix predictions;
  std::vector<ColumnView> views;
  double best = 0, spent = 0;
  // The first calls of a model do more than the later ones, and others may be at work on the machine: of several
  // measurements the shortest counts, of larger and larger blocks as long as they are quick.
  for (std::size_t block_rows = 16; spent < measured_seconds; block_rows = std::min(4 * block_rows, measured_rows)) {
    const auto stream = session.rows().open(evaluator.columns(), 2 * block_rows);
    const auto block = stream->next();
    if (!block) break;
    const RowBlock asked = mixed(*block, views);
    const double start = evaluator.context().clock();
    evaluator.evaluate(asked, predictions);
    const double seconds = evaluator.context().clock() - start;
    const double each = seconds / static_cast<double>(asked.rows);
    best = spent == 0 ? each : std::min(best, each);
    // Some time for the whole even if a call takes none.
    spent += std::max(seconds, measured_seconds / 50);
  }
  return best;
}

Fit fit(const std::vector<Price>& parts, std::uint64_t rows, double seconds_per_row, double seconds) {
  const double predictions = seconds / std::max(seconds_per_row, 1e-12);
  Fit fit{.rows = rows, .keeps = std::vector<bool>(parts.size(), false)};
  double per_row = 0, fixed = 0;
  const auto possible = [&](double more_per_row, double more_fixed) {
    return (predictions - fixed - more_fixed) / std::max(per_row + more_per_row, 1e-9);
  };
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return parts[a].rank < parts[b].rank; });
  const auto enough = static_cast<double>(std::min(rows, fewest_rows));
  for (const std::size_t part : order) {
    const Price& price = parts[part];
    if (price.needs && !fit.keeps[*price.needs]) continue;
    if (price.rank > 0 && possible(price.per_row, price.fixed) < enough) continue;
    fit.keeps[part] = true;
    per_row += price.per_row;
    fixed += price.fixed;
  }
  if (possible(0, 0) < static_cast<double>(rows))
    fit.rows = std::min(rows, static_cast<std::uint64_t>(std::max(20.0, possible(0, 0))));
  return fit;
}

}  // namespace sightglass
