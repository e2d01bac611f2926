// What one pass over the rows of a region learns: the curves' moments, how the feature itself is distributed there,
// and the sums behind every division by other columns.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/methods/effects/curves/curve_bands.h"
#include "sightglass/methods/effects/curves/effect_moments.h"
#include "sightglass/methods/effects/regions/region_splits.h"
#include "sightglass/methods/grid/feature_grid.h"

namespace sightglass {

// A run of rows, with what is asked again and again about them.
struct RegionRows {
  std::size_t count = 0;
  std::vector<double> weights, values;  // values: of the feature
  std::vector<std::uint64_t> units;
  std::vector<const std::uint16_t*> bins;  // [column of the list of split columns]: the bin of each row

  [[nodiscard]] bool inside(const RowRegion& region, std::size_t row) const;
};

class RegionSums {
 public:
  // `columns` are the bins of the columns that may divide the region; none: it is not to be divided.
  RegionSums(const FeatureGrid& grid, const std::vector<std::size_t>& columns);

  // Adds the rows `chosen` of a run; predictions: (points [+ 1]) × rows of the run, of which the column `output` is
  // used. candidates: which split columns the constructor's `columns` are.
  void add(const FeatureGrid& grid, const RegionRows& rows, const std::vector<std::uint32_t>& chosen,
           MatrixSpan<const double> predictions, std::size_t output, const std::vector<std::size_t>& candidates,
           bool weighted, const Context& context);
  static auto members() {
    return std::tuple(&RegionSums::weights_, &RegionSums::moments_, &RegionSums::cells_, &RegionSums::missing_,
                      &RegionSums::columns_);
  }

  [[nodiscard]] double weight() const { return weights_.total().high; }
  [[nodiscard]] std::optional<double> heterogeneity() const { return moments_.heterogeneity(0, weights_.total()); }
  [[nodiscard]] std::optional<EffectMoments::ShapeSums> shape_sums() const {
    return moments_.shape_sums(0, weights_.total());
  }
  [[nodiscard]] const std::vector<BinSums>& columns() const { return columns_; }
  // The region's partial dependence. whole: the region is all rows, whose distribution the grid knows.
  [[nodiscard]] Curve curve(const FeatureGrid& grid, const WeightUnits& units, bool whole) const;

 private:
  void count_values(const FeatureGrid& grid, const RegionRows& rows, const std::vector<std::uint32_t>& chosen);
  void add_columns(const RegionRows& rows, const std::vector<std::uint32_t>& chosen, const std::vector<double>& weights,
                   const Matrix& own, const std::vector<std::size_t>& candidates, const Context& context);

  std::size_t points_ = 0, variants_ = 0;
  WeightSums weights_;
  EffectMoments moments_;
  std::vector<std::uint64_t> cells_;  // units in each cell of the grid, or of each level
  std::uint64_t missing_ = 0;
  std::vector<BinSums> columns_;
};

}  // namespace sightglass
