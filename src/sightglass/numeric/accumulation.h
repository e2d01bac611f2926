// From local differences to effects: adds steps up along one axis or two, and takes away what is not the effect
// itself: the mean, and from the effect of two features what each does alone (Apley & Zhu 2020).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sightglass {

// An axis has points and the steps between them. Rows lie between the points (bins of a number: as many as
// steps) or on them (levels: as many as points); either is called a bin.
enum class RowsLie { between_points, on_points };

// What a row between two points has as its height: the mean of both ends, or the right one.
enum class Centering { midpoint, right };

struct AccumulatedEffect {
  std::vector<double> effect;  // per point; the weighted mean over all rows is 0
  std::vector<double> se;
};
// steps: the mean difference of each step, and the squared standard error of that mean. weights: per bin.
[[nodiscard]] AccumulatedEffect accumulate(std::span<const double> steps, std::span<const double> squared_errors,
                                           std::span<const double> weights, RowsLie lie, Centering centering);

struct CellGrid {
  RowsLie first = RowsLie::between_points, second = RowsLie::between_points;
  std::vector<double> first_points, second_points;  // where they are, for distances between cells
  std::vector<std::vector<double>> weights;         // [first bin][second bin]

  [[nodiscard]] std::size_t first_steps() const { return first_points.empty() ? 0 : first_points.size() - 1; }
  [[nodiscard]] std::size_t second_steps() const { return second_points.empty() ? 0 : second_points.size() - 1; }
  // (Weighted) rows whose difference counts for each cell: those in it, or those at its corners.
  [[nodiscard]] std::vector<std::vector<double>> cell_weights() const;
};
// differences: [first step][second step], the mean second difference of each cell. A cell without weight takes
// that of the nearest cell (centre to centre, each axis in units of its range; the first of equally near ones).
// The effect at the points, without the effects of each axis alone and without its mean.
[[nodiscard]] std::vector<std::vector<double>> accumulate_cells(const CellGrid& grid,
                                                                std::vector<std::vector<double>> differences);

}  // namespace sightglass
