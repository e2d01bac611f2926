// Rows of mixed data as points, for kernels and nearest neighbours in the sense of squared differences:
//   a number      ((a − b) / sd)²; of two rows at random 2 on average
//   a category    2 where levels differ (unit vectors, one per level), a level of its own where it is missing
//   a missing number is at the mean and differs from those that are there by an indicator of length 1: z² + 1, again 2
//                 on average; two missing ones do not differ
// Rows that are equal in all columns are one point with the sum of their weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/context.h"

namespace sightglass {

// A column as ColumnView::number has it: NaN = missing, levels are codes. The values must outlive what is made of them.
struct PointColumn {
  bool categorical = false;
  std::span<const double> values;
};

// Where numbers are and how far they spread, weighted; a column that does not vary has sd 0 and does not count.
// Infinite numbers count as the most extreme finite ones.
struct ColumnScale {
  double mean = 0, sd = 0, inverse = 0;  // inverse: of sd, or 0
  double low = 0, high = 0;              // of finite numbers
  bool missing = false;                  // some rows have none

  [[nodiscard]] double scaled(double value) const;  // of a number that is not missing
};
[[nodiscard]] std::vector<ColumnScale> column_scales(std::span<const PointColumn> columns,
                                                     std::span<const double> weights);

class ScaledRows {
 public:
  // rows: positions in the columns, ascending. weights: of all positions.
  ScaledRows(std::vector<PointColumn> columns, std::vector<ColumnScale> scales, std::span<const std::uint32_t> rows,
             std::span<const double> weights, const Context& context);

  // Points in the order of the first of their rows.
  [[nodiscard]] std::size_t size() const { return first_.size(); }
  [[nodiscard]] std::uint32_t first_row(std::size_t point) const { return first_[point]; }
  // The point of each row, by its position in the columns; rows that were not given have 0.
  [[nodiscard]] const std::vector<std::uint32_t>& points_of_rows() const { return of_row_; }
  [[nodiscard]] double weight(std::size_t point) const { return weights_[point]; }
  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }
  [[nodiscard]] double total_weight() const { return total_; }
  [[nodiscard]] const std::vector<PointColumn>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<ColumnScale>& scales() const { return scales_; }

  // Between a row, by its position in the columns, and each point from `first` on.
  void squared_distances(std::uint32_t row, std::size_t first, std::span<double> out) const;
  // Between two rows, by their positions in the columns.
  [[nodiscard]] double squared_distance(std::uint32_t a, std::uint32_t b) const;

 private:
  std::vector<PointColumn> columns_;
  std::vector<ColumnScale> scales_;
  std::vector<std::uint32_t> first_, of_row_;
  std::vector<double> weights_;
  double total_ = 0;
};

// Of the distances between so many points, drawn at random, those that differ: their median, weighted by both ends; 0
// if all points are one.
[[nodiscard]] double median_distance(const ScaledRows& rows, std::size_t most, std::uint64_t seed,
                                     const Context& context);

}  // namespace sightglass
