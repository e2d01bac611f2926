#include "sightglass/methods/surrogates/fitting/grid_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/base/random.h"

namespace sightglass {

namespace {

constexpr std::uint64_t grid_stream = 0x6772'6964'7376;  // "gridsv"
constexpr std::uint64_t made_ids = std::uint64_t{1} << 62;

}  // namespace

std::vector<double> grid_values(const std::vector<double>& values, bool levels, std::size_t points) {
  std::vector<double> sorted;
  for (const double value : values) {
    if (std::isfinite(value)) sorted.push_back(value);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> grid;
  const auto add = [&](double value) {
    if (grid.empty() || value > grid.back()) grid.push_back(value);
  };
  if (levels) {
    for (const double value : sorted) add(value);
  } else if (!sorted.empty()) {
    const std::size_t last = std::max<std::size_t>(points, 2) - 1;
    for (std::size_t i = 0; i <= last; ++i) add(sorted[i * (sorted.size() - 1) / last]);
  }
  const bool missing = std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  if (missing || grid.empty()) grid.push_back(std::numeric_limits<double>::quiet_NaN());
  return grid;
}

std::vector<std::vector<double>> grid_rows(const MethodInput& input, const LabelledRows& rows,
                                           const std::vector<std::uint32_t>& columns, std::size_t points,
                                           std::size_t most) {
  const std::size_t features = input.features.size();
  std::vector<std::vector<double>> grids(features);  // empty: not chosen
  std::size_t combinations = 1;
  bool all_chosen = true;
  for (std::size_t j = 0; j < features; ++j) {
    if (std::find(columns.begin(), columns.end(), input.features[j]) == columns.end()) {
      all_chosen = false;
      continue;
    }
    grids[j] = grid_values(rows.values[j], input.schema[input.features[j]].has_levels(), points);
    // Beyond `most` it does not matter how many.
    combinations = combinations > most ? combinations : combinations * grids[j].size();
  }
  const bool every = all_chosen && combinations <= most;
  const std::size_t count = every ? combinations : most;
  std::vector<std::vector<double>> made(features, std::vector<double>(count));
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t from = random_bits(input.seed, grid_stream, row * (features + 1)) % rows.of_data;
    std::size_t left = row;  // counts through all combinations
    for (std::size_t j = 0; j < features; ++j) {
      const std::vector<double>& grid = grids[j];
      if (grid.empty()) {
        made[j][row] = rows.values[j][from];
      } else if (every) {
        made[j][row] = grid[left % grid.size()];
        left /= grid.size();
      } else {
        made[j][row] = grid[random_bits(input.seed, grid_stream, row * (features + 1) + j + 1) % grid.size()];
      }
    }
  }
  return made;
}

void add_made_rows(LabelledRows& rows, const std::vector<std::vector<double>>& values, const Matrix& predictions) {
  for (std::size_t row = 0; row < predictions.rows(); ++row) {
    rows.ids.push_back(made_ids + row);
    for (std::size_t j = 0; j < values.size(); ++j) rows.values[j].push_back(values[j][row]);
    for (std::size_t k = 0; k < rows.outputs; ++k) rows.predictions.push_back(predictions(row, k));
    rows.weights.push_back(1);
    if (!rows.truths.empty()) rows.truths.push_back(std::numeric_limits<double>::quiet_NaN());
  }
}

}  // namespace sightglass
