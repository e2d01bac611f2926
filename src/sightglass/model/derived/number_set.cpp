#include "sightglass/model/derived/number_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace sightglass {

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

// The first interval that ends at a rank or behind it.
auto interval_from(const std::vector<NumberSet::Interval>& intervals, std::int64_t rank) {
  return std::lower_bound(intervals.begin(), intervals.end(), rank,
                          [](const NumberSet::Interval& interval, std::int64_t at) { return interval.last < at; });
}

}  // namespace

std::int64_t rank_of(double number) {
  const auto size = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(std::abs(number)));
  return number < 0 ? -size : size;
}

double number_at(std::int64_t rank) {
  const auto size = std::bit_cast<double>(static_cast<std::uint64_t>(rank < 0 ? -rank : rank));
  return rank < 0 ? -size : size;
}

NumberSet NumberSet::all() { return {.intervals = {{rank_of(-endless), rank_of(endless)}}, .missing = true}; }

NumberSet NumberSet::of(std::vector<Interval> intervals, bool missing) {
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.first < b.first; });
  NumberSet set{.intervals = {}, .missing = missing};
  for (const Interval& interval : intervals) {
    if (!set.intervals.empty() && interval.first <= set.intervals.back().last + 1) {
      set.intervals.back().last = std::max(set.intervals.back().last, interval.last);
    } else {
      set.intervals.push_back(interval);
    }
  }
  return set;
}

bool NumberSet::contains_rank(std::int64_t rank) const {
  const auto at = interval_from(intervals, rank);
  return at != intervals.end() && at->first <= rank;
}

bool NumberSet::contains(double number) const { return std::isnan(number) ? missing : contains_rank(rank_of(number)); }

NumberSet intersection(const NumberSet& a, const NumberSet& b) {
  NumberSet both{.intervals = {}, .missing = a.missing && b.missing};
  // The longer list is searched: one split of many must not cost as much as all of them.
  const bool swapped = a.intervals.size() > b.intervals.size();
  const auto& few = swapped ? b.intervals : a.intervals;
  const auto& many = swapped ? a.intervals : b.intervals;
  for (const auto& interval : few) {
    for (auto at = interval_from(many, interval.first); at != many.end() && at->first <= interval.last; ++at)
      both.intervals.push_back({std::max(at->first, interval.first), std::min(at->last, interval.last)});
  }
  return both;
}

NumberSet difference(const NumberSet& a, const NumberSet& b) {
  NumberSet rest{.intervals = {}, .missing = a.missing && !b.missing};
  for (const auto& interval : a.intervals) {
    std::int64_t next = interval.first;
    auto at = interval_from(b.intervals, next);
    for (; at != b.intervals.end() && at->first <= interval.last; ++at) {
      if (at->first > next) rest.intervals.push_back({next, at->first - 1});
      next = at->last + 1;
    }
    if (next <= interval.last) rest.intervals.push_back({next, interval.last});
  }
  return rest;
}

}  // namespace sightglass
