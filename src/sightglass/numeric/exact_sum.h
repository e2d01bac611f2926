// Sums of doubles without rounding: any order, any grouping, the same bits. A fixed-point number wide
// enough for every double (a "small superaccumulator", Neal 2015), so that partial sums from threads,
// partitions or machines merge exactly.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "sightglass/base/bytes.h"

namespace sightglass {

class ExactSum {
 public:
  void add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto exponent = static_cast<std::uint32_t>((bits >> 52) & 0x7FF);
    if (exponent == 0x7FF) [[unlikely]] {
      add_special(value);
      return;
    }
    const std::uint64_t fraction = bits & 0xFFFFFFFFFFFFF;
    const std::uint64_t mantissa = exponent == 0 ? fraction : fraction | (std::uint64_t{1} << 52);
    // Position of the mantissa's last bit, counted from the smallest double.
    const std::uint32_t position = exponent == 0 ? 0 : exponent - 1;
    const std::uint32_t limb = position / 32;
    const std::uint32_t shift = position % 32;
    // The shifted mantissa has up to 84 bits: three limbs. All-ones mask = negative.
    const auto sign = static_cast<std::int64_t>(bits) >> 63;
    const std::uint64_t low = mantissa << shift;
    const auto add_to = [&](std::uint32_t at, std::uint64_t part) {
      limbs_[at] += (static_cast<std::int64_t>(part) ^ sign) - sign;
    };
    add_to(limb, low & 0xFFFFFFFF);
    add_to(limb + 1, low >> 32);
    add_to(limb + 2, shift == 0 ? 0 : mantissa >> (64 - shift));
    // A limb of 32 bits in 64 leaves room for 2^31 additions before carries must move up.
    if (++pending_ == max_pending) normalize();
  }
  // The same as add() for each of them, several times faster.
  void add_all(std::span<const double> values);
  // a * b without rounding.
  void add_product(double a, double b);
  void merge(const ExactSum& other);

  // The nearest double.
  [[nodiscard]] double value() const;
  // The nearest double and what is left: together about 106 bits.
  struct Pair {
    double high = 0, low = 0;
  };
  [[nodiscard]] Pair pair() const;

  void save(ByteSink& sink) const;
  void load(ByteSource& source);

 private:
  static constexpr std::size_t limb_count = 68;  // 2098 bits of doubles, and room for 2^60 of them
  static constexpr std::uint32_t max_pending = std::uint32_t{1} << 30;

  bool add_by_cuts(std::span<const double> values, std::uint32_t top_exponent);
  void add_special(double value);
  void normalize();

  std::array<std::int64_t, limb_count> limbs_{};
  std::uint32_t pending_ = 0;
  std::uint32_t nans_ = 0, positive_infinities_ = 0, negative_infinities_ = 0;
};

// Weighted sum and sum of squares, exact up to the rounding of single products, hence the same bits in
// any order.
class ExactMoments {
 public:
  // The same as add(value, 1) for each of them.
  void add_all(std::span<const double> values);
  void add(double value, double weight) {
    if (weight == 1.0) {
      sum_.add(value);
      squares_.add_product(value, value);
    } else {
      add_weighted(value, weight);
    }
  }
  void merge(const ExactMoments& other) {
    sum_.merge(other.sum_);
    squares_.merge(other.squares_);
  }
  [[nodiscard]] double mean(double total_weight) const { return sum_.value() / total_weight; }
  // Σ w (x − mean)² / Σ w; never negative, infinite where squares overflow.
  [[nodiscard]] double variance(const ExactSum::Pair& total_weight) const;
  [[nodiscard]] double variance(double total_weight) const { return variance(ExactSum::Pair{total_weight, 0}); }
  void save(ByteSink& sink) const {
    sum_.save(sink);
    squares_.save(sink);
  }
  void load(ByteSource& source) {
    sum_.load(source);
    squares_.load(source);
  }

 private:
  void add_weighted(double value, double weight);

  ExactSum sum_, squares_;
};

}  // namespace sightglass
