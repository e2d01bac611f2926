// How strongly two columns go together: a number from 0 (not at all) to 1, and the lower end of its 95 %
// interval. Rows carry whole units of weight; every sum over rows is exact, so the order of rows is no matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sightglass {

// The weight of each row.
struct UnitWeights {
  // `rows_per_unit` says how many rows one unit stands for.
  explicit UnitWeights(std::span<const std::uint64_t> units_of_rows, double rows_per_one_unit = 1);

  std::span<const std::uint64_t> units;
  double rows_per_unit = 1;
  std::uint64_t total = 0;
  double effective_rows = 0;  // (Σw)²/Σw²
  bool equal = true;          // whether all rows weigh the same
};

struct Association {
  double value = 0;
  double lower = 0;
  double effective_rows = 0;  // (Σw)²/Σw² of the rows that have both values
};

// The lower end of a 95 % interval on Fisher's scale: tanh(atanh(v) − 1.96 · √(inflation / (n − degrees − 2))) with
// v = min(value, 1 − 1/n), because even a perfect agreement of a few rows proves little. Degrees: 1 for two
// numeric columns, levels − 1 for one of each, (levels − 1)(levels − 1) for two categorical ones; for two levels
// all three are the correlation's own interval, for more an approximation. 0 where n is too small to tell.
[[nodiscard]] double association_lower_bound(double value, double effective_rows, double degrees, double inflation = 1);

// A numeric column, prepared to be held against many others. What is not finite does not count.
class NumericColumn {
 public:
  NumericColumn() = default;
  NumericColumn(std::span<const double> values, const UnitWeights& weights);

  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }  // finite rows, ascending

 private:
  friend Association spearman(const NumericColumn& a, const NumericColumn& b, const UnitWeights& weights);
  friend Association correlation_ratio(const struct LevelColumn& levels, const NumericColumn& values,
                                       const UnitWeights& weights);
  [[nodiscard]] bool complete() const { return order_.size() == finite_.size(); }
  [[nodiscard]] bool finite(std::size_t row) const { return finite_[row] != 0; }
  // Weight below minus weight above each row's value (twice the midrank less its mean), over the rows that both
  // columns have; 0 for others. Sums to zero by itself.
  [[nodiscard]] std::vector<double> centred_ranks(const NumericColumn& other, const UnitWeights& weights) const;

  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> tie_;  // per position in the order: the number of the value, so that ties are equal
  std::vector<std::uint8_t> finite_;
  std::vector<double> ranks_;  // over all finite rows of this column
  double rank_squares_ = 0;    // Σ w rank²
  double effective_rows_ = 0;  // of the finite ones
  // Values from 0 to 1 along the column's range, times their weight: nothing overflows, and little cancels.
  std::vector<double> weighted_;
  std::uint64_t units_ = 0;
  double mean_ = 0, squares_ = 0;  // of the scaled values; Σ w (value − mean)²
};

// |Spearman's ρ|: the correlation of the weighted midranks, over the rows in which both values are finite.
[[nodiscard]] Association spearman(const NumericColumn& a, const NumericColumn& b, const UnitWeights& weights);

// Levels as codes from 0; every row has one (missing is a level too).
struct LevelColumn {
  std::span<const std::uint32_t> codes;
  std::size_t levels = 0;
};

// √ε², ε² = 1 − (1 − η²)(n − 1)/(n − K) with η² = between-level / total sum of squares over the rows with a finite
// value, K levels among them: the correlation ratio less what K levels explain by chance. Never below 0.
[[nodiscard]] Association correlation_ratio(const LevelColumn& levels, const NumericColumn& values,
                                            const UnitWeights& weights);

// Cramér's V, bias-corrected as Bergsma (2013): φ̃² = max(0, χ²/n − (r−1)(c−1)/(n−1)), over
// min(r̃, c̃) − 1 with r̃ = r − (r−1)²/(n−1). The lower bound is that without the cell of fewer than five rows which adds
// most.
[[nodiscard]] Association cramers_v(const LevelColumn& a, const LevelColumn& b, const UnitWeights& weights);

// How many units fall on each pair of levels. Memory grows with the rows, not with levels × levels.
class JointCounts {
 public:
  JointCounts(const LevelColumn& a, const LevelColumn& b, std::span<const std::uint64_t> units);
  [[nodiscard]] std::uint64_t at(std::size_t a, std::size_t b) const;
  // visit(a, b, units) for every pair that has any, in order of the codes.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < dense_.size(); ++i) {
      if (dense_[i] > 0) visit(i / width_, i % width_, dense_[i]);
    }
    for (const auto& cell : sparse_)
      visit(static_cast<std::size_t>(cell.key / width_), static_cast<std::size_t>(cell.key % width_), cell.units);
  }

 private:
  struct Cell {
    std::uint64_t key, units;
  };
  std::size_t width_;
  std::vector<std::uint64_t> dense_;  // [a][b], where that is small
  std::vector<Cell> sparse_;          // ascending by key, elsewhere
};

}  // namespace sightglass
