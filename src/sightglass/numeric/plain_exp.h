// exp(x) of sums, products and bits alone. The C library's takes what the processor offers and differs in last digits
// between machines; what was learned by one must be decided alike by another. Simple enough for compilers to take
// several numbers at once.
#pragma once

#include <bit>
#include <cstdint>

namespace sightglass {

// For x <= 0, within 2e-16 of the true value relatively; below -708 it is that of -708, which is 3e-308.
[[nodiscard]] inline double plain_exp(double x) {
  constexpr double to_whole = 6755399441055744.0;  // 1.5 · 2^52: adding it rounds to whole numbers
  x = x > -708.0 ? x : -708.0;
  const double shifted = x * 1.4426950408889634 + to_whole;
  const double power = shifted - to_whole;
  // ln 2 in two parts, so that the product with the first is exact.
  const double r = (x - power * 0x1.62e42feep-1) - power * 0x1.a39ef35793c76p-33;
  double sum = 1.0 / 6227020800;  // Taylor: |r| <= 0.35, and 0.35^14 / 14! is below 1e-17
  sum = sum * r + 1.0 / 479001600;
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  const std::int64_t whole = std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(to_whole);
  return sum * std::bit_cast<double>((whole + 1023) << 52);
}

// For x <= 0, within 3e-7 of the true value relatively; below -87 it is that of -87.
[[nodiscard]] inline float plain_exp(float x) {
  constexpr float to_whole = 12582912.0F;  // 1.5 · 2^23
  x = x > -87.0F ? x : -87.0F;
  const float shifted = x * 1.44269504F + to_whole;
  const float power = shifted - to_whole;
  const float r = (x - power * 0.693359375F) + power * 2.12194440e-4F;
  float sum = 1.0F / 5040;
  sum = sum * r + 1.0F / 720;
  sum = sum * r + 1.0F / 120;
  sum = sum * r + 1.0F / 24;
  sum = sum * r + 1.0F / 6;
  sum = sum * r + 0.5F;
  sum = sum * r + 1.0F;
  sum = sum * r + 1.0F;
  const std::int32_t whole = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(to_whole);
  return sum * std::bit_cast<float>((whole + 127) << 23);
}

}  // namespace sightglass
