// Regions of rows: how columns divide the data, which division makes the curves within each part most alike, and
// how a region reads in words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/methods/run/weight_units.h"
#include "sightglass/numeric/exact_sum.h"

namespace sightglass {

// A column by which rows can be divided, cut into a few bins. Numbers: bins between thresholds; ordered levels: runs
// of levels; other levels: one bin each for the most common, one for the rest. Missing values have the last bin.
class SplitColumn {
 public:
  // The grid is one of at most splits + 1 quantiles, or of all values if there are no more.
  SplitColumn(const FeatureGrid& grid, std::size_t splits);

  [[nodiscard]] std::uint32_t column() const { return column_; }
  [[nodiscard]] std::size_t bins() const { return value_bins_ + (has_missing_ ? 1 : 0); }
  void assign(const ColumnView& values, std::span<std::uint16_t> bins) const;

  // A set of bins as a condition: "temp ≤ 6.5", "3.5 < hour ≤ 9.5 or missing", "weather = rain".
  [[nodiscard]] std::string condition(const std::vector<bool>& bins) const;

  // Which bins one side of a division has.
  using Side = std::vector<bool>;
  // All divisions, in the order in which ties are settled: thresholds (levels) ascending; at each, missing values
  // on the far side, then on the near side; last the missing values on their own.
  [[nodiscard]] const std::vector<Side>& divisions() const { return divisions_; }

 private:
  enum class Kind { numeric, ordered, nominal };
  void cut_levels(const FeatureGrid& grid, std::size_t splits);
  void list_divisions();
  [[nodiscard]] std::string nominal_condition(const Side& bins) const;

  std::uint32_t column_ = 0;
  std::string name_;
  DateKind dates_;
  Kind kind_ = Kind::numeric;
  bool has_missing_ = false;
  std::size_t value_bins_ = 1;
  bool pooled_ = false;                     // nominal: the last value bin holds all other levels
  std::vector<double> thresholds_;          // numeric: ascending; ≤ goes below
  std::vector<std::string> names_;          // ordered: the last level of each bin but the last; nominal: one per bin
  std::vector<std::uint16_t> bin_of_code_;  // of levels
  std::vector<Side> divisions_;
};

// The number with the fewest decimal digits (about) that is at least low and less than high; low if there is none.
[[nodiscard]] double short_number(double low, double high);

// A part of the data: for some columns, the bins that belong to it.
struct RowRegion {
  struct Limit {
    std::size_t column;  // index into the list of split columns
    SplitColumn::Side bins;
  };
  std::vector<Limit> limits;
  bool open = true;  // whether it may be divided further

  [[nodiscard]] RowRegion part(std::size_t column, const SplitColumn::Side& bins, bool open) const;
  // "hour ≤ 6.5 and workingday = no"; empty for all rows.
  [[nodiscard]] std::string text(const std::vector<SplitColumn>& columns) const;
};

// Weights and sums of centred curves per bin of a column.
struct BinSums {
  std::vector<std::uint64_t> units;  // [bin]
  std::vector<ExactSum> sums;        // [bin][point]

  BinSums(std::size_t bins, std::size_t points) : units(bins), sums(bins * points) {}
  static auto members() { return std::tuple(&BinSums::units, &BinSums::sums); }
};

struct Division {
  std::size_t index = 0;  // into SplitColumn::divisions()
  double gain = 0;        // by how much Σ w (curve − mean curve of its part)² falls
  double near_weight = 0, far_weight = 0;
};
// The best division of a column, if any leaves at least min_weight on both sides: the first of those whose gains
// differ by no more than `tie`.
[[nodiscard]] std::optional<Division> best_division(const SplitColumn& column, const BinSums& sums, std::size_t points,
                                                    const WeightUnits& units, double min_weight, double tie);

}  // namespace sightglass
