// Exact order statistics of streams: which value has rank r? Found from integer counts, cell by cell or digit by digit,
// in passes whose memory does not depend on the number of rows and whose partial counts simply add up, until the values
// that may still be meant are few enough to be collected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/bytes.h"

namespace sightglass {

// The different values of a column, as long as there are at most `limit`.
class DistinctValues {
 public:
  explicit DistinctValues(std::size_t limit = 0) : limit_(limit) {}
  void add(double value);
  void merge(const DistinctValues& other);
  // Whether there are more than `limit`; values() is then meaningless.
  [[nodiscard]] bool overflowed() const { return overflowed_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }  // ascending
  void save(ByteSink& sink) const;
  void load(ByteSource& source);

 private:
  std::size_t limit_;
  bool overflowed_ = false;
  std::vector<double> values_;
};

// Finds the values at given ranks (0-based, in units of whole weights) of finite numbers.
class RankSearch {
 public:
  // What one pass found; parts of it merge in any order.
  class Counts {
   public:
    void merge(const Counts& other);
    void save(ByteSink& sink) const;
    void load(ByteSource& source);

   private:
    friend class RankSearch;
    struct Weighted {
      std::uint64_t key;
      std::uint64_t weight;
    };
    std::vector<std::uint64_t> counts_;  // by prefix and next digit
    std::uint64_t rows_ = 0;             // that they count
    std::vector<Weighted> collected_;    // the values themselves, in the last pass
  };

  RankSearch() = default;
  // Ranks in any order; each must be below the total weight. `rows`: how many values there are, all of them from
  // `least` to `largest`.
  RankSearch(std::vector<std::uint64_t> ranks, std::uint64_t rows, double least, double largest);

  [[nodiscard]] bool done() const { return digits_known_ == digits || ranks_.empty(); }
  [[nodiscard]] Counts empty_counts() const;
  // Finite values, and what each weighs; none: 1.
  void count(std::span<const double> values, std::span<const std::uint64_t> weights, Counts& counts) const;
  // Narrows the search; counts are those of all rows.
  void advance(const Counts& counts);
  // One value per rank, in the order in which the ranks were given. Only when done.
  [[nodiscard]] std::vector<double> values() const;

 private:
  static constexpr int digits = 6;
  [[nodiscard]] bool collects() const;
  [[nodiscard]] bool counts_cells() const { return cells_ > 0 && place_of_cell_.empty(); }
  [[nodiscard]] std::size_t cell_of(double value) const;
  [[nodiscard]] std::size_t prefix_of(std::uint64_t key) const;
  void count_cells(std::span<const double> values, std::span<const std::uint64_t> weights, Counts& counts) const;
  void choose_cells(const Counts& counts);
  void collect(const Counts& counts);

  std::vector<std::uint64_t> ranks_;
  // First the values are counted in cells of the same width. Mostly few are left in those that ranks point into, which
  // end the search; where values are too unevenly spread, leading digits narrow it without them.
  std::size_t cells_ = 0;  // 0: not in use, or no more
  double least_ = 0, cells_per_unit_ = 0;
  std::vector<std::uint32_t> place_of_cell_;  // among the prefixes; once they are counted

  std::vector<std::size_t> prefix_of_;   // per rank
  std::vector<std::uint64_t> prefixes_;  // what is known of the values meant: leading digits or cells, ascending
  std::vector<std::uint32_t> begin_of_;  // per first digit: where prefixes that start with it begin; and the end
  std::vector<std::uint64_t> below_;     // weight of all values with smaller leading digits
  std::uint64_t rows_left_ = 0;          // at most so many values start with one of them
  int digits_known_ = 0;
};

// Positions of the finite values, in ascending order of these; equal ones (-0 is 0) in the order of their positions.
[[nodiscard]] std::vector<std::uint32_t> ascending_order(std::span<const double> values);

// The rank of the type-1 quantile numerator/denominator of `total` rows: ⌈total · p⌉ − 1, at least 0, in
// integers, so that no rounding decides between two rows.
[[nodiscard]] std::uint64_t quantile_rank(std::uint64_t total, std::uint64_t numerator, std::uint64_t denominator);

}  // namespace sightglass
