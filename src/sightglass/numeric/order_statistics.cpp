#include "sightglass/numeric/order_statistics.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

#include "sightglass/base/error.h"

namespace sightglass {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr int digit_bits[RankSearch::passes] = {11, 11, 11, 11, 10, 10};

// Bits that lie below the digits known after `pass` passes.
constexpr int remaining_bits(int pass) {
  int bits = 64;
  for (int i = 0; i < pass; ++i) bits -= digit_bits[i];
  return bits;
}
static_assert(remaining_bits(RankSearch::passes) == 0);

// Leading bits by which known prefixes are looked up: no more than the prefixes have.
constexpr int index_bits(int pass) { return std::min(16, 64 - remaining_bits(pass)); }

// Doubles in ascending order as unsigned integers. -0 and 0 are the same number.
std::uint64_t to_key(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}

double from_key(std::uint64_t key) {
  return std::bit_cast<double>((key >> 63) != 0 ? key & ~(std::uint64_t{1} << 63) : ~key);
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
}

void RankSearch::Counts::save(ByteSink& sink) const {
  sink.u64(counts_.size());
  for (const std::uint64_t count : counts_) sink.u64(count);
}

void RankSearch::Counts::load(ByteSource& source) {
  counts_.assign(source.count(8), 0);
  for (std::uint64_t& count : counts_) count = source.u64();
}

RankSearch::RankSearch(std::vector<std::uint64_t> ranks)
    : ranks_(std::move(ranks)), prefix_of_(ranks_.size(), 0), prefixes_({{0, 0}}) {}

RankSearch::Counts RankSearch::empty_counts() const {
  Counts counts;
  if (!done()) counts.counts_.assign(prefixes_.size() << digit_bits[pass_], 0);
  return counts;
}

void RankSearch::count(double value, std::uint64_t weight, Counts& counts) const {
  const std::uint64_t key = to_key(value);
  std::size_t prefix = 0;
  if (pass_ > 0) {
    const std::uint64_t digits = key >> remaining_bits(pass_);
    const auto cell = static_cast<std::size_t>(key >> (64 - index_bits(pass_)));
    const std::size_t end = index_[cell + 1];
    prefix = index_[cell];
    if (end - prefix > 8) {
      const auto from = prefixes_.begin() + static_cast<std::ptrdiff_t>(prefix);
      prefix =
          static_cast<std::size_t>(std::lower_bound(from, prefixes_.begin() + static_cast<std::ptrdiff_t>(end), digits,
                                                    [](const Prefix& p, std::uint64_t d) { return p.digits < d; }) -
                                   prefixes_.begin());
    }
    while (prefix < end && prefixes_[prefix].digits < digits) ++prefix;
    if (prefix == end || prefixes_[prefix].digits != digits) return;
  }
  const std::uint64_t digit = (key >> remaining_bits(pass_ + 1)) & ((std::uint64_t{1} << digit_bits[pass_]) - 1);
  counts.counts_[(prefix << digit_bits[pass_]) + digit] += weight;
}

void RankSearch::advance(const Counts& counts) {
  assert(!done());
  const int bits = digit_bits[pass_];
  const std::size_t digits = std::size_t{1} << bits;
  std::vector<Prefix> found(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Prefix& prefix = prefixes_[prefix_of_[i]];
    const std::uint64_t* row = counts.counts_.data() + (prefix_of_[i] << bits);
    std::uint64_t below = prefix.below;
    std::size_t digit = 0;
    while (digit + 1 < digits && below + row[digit] <= ranks_[i]) below += row[digit++];
    found[i] = {(prefix.digits << bits) | digit, below};
  }
  prefixes_ = found;
  const auto by_digits = [](const Prefix& a, const Prefix& b) { return a.digits < b.digits; };
  std::sort(prefixes_.begin(), prefixes_.end(), by_digits);
  prefixes_.erase(std::unique(prefixes_.begin(), prefixes_.end(),
                              [](const Prefix& a, const Prefix& b) { return a.digits == b.digits; }),
                  prefixes_.end());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    prefix_of_[i] = static_cast<std::size_t>(std::lower_bound(prefixes_.begin(), prefixes_.end(), found[i], by_digits) -
                                             prefixes_.begin());
  }
  ++pass_;
  if (done()) return;
  const int known = 64 - remaining_bits(pass_);
  index_.assign((std::size_t{1} << index_bits(pass_)) + 1, 0);
  for (const Prefix& prefix : prefixes_) ++index_[(prefix.digits >> (known - index_bits(pass_))) + 1];
  std::partial_sum(index_.begin(), index_.end(), index_.begin());
}

std::vector<double> RankSearch::values() const {
  assert(done());
  std::vector<double> values(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) values[i] = from_key(prefixes_[prefix_of_[i]].digits);
  return values;
}

std::uint64_t quantile_rank(std::uint64_t total, std::uint64_t numerator, std::uint64_t denominator) {
  const auto product = static_cast<Wide>(total) * numerator;
  const auto order = static_cast<std::uint64_t>((product + denominator - 1) / denominator);
  return order == 0 ? 0 : std::min(order, total) - 1;
}

}  // namespace sightglass
