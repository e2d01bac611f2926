// Quantiles of many curves at each grid point, where not every curve is kept: whole counts in bins, in memory
// that does not depend on the number of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sightglass/methods/run/sums.h"

namespace sightglass {

// The width of a range, but never 0: constant curves need some.
[[nodiscard]] double band_width(const ValueRange& range);

// How values fall into bins: 2,048 of equal width over a range; or, for differences, whose sizes span many
// orders, 64 to each factor of two up to a largest size (a half bin is at most 0.8 % of the value; what is smaller
// than 2^-24 of the largest counts as 0).
class BandBins {
 public:
  [[nodiscard]] static BandBins equal(const ValueRange& range);
  [[nodiscard]] static BandBins relative(double largest);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool holds(const ValueRange& values) const { return range_.holds(values); }
  // Values outside go to the outermost bins.
  [[nodiscard]] std::size_t bin(double value) const;
  [[nodiscard]] double middle(std::size_t bin) const;
  // Bins of the same kind that hold these values.
  [[nodiscard]] BandBins widened(const ValueRange& values) const;

 private:
  ValueRange range_;
  bool relative_ = false;
  std::uint64_t lowest_ = 0;  // relative: leading bits of the smallest size that is not 0
};

// The counts of one feature's curves: [point][output][bin], and the lowest and highest value of each.
class CurveBands {
 public:
  CurveBands() = default;
  // One kind of bins per output; none: nothing is counted.
  CurveBands(std::size_t points, std::size_t outputs, const std::vector<BandBins>& bins);

  void add(std::size_t point, std::size_t output, double value, std::uint64_t units, const BandBins& bins) {
    const std::size_t at = point * outputs_ + output;
    extremes_[at].add(value);
    counts_[offsets_[at] + bins.bin(value)] += units;
  }
  static auto members() { return std::tuple(&CurveBands::counts_, &CurveBands::extremes_); }

  // Of one output at all points.
  [[nodiscard]] ValueRange extremes(std::size_t output) const;
  // The type-1 quantile percent/100, to half a bin.
  [[nodiscard]] double quantile(std::size_t point, std::size_t output, std::uint64_t percent,
                                const BandBins& bins) const;

 private:
  std::size_t outputs_ = 0;
  std::vector<std::uint64_t> counts_;
  std::vector<std::size_t> offsets_;  // [point][output]
  std::vector<ValueRange> extremes_;  // [point][output]
};

}  // namespace sightglass
