#include "sightglass/numeric/order_statistics.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>

#include "sightglass/base/error.h"
#include "sightglass/numeric/search.h"

namespace sightglass {

namespace {

__extension__ using Wide = unsigned __int128;

// The first digit is the sign and the exponent.
constexpr int digit_bits[] = {12, 11, 11, 10, 10, 10};

// Bits that lie below so many leading digits.
constexpr int bits_below(int digits) {
  int bits = 64;
  for (int i = 0; i < digits; ++i) bits -= digit_bits[i];
  return bits;
}
static_assert(bits_below(static_cast<int>(std::size(digit_bits))) == 0);

// Values that are kept to be sorted instead of counted; more where the counts would take as much memory.
constexpr std::uint64_t most_collected = 32768;

constexpr std::uint64_t least_cells = std::uint64_t{1} << 12, most_cells = std::uint64_t{1} << 16;

// Doubles in ascending order as unsigned integers. -0 and 0 are the same number.
std::uint64_t to_key(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}

double from_key(std::uint64_t key) {
  return std::bit_cast<double>((key >> 63) != 0 ? key & ~(std::uint64_t{1} << 63) : ~key);
}

// Sorts entries by their keys; those with equal keys stay in their order. The leading half of the bits digit by digit
// from the last one, each time keeping the order within a digit; the rest where that does not tell entries apart.
template <class Entry>
void sort_by_key(std::vector<Entry>& entries) {
  constexpr int bits = 11, passes = 3, rest = 64 - passes * bits;
  constexpr std::size_t cells = std::size_t{1} << bits;
  const auto digit = [](std::uint64_t key, int pass) { return (key >> (rest + pass * bits)) % cells; };
  std::vector<std::uint32_t> begins(passes * cells, 0);
  for (const Entry& entry : entries) {
    for (int pass = 0; pass < passes; ++pass) ++begins[static_cast<std::size_t>(pass) * cells + digit(entry.key, pass)];
  }
  std::vector<Entry> moved(entries.size());
  for (int pass = 0; pass < passes; ++pass) {
    std::uint32_t* begin = begins.data() + static_cast<std::size_t>(pass) * cells;
    if (std::find(begin, begin + cells, entries.size()) != begin + cells) continue;  // all have the same digit
    std::exclusive_scan(begin, begin + cells, begin, std::uint32_t{0});
    for (const Entry& entry : entries) moved[begin[digit(entry.key, pass)]++] = entry;
    entries.swap(moved);
  }
  const auto by_key = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  for (auto begin = entries.begin(); begin != entries.end();) {
    bool sorted = true;
    auto end = begin + 1;
    for (; end != entries.end() && end->key >> rest == begin->key >> rest; ++end)
      sorted = sorted && (end - 1)->key <= end->key;
    if (!sorted) std::stable_sort(begin, end, by_key);
    begin = end;
  }
}

}  // namespace

void DistinctValues::add(double value) {
  if (overflowed_) return;
  const auto at = std::lower_bound(values_.begin(), values_.end(), value);
  if (at != values_.end() && *at == value) return;
  if (values_.size() == limit_) {
    overflowed_ = true;
    values_.clear();
    return;
  }
  values_.insert(at, value + 0.0);
}

void DistinctValues::merge(const DistinctValues& other) {
  for (const double value : other.values_) add(value);
  if (other.overflowed_) {
    overflowed_ = true;
    values_.clear();
  }
}

void DistinctValues::save(ByteSink& sink) const {
  sink.u64(limit_);
  sink.u64(overflowed_ ? 1 : 0);
  sink.u64(values_.size());
  for (const double value : values_) sink.f64(value);
}

void DistinctValues::load(ByteSource& source) {
  limit_ = source.u64();
  overflowed_ = source.u64() != 0;
  values_.assign(source.count(8), 0);
  for (double& value : values_) value = source.f64();
}

void RankSearch::Counts::merge(const Counts& other) {
  if (counts_.size() != other.counts_.size()) throw Error(ErrorKind::data, "partial counts of different passes");
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  rows_ += other.rows_;
  collected_.insert(collected_.end(), other.collected_.begin(), other.collected_.end());
}

void RankSearch::Counts::save(ByteSink& sink) const {
  sink.u64(counts_.size());
  for (const std::uint64_t count : counts_) sink.u64(count);
  sink.u64(rows_);
  // The same bytes in whatever order the rows came.
  std::vector<Weighted> sorted = collected_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Weighted& a, const Weighted& b) { return std::tie(a.key, a.weight) < std::tie(b.key, b.weight); });
  sink.u64(sorted.size());
  for (const Weighted& value : sorted) {
    sink.u64(value.key);
    sink.u64(value.weight);
  }
}

void RankSearch::Counts::load(ByteSource& source) {
  if (source.count(8) != counts_.size()) throw Error(ErrorKind::data, "saved partial counts are of another pass");
  for (std::uint64_t& count : counts_) count = source.u64();
  rows_ = source.u64();
  collected_.resize(source.count(16));
  for (Weighted& value : collected_) {
    value.key = source.u64();
    value.weight = source.u64();
  }
}

RankSearch::RankSearch(std::vector<std::uint64_t> ranks, std::uint64_t rows, double least, double largest)
    : ranks_(std::move(ranks)),
      least_(least),
      prefix_of_(ranks_.size(), 0),
      prefixes_({0}),
      below_({0}),
      rows_left_(rows) {
  if (ranks_.empty() || rows <= most_collected) return;
  // Of evenly spread values, half as many as may be collected are in the cells of the ranks.
  const std::uint64_t cells = std::bit_ceil(2 * (rows / most_collected + 1) * ranks_.size());
  cells_ = static_cast<std::size_t>(std::clamp(cells, least_cells, most_cells));
  cells_per_unit_ = static_cast<double>(cells_) / (largest - least);
  if (!std::isfinite(cells_per_unit_) || cells_per_unit_ == 0) cells_ = 0;
}

bool RankSearch::collects() const {
  // A value and its weight take as much as two counts.
  const std::size_t counts = done() ? 0 : prefixes_.size() << digit_bits[digits_known_];
  return rows_left_ <= std::max<std::uint64_t>(most_collected, counts / 2);
}

RankSearch::Counts RankSearch::empty_counts() const {
  Counts counts;
  if (counts_cells()) {
    counts.counts_.assign(2 * cells_, 0);
  } else if (!done() && !collects()) {
    counts.counts_.assign(prefixes_.size() << digit_bits[digits_known_], 0);
  }
  return counts;
}

// A larger value is in no smaller cell, whatever is rounded.
inline std::size_t RankSearch::cell_of(double value) const {
  const double cell = (value - least_) * cells_per_unit_;
  return cell >= static_cast<double>(cells_) ? cells_ - 1 : cell > 0 ? static_cast<std::size_t>(cell) : 0;
}

// The index of a value's leading digits, or of its cell, among those that are searched, or their number.
inline std::size_t RankSearch::prefix_of(std::uint64_t key) const {
  if (cells_ > 0) return place_of_cell_[cell_of(from_key(key))];
  if (digits_known_ == 0) return 0;
  const std::uint64_t known = key >> bits_below(digits_known_), first = key >> bits_below(1);
  // Most values go by their first digit already; few prefixes have the same.
  const auto end = prefixes_.begin() + begin_of_[first + 1];
  const auto at = std::lower_bound(prefixes_.begin() + begin_of_[first], end, known);
  return at != end && *at == known ? static_cast<std::size_t>(at - prefixes_.begin()) : prefixes_.size();
}

void RankSearch::count(std::span<const double> values, std::span<const std::uint64_t> weights, Counts& counts) const {
  if (counts_cells()) return count_cells(values, weights, counts);
  const bool collect = collects();
  const int bits = digit_bits[digits_known_], below = bits_below(digits_known_ + 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t key = to_key(values[i]), weight = weights.empty() ? 1 : weights[i];
    const std::size_t prefix = prefix_of(key);
    if (prefix == prefixes_.size()) continue;
    if (collect) {
      counts.collected_.push_back({key, weight});
      continue;
    }
    const std::uint64_t digit = (key >> below) & ((std::uint64_t{1} << bits) - 1);
    counts.counts_[(prefix << bits) + digit] += weight;
    ++counts.rows_;
  }
}

// What they weigh, and behind that how many they are.
void RankSearch::count_cells(std::span<const double> values, std::span<const std::uint64_t> weights,
                             Counts& counts) const {
  std::uint64_t* const weight = counts.counts_.data();
  std::uint64_t* const rows = weight + cells_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t cell = cell_of(values[i]);
    weight[cell] += weights.empty() ? 1 : weights[i];
    ++rows[cell];
  }
}

void RankSearch::choose_cells(const Counts& counts) {
  std::vector<std::uint64_t> ends(cells_);  // weight up to each cell
  std::partial_sum(counts.counts_.begin(), counts.counts_.begin() + static_cast<std::ptrdiff_t>(cells_), ends.begin());
  std::vector<std::uint64_t> chosen;
  for (const std::uint64_t rank : ranks_) {
    chosen.push_back(count_up_to(ends, rank));
    if (chosen.back() == cells_) throw Error(ErrorKind::internal, "a rank beyond the last value");
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  std::uint64_t rows = 0;
  for (const std::uint64_t cell : chosen) rows += counts.counts_[cells_ + cell];
  if (rows > most_collected) {
    cells_ = 0;
    return;
  }
  place_of_cell_.assign(cells_, static_cast<std::uint32_t>(chosen.size()));
  below_.clear();
  for (const std::uint64_t cell : chosen) {
    place_of_cell_[cell] = static_cast<std::uint32_t>(below_.size());
    below_.push_back(ends[cell] - counts.counts_[cell]);
  }
  prefixes_ = std::move(chosen);
  rows_left_ = rows;
}

void RankSearch::advance(const Counts& counts) {
  assert(!done());
  if (counts_cells()) return choose_cells(counts);
  if (collects()) return collect(counts);
  const int bits = digit_bits[digits_known_];
  const std::size_t next_digits = std::size_t{1} << bits;
  struct Found {
    std::uint64_t prefix, below, weight;
  };
  std::vector<Found> found(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const std::uint64_t* row = counts.counts_.data() + (prefix_of_[i] << bits);
    std::uint64_t below = below_[prefix_of_[i]];
    std::size_t digit = 0;
    while (digit + 1 < next_digits && below + row[digit] <= ranks_[i]) below += row[digit++];
    found[i] = {(prefixes_[prefix_of_[i]] << bits) | digit, below, row[digit]};
  }
  std::vector<Found> distinct = found;
  std::sort(distinct.begin(), distinct.end(), [](const Found& a, const Found& b) { return a.prefix < b.prefix; });
  prefixes_.clear();
  below_.clear();
  std::uint64_t weight = 0;
  for (const Found& next : distinct) {
    if (!prefixes_.empty() && prefixes_.back() == next.prefix) continue;
    prefixes_.push_back(next.prefix);
    below_.push_back(next.below);
    weight += next.weight;
  }
  for (std::size_t i = 0; i < ranks_.size(); ++i) prefix_of_[i] = count_below(prefixes_, found[i].prefix);
  // A value weighs at least 1.
  rows_left_ = std::min(counts.rows_, weight);
  ++digits_known_;
  begin_of_.assign((std::size_t{1} << digit_bits[0]) + 1, 0);
  const int behind_first = bits_below(1) - bits_below(digits_known_);
  for (const std::uint64_t prefix : prefixes_) ++begin_of_[(prefix >> behind_first) + 1];
  std::partial_sum(begin_of_.begin(), begin_of_.end(), begin_of_.begin());
}

// The rest of the search: among the values with a known prefix, each rank's own.
void RankSearch::collect(const Counts& counts) {
  std::vector<Counts::Weighted> sorted = counts.collected_;
  sort_by_key(sorted);
  std::vector<std::uint64_t> keys, ends;  // and the weight up to each value, with all that was not collected
  keys.reserve(sorted.size());
  ends.reserve(sorted.size());
  for (const auto& value : sorted) {
    const std::size_t prefix = prefix_of(value.key);
    if (prefix >= prefixes_.size()) throw Error(ErrorKind::data, "partial counts of another search");
    const std::uint64_t before = ends.empty() ? 0 : ends.back();
    keys.push_back(value.key);
    ends.push_back(std::max(before, below_[prefix]) + value.weight);
  }
  std::vector<std::uint64_t> found(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const std::size_t at = count_up_to(ends, ranks_[i]);
    if (at == keys.size()) throw Error(ErrorKind::internal, "a rank beyond the last value");
    found[i] = keys[at];
  }
  for (std::size_t i = 0; i < ranks_.size(); ++i) prefix_of_[i] = i;
  prefixes_ = std::move(found);
  cells_ = 0;
  digits_known_ = digits;
}

std::vector<double> RankSearch::values() const {
  assert(done());
  std::vector<double> values(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) values[i] = from_key(prefixes_[prefix_of_[i]]);
  return values;
}

std::vector<std::uint32_t> ascending_order(std::span<const double> values) {
  struct Entry {
    std::uint64_t key;
    std::uint32_t position;
  };
  std::vector<Entry> entries;
  entries.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) entries.push_back({to_key(values[i]), static_cast<std::uint32_t>(i)});
  }
  sort_by_key(entries);
  std::vector<std::uint32_t> order(entries.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = entries[i].position;
  return order;
}

std::uint64_t quantile_rank(std::uint64_t total, std::uint64_t numerator, std::uint64_t denominator) {
  const auto product = static_cast<Wide>(total) * numerator;
  const auto order = static_cast<std::uint64_t>((product + denominator - 1) / denominator);
  return order == 0 ? 0 : std::min(order, total) - 1;
}

}  // namespace sightglass
