#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/time_limit.h"
#include "sightglass/plans/report/report_budget_internal.h"

namespace sightglass {

namespace {

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

double Price::of(std::uint64_t rows) const {
  return std::max(0.0, fixed + per_row * static_cast<double>(std::min(rows, most_rows)));
}

Price Price::times(double factor) const {
  Price price = *this;
  price.per_row *= factor;
  price.fixed *= factor;
  return price;
}

TimedRun run_in_time(Context& context, double seconds, bool twice, const std::function<Result()>& run) {
  const double begin = context.clock();
  try {
    const TimeLimit limit(context, begin + seconds);
    if (twice) (void)run();
    const double start = context.clock();
    Result result = run();
    return {std::move(result), context.clock() - start};
  } catch (const OutOfTime&) {
    return {std::nullopt, context.clock() - begin};
  }
}

Price timed(const Price& price, const Trial& few) {
  Price found = price;
  const auto rows = static_cast<double>(std::min(few.rows, price.most_rows));
  found.per_row = std::min(price.per_row, few.seconds / rows);
  found.fixed = std::max(0.0, few.seconds - found.per_row * rows);
  return found;
}

// Costs that grow faster than the rows go on along the last of their slope, so that the fixed part may be below 0.
Price timed(const Price& price, const Trial& few, const Trial& more) {
  const std::uint64_t first = std::min(few.rows, price.most_rows), second = std::min(more.rows, price.most_rows);
  if (second <= first) return timed(price, more);
  Price found = price;
  // A clock is not that exact: small differences are no slope.
  const double noise = 0.05 * more.seconds;
  found.per_row = std::max(0.0, more.seconds - few.seconds - noise) / static_cast<double>(second - first);
  found.fixed = more.seconds - found.per_row * static_cast<double>(second);
  return found;
}

Fit fit(const std::vector<Price>& parts, std::uint64_t rows, std::uint64_t fewest, double seconds) {
  Fit fit{.rows = rows, .keeps = std::vector<bool>(parts.size(), false)};
  const auto cost = [&](std::uint64_t of_rows) {
    double sum = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) sum += fit.keeps[part] ? parts[part].of(of_rows) : 0;
    return sum;
  };
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return parts[a].rank < parts[b].rank; });
  for (const std::size_t part : order) {
    const Price& price = parts[part];
    if (price.needs && !fit.keeps[*price.needs]) continue;
    fit.keeps[part] = true;
    if (price.rank > 0 && cost(std::min(rows, fewest)) > seconds) fit.keeps[part] = false;
  }
  if (cost(rows) <= seconds) return fit;
  // Costs grow with the rows: the most that fit.
  std::uint64_t most = std::min(rows, least_rows), above = rows;
  while (most + 1 < above) {
    const std::uint64_t middle = most + (above - most) / 2;
    (cost(middle) <= seconds ? most : above) = middle;
  }
  fit.rows = most;
  return fit;
}

}  // namespace sightglass
