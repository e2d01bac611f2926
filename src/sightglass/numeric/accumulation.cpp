#include "sightglass/numeric/accumulation.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace sightglass {

AccumulatedEffect accumulate(std::span<const double> steps, std::span<const double> squared_errors,
                             std::span<const double> weights, RowsLie lie, Centering centering) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  // The mean over rows is a weighted sum of the steps: step l counts for all rows behind it, and for a part of
  // those within it.
  std::vector<double> shares(steps.size(), 0);
  double behind = 0;
  for (std::size_t l = steps.size(); l-- > 0 && total > 0;) {
    if (lie == RowsLie::on_points) {
      behind += weights[l + 1];
      shares[l] = behind / total;
    } else {
      shares[l] = (behind + (centering == Centering::right ? weights[l] : weights[l] / 2)) / total;
      behind += weights[l];
    }
  }
  double mean = 0;
  for (std::size_t l = 0; l < steps.size(); ++l) mean += shares[l] * steps[l];
  AccumulatedEffect result{.effect = {-mean}, .se = std::vector<double>(steps.size() + 1, 0)};
  double height = 0;
  for (const double step : steps) result.effect.push_back((height += step) - mean);
  // A point is reached over the steps before it: their share is 1 − share, that of the others −share.
  const auto squared = [&](std::size_t l, double share) {
    return share == 0 ? 0 : share * share * squared_errors[l];  // an error may be infinite
  };
  double before = 0, after = 0;
  for (std::size_t l = 0; l < steps.size(); ++l) result.se[l + 1] = before += squared(l, 1 - shares[l]);
  for (std::size_t l = steps.size(); l-- > 0;) result.se[l] += after += squared(l, shares[l]);
  for (double& se : result.se) se = std::sqrt(se);
  return result;
}

namespace {

using Cells = std::vector<std::vector<double>>;

Cells table(std::size_t rows, std::size_t columns) { return Cells(rows, std::vector<double>(columns, 0.0)); }

Cells transposed(const Cells& from, std::size_t columns) {
  Cells to = table(columns, from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (std::size_t k = 0; k < columns; ++k) to[k][i] = from[i][k];
  }
  return to;
}

// The bins whose rows take a step: the bin itself, or the levels at both its ends.
std::size_t bins_of_step(RowsLie lie) { return lie == RowsLie::between_points ? 1 : 2; }

// The mean of two neighbouring points where rows lie between them, else the point itself.
double in_bin(const std::vector<double>& heights, std::size_t bin, RowsLie lie) {
  return lie == RowsLie::between_points ? (heights[bin] + heights[bin + 1]) / 2 : heights[bin];
}

std::vector<double> cell_centres(const std::vector<double>& points) {
  std::vector<double> centres;
  // Halves first: the ends may be further apart than the largest double.
  const double range = points.back() / 2 - points.front() / 2;
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const double centre = points[k] / 4 + points[k + 1] / 4 - points.front() / 2;
    centres.push_back(range > 0 ? centre / range : 0);
  }
  return centres;
}

void fill_empty(const CellGrid& grid, const Cells& weights, Cells& differences) {
  const std::size_t height = grid.first_steps();
  const std::size_t width = grid.second_steps();
  if (height == 0 || width == 0) return;
  const std::vector<double> down = cell_centres(grid.first_points);
  const std::vector<double> across = cell_centres(grid.second_points);
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  constexpr double rounding = 1e-12;  // cells on a regular grid are equally near but for this
  // Per row of cells and column, the nearest cell with rows to the left and to the right.
  std::vector<std::vector<std::size_t>> left(height), right(height);
  for (std::size_t i = 0; i < height; ++i) {
    left[i].assign(width, none);
    right[i].assign(width, none);
    for (std::size_t k = 0; k < width; ++k) left[i][k] = weights[i][k] > 0 ? k : k > 0 ? left[i][k - 1] : none;
    for (std::size_t k = width; k-- > 0;) right[i][k] = weights[i][k] > 0 ? k : k + 1 < width ? right[i][k + 1] : none;
  }
  const Cells measured = differences;
  for (std::size_t i = 0; i < height; ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      if (weights[i][k] > 0) continue;
      double best = std::numeric_limits<double>::infinity();
      std::size_t best_row = none, best_column = none;
      const auto look = [&](std::size_t row) {
        const double vertical = down[row] - down[i];
        if (vertical * vertical > best + rounding) return false;
        for (const std::size_t column : {left[row][k], right[row][k]}) {
          if (column == none) continue;
          const double horizontal = across[column] - across[k];
          const double distance = vertical * vertical + horizontal * horizontal;
          const bool earlier = row < best_row || (row == best_row && column < best_column);
          if (distance < best - rounding || (distance <= best + rounding && earlier)) {
            best = distance;
            best_row = row;
            best_column = column;
          }
        }
        return true;
      };
      for (std::size_t above = i + 1; above > 0 && look(above - 1); --above) {
      }
      for (std::size_t row = i + 1; row < height && look(row); ++row) {
      }
      differences[i][k] = best_row == none ? 0 : measured[best_row][best_column];
    }
  }
}

// What the first axis does alone: the mean over the rows of each step of how the heights change along it, added up.
std::vector<double> main_effect(const Cells& heights, const Cells& weights, std::size_t steps, RowsLie along,
                                RowsLie beside) {
  std::vector<double> effect(steps + 1, 0);
  for (std::size_t step = 0; step < steps; ++step) {
    double sum = 0, total = 0, plain_sum = 0, plain_count = 0;
    const std::vector<double>& low = heights[step];
    const std::vector<double>& high = heights[step + 1];
    for (std::size_t bin = step; bin < step + bins_of_step(along); ++bin) {
      for (std::size_t other = 0; other < weights[bin].size(); ++other) {
        const double change = in_bin(high, other, beside) - in_bin(low, other, beside);
        sum += weights[bin][other] * change;
        total += weights[bin][other];
        plain_sum += change;
        plain_count += 1;
      }
    }
    // A bin of rows that all miss the other feature: its cells count the same.
    const double mean = total > 0 ? sum / total : plain_count > 0 ? plain_sum / plain_count : 0;
    effect[step + 1] = effect[step] + mean;
  }
  return effect;
}

}  // namespace

Cells CellGrid::cell_weights() const {
  Cells cells = table(first_steps(), second_steps());
  for (std::size_t i = 0; i < first_steps(); ++i) {
    for (std::size_t k = 0; k < second_steps(); ++k) {
      for (std::size_t a = 0; a < bins_of_step(first); ++a) {
        for (std::size_t b = 0; b < bins_of_step(second); ++b) cells[i][k] += weights[i + a][k + b];
      }
    }
  }
  return cells;
}

Cells accumulate_cells(const CellGrid& grid, Cells differences) {
  Cells heights = table(grid.first_points.size(), grid.second_points.size());
  if (grid.first_steps() == 0 || grid.second_steps() == 0) return heights;
  fill_empty(grid, grid.cell_weights(), differences);
  for (std::size_t i = 1; i < heights.size(); ++i) {
    double along = 0;
    for (std::size_t k = 1; k < heights[i].size(); ++k) {
      along += differences[i - 1][k - 1];
      heights[i][k] = heights[i - 1][k] + along;
    }
  }
  const auto first = main_effect(heights, grid.weights, grid.first_steps(), grid.first, grid.second);
  const auto second =
      main_effect(transposed(heights, grid.second_points.size()), transposed(grid.weights, grid.weights[0].size()),
                  grid.second_steps(), grid.second, grid.first);
  for (std::size_t i = 0; i < heights.size(); ++i) {
    for (std::size_t k = 0; k < heights[i].size(); ++k) heights[i][k] -= first[i] + second[k];
  }
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < grid.weights.size(); ++i) {
    for (std::size_t k = 0; k < grid.weights[i].size(); ++k) {
      if (!(grid.weights[i][k] > 0)) continue;
      double height = in_bin(heights[i], k, grid.second);
      if (grid.first == RowsLie::between_points) height = (height + in_bin(heights[i + 1], k, grid.second)) / 2;
      sum += grid.weights[i][k] * height;
      total += grid.weights[i][k];
    }
  }
  const double mean = total > 0 ? sum / total : 0;
  for (auto& row : heights) {
    for (double& height : row) height -= mean;
  }
  return heights;
}

}  // namespace sightglass
