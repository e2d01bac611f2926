#include "sightglass/model/trees/leaf_sums_internal.h"
#include "sightglass/model/trees/row_sets_internal.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(SIGHTGLASS_PLAIN_KERNELS)
#define SIGHTGLASS_SUMS_BY_HAND
#include <immintrin.h>

#include <algorithm>
#endif

namespace sightglass {

namespace {

template <class T>
void add_plainly(const T* leaves, const std::uint8_t* places, T* sums) {
  for (std::size_t row = 0; row < set_rows; ++row) sums[row] += leaves[places[row]];
}

#ifdef SIGHTGLASS_SUMS_BY_HAND

constexpr std::size_t most_by_hand = 64;
// Without a mask GCC 12 warns of its own header.
constexpr __mmask16 all16 = 0xFFFF;
constexpr __mmask8 all8 = 0xFF;

// Which of the numbers [first, first + size) are below count.
unsigned below(std::size_t count, std::size_t first, std::size_t size) {
  const std::size_t there = std::min(count - std::min(count, first), size);
  return (1U << there) - 1;
}

__attribute__((target("avx512f"))) void add_by_hand(const float* leaves, std::size_t count, const std::uint8_t* places,
                                                    float* sums) {
  __m512 table[4];
  for (std::size_t i = 0; i < 4; ++i)
    table[i] = _mm512_maskz_loadu_ps(static_cast<__mmask16>(below(count, 16 * i, 16)), leaves + 16 * i);
  const __m512i upper = _mm512_set1_epi32(32);
  for (std::size_t row = 0; row < set_rows; row += 16) {
    const __m512i place =
        _mm512_maskz_cvtepu8_epi32(all16, _mm_loadu_si128(reinterpret_cast<const __m128i*>(places + row)));
    const __m512 a = _mm512_permutex2var_ps(table[0], place, table[1]);
    const __m512 b = _mm512_permutex2var_ps(table[2], place, table[3]);
    const __m512 leaf = _mm512_mask_blend_ps(_mm512_test_epi32_mask(place, upper), a, b);
    _mm512_storeu_ps(sums + row, _mm512_add_ps(_mm512_loadu_ps(sums + row), leaf));
  }
}

__attribute__((target("avx512f"))) void add_by_hand(const double* leaves, std::size_t count, const std::uint8_t* places,
                                                    double* sums) {
  __m512d table[8];
  for (std::size_t i = 0; i < 8; ++i)
    table[i] = _mm512_maskz_loadu_pd(static_cast<__mmask8>(below(count, 8 * i, 8)), leaves + 8 * i);
  const __m512i upper_of_32 = _mm512_set1_epi64(16), upper = _mm512_set1_epi64(32);
  for (std::size_t row = 0; row < set_rows; row += 8) {
    const __m512i place =
        _mm512_maskz_cvtepu8_epi64(all8, _mm_loadl_epi64(reinterpret_cast<const __m128i*>(places + row)));
    const __mmask8 odd = _mm512_test_epi64_mask(place, upper_of_32);
    const __m512d a = _mm512_mask_blend_pd(odd, _mm512_permutex2var_pd(table[0], place, table[1]),
                                           _mm512_permutex2var_pd(table[2], place, table[3]));
    const __m512d b = _mm512_mask_blend_pd(odd, _mm512_permutex2var_pd(table[4], place, table[5]),
                                           _mm512_permutex2var_pd(table[6], place, table[7]));
    const __m512d leaf = _mm512_mask_blend_pd(_mm512_test_epi64_mask(place, upper), a, b);
    _mm512_storeu_pd(sums + row, _mm512_add_pd(_mm512_loadu_pd(sums + row), leaf));
  }
}

bool by_hand() {
  static const bool can = __builtin_cpu_supports("avx512f") != 0;
  return can;
}

#endif

template <class T>
void add(const T* leaves, std::size_t count, const std::uint8_t* places, T* sums) {
#ifdef SIGHTGLASS_SUMS_BY_HAND
  if (count <= most_by_hand && by_hand()) {
    add_by_hand(leaves, count, places, sums);
    return;
  }
#else
  static_cast<void>(count);
#endif
  add_plainly(leaves, places, sums);
}

}  // namespace

void add_leaves(const float* leaves, std::size_t count, const std::uint8_t* places, float* sums) {
  add(leaves, count, places, sums);
}
void add_leaves(const double* leaves, std::size_t count, const std::uint8_t* places, double* sums) {
  add(leaves, count, places, sums);
}

}  // namespace sightglass
