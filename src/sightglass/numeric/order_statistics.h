// Exact order statistics of streams: which value has rank r? Found digit by digit from integer counts, in
// six passes whose memory does not depend on the number of rows and whose partial counts simply add up.
#pragma once

#include <cstddef>
#include <cstdint>
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
  // The counts of one pass; they merge by addition.
  class Counts {
   public:
    void merge(const Counts& other);
    void save(ByteSink& sink) const;
    void load(ByteSource& source);

   private:
    friend class RankSearch;
    std::vector<std::uint64_t> counts_;
  };

  RankSearch() = default;
  // Ranks in any order; each must be below the total weight.
  explicit RankSearch(std::vector<std::uint64_t> ranks);

  [[nodiscard]] bool done() const { return pass_ == passes || ranks_.empty(); }
  [[nodiscard]] Counts empty_counts() const;
  void count(double value, std::uint64_t weight, Counts& counts) const;
  // Narrows the search by one digit; counts are those of all rows.
  void advance(const Counts& counts);
  // One value per rank, in the order in which the ranks were given. Only when done.
  [[nodiscard]] std::vector<double> values() const;

  static constexpr int passes = 6;

 private:
  // A group of ranks whose value starts with the same digits.
  struct Prefix {
    std::uint64_t digits;
    std::uint64_t below;  // weight of all values with smaller leading digits
  };
  std::vector<std::uint64_t> ranks_;
  std::vector<std::size_t> prefix_of_;  // per rank
  std::vector<Prefix> prefixes_;        // ascending
  // Where in prefixes_ the values with the same leading bits are, so that a row finds its own, or that it has none,
  // without a search through all.
  std::vector<std::uint32_t> index_;
  int pass_ = 0;
};

// The rank of the type-1 quantile numerator/denominator of `total` rows: ⌈total · p⌉ − 1, at least 0, in
// integers, so that no rounding decides between two rows.
[[nodiscard]] std::uint64_t quantile_rank(std::uint64_t total, std::uint64_t numerator, std::uint64_t denominator);

}  // namespace sightglass
