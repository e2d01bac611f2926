#include "sightglass/methods/grid/level_order.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "sightglass/methods/run/row_sample.h"
#include "sightglass/methods/run/weight_units.h"
#include "sightglass/numeric/mds.h"

namespace sightglass {

namespace {

constexpr std::uint64_t sample_stream = 0x1e7e15;

// How the rows of one level are distributed over another feature: its values in order, and the share of rows up to
// each of them (numbers) or at it (levels).
struct Spread {
  std::vector<double> values, shares;
};

// The largest distance between two distribution functions.
double kolmogorov_smirnov(const Spread& a, const Spread& b) {
  if (a.values.empty() || b.values.empty()) return a.values.empty() == b.values.empty() ? 0 : 1;
  double below_a = 0, below_b = 0, largest = 0;
  std::size_t i = 0, k = 0;
  // Once one of them has reached 1 the other only comes nearer.
  while (i < a.values.size() && k < b.values.size()) {
    const double value = std::min(a.values[i], b.values[k]);
    if (a.values[i] == value) below_a = a.shares[i++];
    if (b.values[k] == value) below_b = b.shares[k++];
    largest = std::max(largest, std::abs(below_a - below_b));
  }
  return largest;
}

double total_variation(const Spread& a, const Spread& b) {
  double sum = 0;
  std::size_t i = 0, k = 0;
  while (i < a.values.size() || k < b.values.size()) {
    const double next_a = i < a.values.size() ? a.values[i] : INFINITY;
    const double next_b = k < b.values.size() ? b.values[k] : INFINITY;
    const double share_a = next_a <= next_b ? a.shares[i++] : 0;
    const double share_b = next_b <= next_a ? b.shares[k++] : 0;
    sum += std::abs(share_a - share_b);
  }
  return sum / 2;
}

struct RowsOfLevels {
  std::vector<std::uint32_t> level;  // per row of the sample; `none` = no level
  std::vector<std::uint64_t> units;  // per row
  std::size_t levels = 0;
  static constexpr std::uint32_t none = 0xFFFFFFFF;
};

std::vector<Spread> spreads(const RowsOfLevels& rows, const std::vector<double>& values, bool categorical) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t row = 0; row < values.size(); ++row) {
    if (rows.level[row] == RowsOfLevels::none || rows.units[row] == 0) continue;
    if (categorical || std::isfinite(values[row])) order.push_back(row);
  }
  // Missing is the level before the first.
  const auto number = [&](std::uint32_t row) { return std::isnan(values[row]) ? -1.0 : values[row]; };
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return number(a) < number(b); });
  std::vector<Spread> spreads(rows.levels);
  std::vector<std::vector<std::uint64_t>> counts(rows.levels);
  std::vector<std::uint64_t> totals(rows.levels, 0);
  for (const std::uint32_t row : order) {
    const std::uint32_t level = rows.level[row];
    Spread& spread = spreads[level];
    if (spread.values.empty() || spread.values.back() != number(row)) {
      spread.values.push_back(number(row));
      counts[level].push_back(categorical ? 0 : totals[level]);
    }
    counts[level].back() += rows.units[row];
    totals[level] += rows.units[row];
  }
  for (std::size_t level = 0; level < rows.levels; ++level) {
    const auto total = static_cast<double>(totals[level]);
    for (const std::uint64_t count : counts[level]) spreads[level].shares.push_back(static_cast<double>(count) / total);
  }
  return spreads;
}

// Levels of the grid, in their new order.
std::vector<std::size_t> similar_order(const MethodInput& input, const FeatureGrid& grid, const RowSample& sample) {
  const std::size_t levels = grid.axis.levels.size();
  std::vector<std::uint32_t> place_of_code;
  for (std::size_t k = 0; k < levels; ++k) {
    const auto code = static_cast<std::size_t>(grid.values[k].number);
    if (code >= place_of_code.size()) place_of_code.resize(code + 1, RowsOfLevels::none);
    place_of_code[code] = static_cast<std::uint32_t>(k);
  }
  const WeightUnits units(input);
  RowsOfLevels rows{.levels = levels};
  std::vector<bool> seen(levels, false);
  for (const double code : sample.of(grid.column)) {
    const bool known = code >= 0 && code < static_cast<double>(place_of_code.size());
    rows.level.push_back(known ? place_of_code[static_cast<std::size_t>(code)] : RowsOfLevels::none);
    if (rows.level.back() != RowsOfLevels::none) seen[rows.level.back()] = true;
  }
  for (const double weight : sample.weights) rows.units.push_back(units.of(weight));
  std::vector<std::size_t> compared;
  for (std::size_t k = 0; k < levels; ++k) {
    if (seen[k]) compared.push_back(k);
  }

  const std::size_t size = compared.size();
  std::vector<double> distances(size * size, 0);
  for (const std::uint32_t column : input.features) {
    if (column == grid.column) continue;
    const bool categorical = input.schema[column].has_levels();
    const std::vector<Spread> all = spreads(rows, sample.of(column), categorical);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = i + 1; k < size; ++k) {
        const Spread& a = all[compared[i]];
        const Spread& b = all[compared[k]];
        distances[i * size + k] += categorical ? total_variation(a, b) : kolmogorov_smirnov(a, b);
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < i; ++k) distances[i * size + k] = distances[k * size + i];
  }
  const std::vector<double> line = scale_to_line(distances, size);
  // Places that differ in their last bits only are the same place; there the name decides.
  double reach = 0;
  for (const double at : line) reach = std::max(reach, std::abs(at));
  std::vector<double> rounded(levels, 0);
  for (std::size_t i = 0; i < size && reach > 0; ++i) rounded[compared[i]] = std::round(line[i] / reach * 1e9);
  const auto sorted = [&](double sign) {
    std::vector<std::size_t> order = compared;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (rounded[a] != rounded[b]) return sign * rounded[a] < sign * rounded[b];
      return grid.axis.levels[a] < grid.axis.levels[b];
    });
    return order;
  };
  std::vector<std::size_t> order = sorted(1);
  std::vector<std::size_t> reversed = sorted(-1);
  if (size > 0 && grid.axis.levels[reversed[0]] < grid.axis.levels[order[0]]) order = std::move(reversed);
  // Levels that the sample missed come last.
  for (std::size_t k = 0; k < levels; ++k) {
    if (!seen[k]) order.push_back(k);
  }
  return order;
}

void reorder(FeatureGrid& grid, const std::vector<std::size_t>& order) {
  const FeatureGrid from = grid;
  for (std::size_t k = 0; k < order.size(); ++k) {
    grid.axis.levels[k] = from.axis.levels[order[k]];
    grid.values[k] = from.values[order[k]];
    grid.count[k] = from.count[order[k]];
    grid.distribution.counts[k] = from.distribution.counts[order[k]];
  }
}

std::vector<std::size_t> order_by_name(const FeatureGrid& grid) {
  std::vector<std::size_t> order(grid.axis.levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return grid.axis.levels[a] < grid.axis.levels[b]; });
  return order;
}

}  // namespace

Chain<OrderedGrids> order_levels(const MethodInput& input, std::vector<FeatureGrid> grids) {
  std::vector<Caveat> caveats;
  std::vector<std::size_t> to_compare;
  for (std::size_t i = 0; i < grids.size(); ++i) {
    FeatureGrid& grid = grids[i];
    if (!grid.axis.is_categorical() || grid.axis.ordered) continue;
    // Two levels have only one order, but for the direction.
    if (grid.axis.size() > 2 && grid.axis.size() <= most_ordered_levels) {
      to_compare.push_back(i);
      continue;
    }
    reorder(grid, order_by_name(grid));
    if (grid.axis.size() <= most_ordered_levels) continue;
    caveats.push_back({.id = "levels-by-name",
                       .severity = Severity::caution,
                       .message = feature_name(grid.axis.feature) + " has " + std::to_string(grid.axis.size()) +
                                  " levels, too many to compare: they are in the order of their names",
                       .evidence = Value::object({{"feature", grid.axis.feature}, {"levels", grid.axis.size()}}),
                       .advice = "neighbours may have little in common; join rare levels"});
  }
  const OrderedGrids named{std::move(grids), std::move(caveats)};
  if (to_compare.empty()) return named;
  return draw_rows(input, input.features, level_order_rows, sample_stream).then([=](const RowSample& sample) {
    OrderedGrids ordered = named;
    std::map<std::uint32_t, std::vector<std::size_t>> orders;  // a feature may have several grids, all with its levels
    for (const std::size_t i : to_compare) {
      FeatureGrid& grid = ordered.grids[i];
      auto& order = orders[grid.column];
      if (order.empty()) order = similar_order(input, grid, sample);
      reorder(grid, order);
    }
    if (!sample.complete()) {
      ordered.caveats.push_back({.id = "sampled-level-order",
                                 .severity = Severity::note,
                                 .message = "the order of levels was found from " + std::to_string(sample.rows()) +
                                            " of " + std::to_string(sample.available) +
                                            " rows, drawn at random; effects use all rows",
                                 .evidence = Value::object({{"rows", sample.rows()}, {"available", sample.available}}),
                                 .advice = "give the levels an order of their own to fix it"});
    }
    return ordered;
  });
}

}  // namespace sightglass
