// How rows lie along a numeric axis: how many near each grid point, how many in each bin of a histogram. The borders
// of both cut the axis into cells, so that a row is found by one search and counted once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/numeric/bucket_search.h"

namespace sightglass {

class ValueCells {
 public:
  ValueCells() = default;
  // Near a point is what is within 2.5 % of the range from low to high, to either side. Points and edges ascend; what
  // is beyond the outer edges belongs to the outer bins.
  ValueCells(const std::vector<double>& points, double low, double high, const std::vector<double>& edges);

  [[nodiscard]] std::size_t size() const { return cuts_.size() + 1; }
  [[nodiscard]] std::size_t of(double value) const { return search_.reached(value); }

  // From what was counted per cell.
  [[nodiscard]] std::vector<std::uint64_t> near_points(std::span<const std::uint64_t> cells) const;
  [[nodiscard]] std::vector<std::uint64_t> in_bins(std::span<const std::uint64_t> cells) const;

 private:
  struct Run {
    std::size_t begin, end;
  };
  [[nodiscard]] static std::vector<std::uint64_t> sums(std::span<const std::uint64_t> cells,
                                                       const std::vector<Run>& runs);

  std::vector<double> cuts_;     // a cell begins with a cut and ends before the next
  BucketSearch<double> search_;  // the cuts
  std::vector<Run> near_, bins_;
};

}  // namespace sightglass
