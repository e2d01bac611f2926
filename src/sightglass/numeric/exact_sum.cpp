#include "sightglass/numeric/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "sightglass/base/error.h"

namespace sightglass {

namespace {

__extension__ using Wide = unsigned __int128;

// Four doubles at a time, with whatever the processor has for it.
constexpr std::size_t lanes = 4;
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));
using LaneBits = std::uint64_t __attribute__((vector_size(lanes * sizeof(double))));

// a + b = high + low exactly (Knuth).
ExactSum::Pair two_sum(double a, double b) {
  const double high = a + b;
  const double shadow = high - a;
  return {high, (a - (high - shadow)) + (b - shadow)};
}

ExactSum::Pair two_product(double a, double b) {
  const double high = a * b;
  return {high, std::fma(a, b, -high)};
}

ExactSum::Pair multiply(ExactSum::Pair a, ExactSum::Pair b) {
  ExactSum::Pair product = two_product(a.high, b.high);
  product.low += a.high * b.low + a.low * b.high;
  return two_sum(product.high, product.low);
}

}  // namespace

void ExactSum::add_product(double a, double b) {
  const Pair product = two_product(a, b);
  add(product.high);
  // fma of an overflowed product is not a number; the product itself already says infinity.
  if (std::isfinite(product.high)) add(product.low);
}

// Sums in plain doubles that round nothing (Rump's extraction): adding and subtracting a large power of two
// cuts the leading bits off each value, so few that thousands of them add up exactly; what is left is cut again.
// False, and nothing added, if three cuts do not use up every bit.
bool ExactSum::add_by_cuts(std::span<const double> values, std::uint32_t top_exponent) {
  constexpr std::size_t most = 4096, cuts = 3;
  constexpr int bits_per_cut = 38;  // 53 − log2(most) − 3 to spare
  constexpr std::uint32_t least_exponent = 200, largest_exponent = 1900;
  if (values.size() > most || top_exponent < least_exponent || top_exponent > largest_exponent) return false;
  double cutters[cuts];
  for (std::size_t c = 0; c < cuts; ++c) {
    const int exponent = static_cast<int>(top_exponent) - 1023 - static_cast<int>(c) * bits_per_cut;
    cutters[c] = std::ldexp(1.5, exponent + 52 - bits_per_cut + 1);
  }
  // Lanes by hand: a compiler must not reorder a plain sum of doubles.
  Lanes sums[cuts] = {};
  LaneBits left = {};
  const auto cut = [&](const Lanes& whole) {
    Lanes value = whole;
    for (std::size_t c = 0; c < cuts; ++c) {
      const Lanes leading = (value + cutters[c]) - cutters[c];
      sums[c] += leading;
      value -= leading;
    }
    LaneBits bits;
    std::memcpy(&bits, &value, sizeof bits);
    left |= bits << 1;  // without the sign of zero
  };
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes) {
    Lanes value;
    std::memcpy(&value, values.data() + i, sizeof value);
    cut(value);
  }
  for (; i < values.size(); ++i) cut(Lanes{values[i]});
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (left[lane] != 0) return false;
  }
  for (const Lanes& sum : sums) {
    for (std::size_t lane = 0; lane < lanes; ++lane) add(sum[lane]);
  }
  return true;
}

void ExactSum::add_all(std::span<const double> values) {
  constexpr std::size_t most = 4096;
  for (; values.size() > most; values = values.subspan(most)) add_all(values.first(most));
  std::uint64_t largest = 0;
  for (const double value : values) {
    largest = std::max(largest, std::bit_cast<std::uint64_t>(value) & 0x7FFFFFFFFFFFFFFF);
  }
  const auto top = static_cast<std::uint32_t>(largest >> 52);
  if (largest == 0 || add_by_cuts(values, top)) return;
  for (const double value : values) add(value);
}

void ExactMoments::add_all(std::span<const double> values) {
  constexpr std::size_t part = 512;
  std::array<double, part> high, low;
  for (; !values.empty(); values = values.subspan(std::min(part, values.size()))) {
    const std::size_t count = std::min(part, values.size());
    bool moderate = true;
    for (std::size_t i = 0; i < count; ++i) {
      // Dekker's product: the rounding error of a square in plain arithmetic, which compilers vectorise.
      const double value = values[i];
      const double shifted = value * 134217729.0;  // 2^27 + 1
      const double head = shifted - (shifted - value);
      const double tail = value - head;
      high[i] = value * value;
      low[i] = ((head * head - high[i]) + 2 * head * tail) + tail * tail;
      // Beyond these bounds parts overflow, or lose bits below the smallest double.
      moderate = moderate && (value == 0 || (std::abs(value) > 1e-120 && std::abs(value) < 1e120));
    }
    if (moderate) {
      sum_.add_all(values.first(count));
      squares_.add_all({high.data(), count});
      squares_.add_all({low.data(), count});
    } else {
      for (const double value : values.first(count)) add(value, 1.0);
    }
  }
}

void ExactSum::add_special(double value) {
  if (std::isnan(value)) {
    ++nans_;
  } else {
    ++(value > 0 ? positive_infinities_ : negative_infinities_);
  }
}

// Brings every limb but the last into [0, 2^32): the one way to write a number.
void ExactSum::normalize() {
  std::int64_t carry = 0;
  for (std::size_t i = 0; i + 1 < limb_count; ++i) {
    const std::int64_t limb = limbs_[i] + carry;
    limbs_[i] = limb & 0xFFFFFFFF;
    carry = limb >> 32;
  }
  limbs_[limb_count - 1] += carry;
  pending_ = 0;
}

void ExactSum::merge(const ExactSum& other) {
  ExactSum addend = other;
  addend.normalize();
  normalize();
  for (std::size_t i = 0; i < limb_count; ++i) limbs_[i] += addend.limbs_[i];
  normalize();
  nans_ += addend.nans_;
  positive_infinities_ += addend.positive_infinities_;
  negative_infinities_ += addend.negative_infinities_;
}

double ExactSum::value() const {
  if (nans_ > 0 || (positive_infinities_ > 0 && negative_infinities_ > 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (positive_infinities_ > 0) return std::numeric_limits<double>::infinity();
  if (negative_infinities_ > 0) return -std::numeric_limits<double>::infinity();

  ExactSum magnitude = *this;
  magnitude.normalize();
  const bool negative = magnitude.limbs_[limb_count - 1] < 0;
  if (negative) {
    for (std::int64_t& limb : magnitude.limbs_) limb = -limb;
    magnitude.normalize();
  }
  std::size_t top = limb_count;
  while (top > 0 && magnitude.limbs_[top - 1] == 0) --top;
  if (top == 0) return 0;

  // The leading 64 bits at most, with a sticky last bit for all that lies below: rounding once, correctly.
  // Four limbs always hold more than 64 bits below a nonzero leading one.
  Wide leading = 0;
  const std::size_t used = std::min<std::size_t>(top, 4);
  for (std::size_t i = 0; i < used; ++i) {
    leading = (leading << 32) | static_cast<std::uint32_t>(magnitude.limbs_[top - 1 - i]);
  }
  bool sticky = false;
  for (std::size_t i = 0; i + used < top; ++i) sticky = sticky || magnitude.limbs_[i] != 0;
  int scale = static_cast<int>(top - used) * 32 - 1074;
  while (leading >> 64 != 0) {
    sticky = sticky || (leading & 1) != 0;
    leading >>= 1;
    ++scale;
  }
  auto mantissa = static_cast<std::uint64_t>(leading);
  // Below 2^-1022 doubles lose bits: drop them here, so that they are rounded once and not again by ldexp.
  while (std::bit_width(mantissa) > 53) {
    const int drop = std::max(1, static_cast<int>(std::bit_width(mantissa)) - 54);
    if (std::bit_width(mantissa) == 54) {
      const bool half = (mantissa & 1) != 0;
      const bool odd = (mantissa & 2) != 0;
      mantissa = (mantissa >> 1) + (half && (sticky || odd) ? 1 : 0);
      ++scale;
      break;
    }
    sticky = sticky || (mantissa & ((std::uint64_t{1} << drop) - 1)) != 0;
    mantissa >>= drop;
    scale += drop;
  }
  const double rounded = std::ldexp(static_cast<double>(mantissa), scale);
  return negative ? -rounded : rounded;
}

ExactSum::Pair ExactSum::pair() const {
  const double high = value();
  if (!std::isfinite(high)) return {high, 0};
  ExactSum rest = *this;
  rest.add(-high);
  return {high, rest.value()};
}

void ExactSum::save(ByteSink& sink) const {
  ExactSum canonical = *this;
  canonical.normalize();
  // Most limbs are zero: store the run that is not.
  std::size_t first = 0;
  std::size_t last = limb_count;
  while (first < last && canonical.limbs_[first] == 0) ++first;
  while (last > first && canonical.limbs_[last - 1] == 0) --last;
  sink.u64(first);
  sink.u64(last - first);
  for (std::size_t i = first; i < last; ++i) sink.i64(canonical.limbs_[i]);
  sink.u64(nans_);
  sink.u64(positive_infinities_);
  sink.u64(negative_infinities_);
}

void ExactSum::load(ByteSource& source) {
  *this = ExactSum();
  const std::uint64_t first = source.u64();
  const std::uint64_t count = source.u64();
  if (first > limb_count || count > limb_count - first) {
    throw Error(ErrorKind::data, "saved partial result holds a sum that is too long");
  }
  for (std::uint64_t i = first; i < first + count; ++i) {
    limbs_[i] = source.i64();
    if (i + 1 < limb_count && (limbs_[i] < 0 || limbs_[i] > 0xFFFFFFFF)) {
      throw Error(ErrorKind::data, "saved partial result holds a damaged sum");
    }
  }
  nans_ = static_cast<std::uint32_t>(source.u64());
  positive_infinities_ = static_cast<std::uint32_t>(source.u64());
  negative_infinities_ = static_cast<std::uint32_t>(source.u64());
}

void ExactMoments::add_weighted(double value, double weight) {
  // Nothing is rounded but the very last bits: a rounded weight × value would drown the spread of values that
  // are far from zero.
  const ExactSum::Pair product = two_product(weight, value);
  sum_.add(product.high);
  squares_.add_product(product.high, value);
  if (!std::isfinite(product.high)) return;
  sum_.add(product.low);
  squares_.add_product(product.low, value);
}

double ExactMoments::variance(const ExactSum::Pair& total_weight) const {
  // W Σ w x² − (Σ w x)² in twice the precision: with plain doubles a mean of 1e8 would drown a sd of 1.
  // Squares beyond the largest double: the spread is too large to be said, not zero.
  if (!std::isfinite(squares_.value())) return std::numeric_limits<double>::infinity();
  const ExactSum::Pair scaled = multiply(squares_.pair(), total_weight);
  const ExactSum::Pair squared = multiply(sum_.pair(), sum_.pair());
  const double difference = (scaled.high - squared.high) + (scaled.low - squared.low);
  const double variance = difference / total_weight.high / total_weight.high;
  return std::isnan(variance) ? std::numeric_limits<double>::infinity() : std::max(0.0, variance);
}

}  // namespace sightglass
