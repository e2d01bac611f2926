// Sets of doubles and missing values, exact to the last bit: what preparation steps make of a split is such a set.
// Doubles in ascending order are whole numbers in ascending order (their ranks; 0 and -0 are one), so a set is a list
// of intervals of whole numbers. Codes of levels are whole numbers as they are.
#pragma once

#include <cstdint>
#include <vector>

namespace sightglass {

// Of a number that is not NaN.
[[nodiscard]] std::int64_t rank_of(double number);
[[nodiscard]] double number_at(std::int64_t rank);

struct NumberSet {
  struct Interval {
    std::int64_t first = 0, last = 0;
    friend bool operator==(const Interval&, const Interval&) = default;
  };
  std::vector<Interval> intervals;  // ascending, and nothing but gaps between them
  bool missing = false;

  // Every double from -infinity to infinity, and missing values.
  [[nodiscard]] static NumberSet all();
  // Whatever order the intervals have, and if they overlap.
  [[nodiscard]] static NumberSet of(std::vector<Interval> intervals, bool missing);

  [[nodiscard]] bool empty() const { return intervals.empty() && !missing; }
  [[nodiscard]] bool contains_rank(std::int64_t rank) const;
  // NaN: a missing value.
  [[nodiscard]] bool contains(double number) const;

  friend bool operator==(const NumberSet&, const NumberSet&) = default;
};

[[nodiscard]] NumberSet intersection(const NumberSet& a, const NumberSet& b);
// What is in a, but not in b.
[[nodiscard]] NumberSet difference(const NumberSet& a, const NumberSet& b);

}  // namespace sightglass
