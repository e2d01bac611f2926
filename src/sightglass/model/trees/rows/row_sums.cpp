#include <array>
#include <bit>
#include <cstring>

#include "sightglass/model/trees/rows/row_sums_internal.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(SIGHTGLASS_PLAIN_KERNELS)
#define SIGHTGLASS_SUMS_BY_HAND
#include <immintrin.h>
#endif

namespace sightglass {

namespace {

constexpr std::size_t word_rows = 64;

// One by one.
inline void add_to_few(std::uint64_t rows, double amount, double* sums) {
  for (; rows != 0; rows &= rows - 1) sums[std::countr_zero(rows)] += amount;
}

using FourSums = double __attribute__((vector_size(32)));
using FourBits = std::int64_t __attribute__((vector_size(32)));

// Which bit of a word each of its rows is: made once, since no processor moves single words into vectors quickly.
struct BitsOfRows {
  alignas(32) std::array<FourBits, word_rows / 4> bits;
  BitsOfRows() : bits{} {
    for (std::size_t row = 0; row < word_rows; ++row)
      bits[row / 4][row % 4] = static_cast<std::int64_t>(std::uint64_t{1} << row);
  }
};
const BitsOfRows bits_of_rows;

// Where a word has many rows, to all of its rows at once, zero to those that are not in the set.
SIGHTGLASS_FOR_EACH_PROCESSOR
void add_plainly(const RowSet& rows, double amount, double* sums) {
  constexpr int many = 8;
  const FourSums added = FourSums{} + amount;
  const auto add = [&](double* to, const FourSums& numbers) __attribute__((always_inline)) {
    FourSums four;
    std::memcpy(&four, to, sizeof four);
    four += numbers;
    std::memcpy(to, &four, sizeof four);
  };
  for (std::size_t word = 0; word < 4; ++word, sums += word_rows) {
    const std::uint64_t here = rows.words[word];
    if (here == ~std::uint64_t{0}) {
      for (std::size_t row = 0; row < word_rows; row += 4) add(sums + row, added);
      continue;
    }
    if (std::popcount(here) < many) {
      add_to_few(here, amount, sums);
      continue;
    }
    const FourBits all = FourBits{} + static_cast<std::int64_t>(here);
    for (std::size_t row = 0; row < word_rows; row += 4) {
      const FourBits bits = bits_of_rows.bits[row / 4];
      const FourBits there = (all & bits) == bits;
      add(sums + row, reinterpret_cast<FourSums>(there & reinterpret_cast<FourBits>(added)));
    }
  }
}

#ifdef SIGHTGLASS_SUMS_BY_HAND

__attribute__((target("avx512f,popcnt"))) void add_by_hand(const RowSet& rows, double amount, double* sums) {
  constexpr int many = 5;
  const __m512d added = _mm512_set1_pd(amount);
  for (std::size_t word = 0; word < 4; ++word, sums += word_rows) {
    const std::uint64_t here = rows.words[word];
    if (std::popcount(here) < many) {
      add_to_few(here, amount, sums);
      continue;
    }
    for (std::size_t row = 0; row < word_rows; row += 8) {
      const __m512d eight = _mm512_loadu_pd(sums + row);
      _mm512_storeu_pd(sums + row, _mm512_mask_add_pd(eight, static_cast<__mmask8>(here >> row), eight, added));
    }
  }
}

bool sums_by_hand() {
  static const bool can = __builtin_cpu_supports("avx512f") != 0;
  return can;
}

#endif

}  // namespace

void add_to_rows(const RowSet& rows, double amount, double* sums) {
#ifdef SIGHTGLASS_SUMS_BY_HAND
  if (sums_by_hand()) {
    add_by_hand(rows, amount, sums);
    return;
  }
#endif
  add_plainly(rows, amount, sums);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void add_differences(const double* start, const double* sums, const double* own, double factor, std::size_t count,
                     double* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = start[i] + (sums[i] - own[i]) * factor;
}

}  // namespace sightglass
