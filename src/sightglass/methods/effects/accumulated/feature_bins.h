// How rows are moved along a feature to see its effect close to where they are. A numeric feature's grid are
// edges, and a row goes from the lower to the upper edge of its bin; a categorical feature's grid are levels,
// and a row goes from its own level to the one before and the one after.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/numeric/bucket_search.h"

namespace sightglass {

class FeatureBins {
 public:
  static constexpr std::uint32_t nowhere = 0xFFFFFFFF;

  FeatureBins() = default;
  explicit FeatureBins(const FeatureGrid& grid);

  [[nodiscard]] std::uint32_t column() const { return column_; }
  // Whether rows lie between the points of the grid, or on them.
  [[nodiscard]] bool between() const { return between_; }
  [[nodiscard]] std::size_t points() const { return points_.size(); }
  [[nodiscard]] double value(std::size_t point) const { return points_[point]; }
  // From each point of the grid to the next.
  [[nodiscard]] std::size_t steps() const { return points_.empty() ? 0 : points_.size() - 1; }
  // Where rows can lie: bins or levels.
  [[nodiscard]] std::size_t bins() const { return between_ ? steps() : points(); }

  // Each row's bin: the edges lie below it and at or above it; the minimum is in the first bin. Or its level.
  // Nowhere if it has none: missing, infinite, of weight zero.
  void locate(const RowBlock& block, std::span<std::uint32_t> bin_of_row) const;

  // Points that a row is moved to, counted from its bin: the edges 0 and 1 of its bin, or the levels -1, 0, 1.
  // Beyond the first or last level it stays where it is.
  [[nodiscard]] std::span<const int> shifts() const;
  // The block's column with every row at such a point; rows that are nowhere are at some point.
  [[nodiscard]] Column shifted(const RowBlock& block, std::span<const std::uint32_t> bin_of_row, int shift) const;

  // A step that a row takes: between two of its shifts, as positions in shifts().
  struct Difference {
    std::size_t from, to;
    int offset;  // of the step from the row's bin
  };
  [[nodiscard]] std::span<const Difference> differences() const;
  // Which step it is, or steps() if there is none because the row is at an end.
  [[nodiscard]] std::size_t step_of(std::uint32_t bin, const Difference& difference) const {
    const std::int64_t step = static_cast<std::int64_t>(bin) + difference.offset;
    return step < 0 || step >= static_cast<std::int64_t>(steps()) ? steps() : static_cast<std::size_t>(step);
  }

 private:
  std::uint32_t column_ = 0;
  bool between_ = true;
  std::vector<double> points_;
  BucketSearch<double> behind_;              // the points: how many are below a value
  std::vector<std::uint32_t> bin_of_level_;  // by code
};

}  // namespace sightglass
