#include "sightglass/methods/importance/switching/shuffles.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"

namespace sightglass {

namespace {

__extension__ using Wide = unsigned __int128;

// Streams of random numbers: the use in the upper bits, the repeat in the lower ones.
constexpr std::uint64_t order_stream = std::uint64_t{0x5348} << 48;
constexpr std::uint64_t point_stream = std::uint64_t{0x5350} << 48;
constexpr std::uint64_t noise_stream = std::uint64_t{0x4E4F} << 48;

// A whole number below `limit`; each is equally likely up to 2^-64 · limit.
std::uint64_t below(std::uint64_t limit, std::uint64_t bits) {
  return static_cast<std::uint64_t>((Wide{bits} * limit) >> 64);
}

double unit_interval(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

std::uint64_t noise_of(std::uint64_t use, std::uint64_t repeat) { return noise_stream + (use << 24) + 2 * repeat; }

}  // namespace

Shuffles::Shuffles(std::span<const double> weights, std::uint64_t seed) : rows_(weights.size()), seed_(seed) {
  if (rows_ > 0xFFFFFFFFULL) throw Error(ErrorKind::usage, "more than 2^32 rows", "use a sample of them");
  const bool equal = std::all_of(weights.begin(), weights.end(), [&](double weight) { return weight == weights[0]; });
  if (rows_ == 0 || equal) return;
  const double largest = *std::max_element(weights.begin(), weights.end());
  const int shift = 61 - std::ilogb(largest * static_cast<double>(rows_));
  units_.reserve(rows_);
  divisor_ = 0;
  for (const double weight : weights) {
    units_.push_back(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(std::ldexp(weight, shift)))));
    total_ += units_.back();
    divisor_ = std::gcd(divisor_, units_.back());
  }
}

std::vector<std::uint32_t> Shuffles::donors(std::uint64_t repeat) const {
  std::vector<std::uint32_t> order(rows_);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  for (std::size_t i = rows_; i-- > 1;) {
    std::swap(order[i], order[below(i + 1, random_bits(seed_, order_stream + repeat, i))]);
  }
  if (units_.empty()) return order;
  // The points ascend with the rows, so one walk around the line finds all donors.
  const std::uint64_t turn = divisor_ * below(total_ / divisor_, random_bits(seed_, point_stream + repeat, rows_));
  std::vector<std::uint32_t> donors(rows_);
  std::size_t at = 0;
  std::uint64_t end = units_[order[0]];  // of the interval of order[at]
  std::uint64_t begin = 0;               // of the row's own interval
  std::uint64_t turned = 0;              // how much of the line was walked around already
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::uint64_t steps = units_[row] / divisor_;
    const std::uint64_t point =
        begin + divisor_ * below(steps, random_bits(seed_, point_stream + repeat, row)) + turn - turned;
    begin += units_[row];
    std::uint64_t wanted = point;
    if (wanted >= total_) {
      wanted -= total_;
      turned = total_;
      at = 0;
      end = units_[order[0]];
    }
    while (wanted >= end) end += units_[order[++at]];
    donors[row] = order[at];
  }
  return donors;
}

double random_uniform(std::uint64_t seed, std::uint64_t use, std::uint64_t repeat, std::uint64_t row) {
  return unit_interval(random_bits(seed, noise_of(use, repeat), row));
}

double random_normal(std::uint64_t seed, std::uint64_t use, std::uint64_t repeat, std::uint64_t row) {
  const double first = 1 - unit_interval(random_bits(seed, noise_of(use, repeat), row));
  const double second = unit_interval(random_bits(seed, noise_of(use, repeat) + 1, row));
  return std::sqrt(-2 * std::log(first)) * std::cos(2 * std::numbers::pi * second);
}

}  // namespace sightglass
