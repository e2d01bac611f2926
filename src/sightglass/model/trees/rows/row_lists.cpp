#include "sightglass/model/trees/rows/row_lists_internal.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(SIGHTGLASS_PLAIN_KERNELS)
#define SIGHTGLASS_LISTS_BY_HAND
#include <immintrin.h>

#include <array>
#endif

namespace sightglass {

namespace {

std::size_t divide_plainly(const std::uint16_t* rows, std::size_t count, const ListCodes& codes, std::uint32_t first,
                           std::uint32_t size, std::uint16_t* __restrict left, std::uint16_t* __restrict right) {
  std::size_t stayed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t row = rows[i];
    // Written to both: what is wrong there is overwritten, and nothing is mispredicted. Numbers instead of conditions:
    // compilers make jumps of the latter.
    left[stayed] = row;
    right[i - stayed] = row;
    stayed += std::size_t{1} - static_cast<std::size_t>(codes.of(row) - first < size);
  }
  return stayed;
}

std::size_t count_plainly(const std::uint16_t* rows, std::size_t count, const ListCodes& codes, std::uint32_t first,
                          std::uint32_t size) {
  std::size_t stayed = 0;
  for (std::size_t i = 0; i < count; ++i)
    stayed += std::size_t{1} - static_cast<std::size_t>(codes.of(rows[i]) - first < size);
  return stayed;
}

#ifdef SIGHTGLASS_LISTS_BY_HAND

template <class T>
const T* as(const void* numbers) {
  return static_cast<const T*>(numbers);
}
__m128i* to(void* numbers) { return static_cast<__m128i*>(numbers); }

// For each set of eight: the bytes of those 16-bit numbers that are in it, packed.
struct Packing {
  alignas(16) std::array<std::array<std::uint8_t, 16>, 256> bytes{};
  constexpr Packing() {
    for (std::size_t set = 0; set < 256; ++set) {
      std::size_t at = 0;
      for (std::size_t bit = 0; bit < 8; ++bit) {
        if ((set >> bit & 1) == 0) continue;
        bytes[set][at++] = static_cast<std::uint8_t>(2 * bit);
        bytes[set][at++] = static_cast<std::uint8_t>(2 * bit + 1);
      }
    }
  }
};
constexpr Packing packing;

// Which of eight rows go right. Codes are gathered as 32 bits, together with the one behind.
__attribute__((target("avx2"), always_inline)) inline unsigned goes_right(__m128i rows, const ListCodes& codes,
                                                                          __m256i first, __m256i last) {
  const __m256i offsets = _mm256_slli_epi32(_mm256_cvtepu16_epi32(rows), codes.shift);
  const __m256i pairs = _mm256_i32gather_epi32(as<int>(codes.codes), offsets, 2);
  const __m256i code = _mm256_and_si256(pairs, _mm256_set1_epi32(0xFFFF));
  const __m256i beyond = _mm256_sub_epi32(code, first);
  const __m256i inside = _mm256_cmpeq_epi32(_mm256_min_epu32(beyond, last), beyond);
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(inside)));
}

__attribute__((target("avx2"), always_inline)) inline __m128i packed(__m128i rows, unsigned set) {
  return _mm_shuffle_epi8(rows, _mm_load_si128(as<__m128i>(packing.bytes[set].data())));
}

template <bool divided>
__attribute__((target("avx2"))) std::size_t divide_by_hand(const std::uint16_t* rows, std::size_t count,
                                                           const ListCodes& codes, std::uint32_t first,
                                                           std::uint32_t size, std::uint16_t* left,
                                                           std::uint16_t* right) {
  const __m256i firsts = _mm256_set1_epi32(static_cast<int>(first));
  const __m256i lasts = _mm256_set1_epi32(static_cast<int>(size - 1));
  std::size_t stayed = 0;
  const auto eight = [&](std::size_t i, __m128i here, unsigned there) __attribute__((always_inline, target("avx2"))) {
    const unsigned to_the_right = goes_right(here, codes, firsts, lasts) & there;
    const unsigned to_the_left = ~to_the_right & there;
    if constexpr (divided) {
      _mm_storeu_si128(to(left + stayed), packed(here, to_the_left));
      _mm_storeu_si128(to(right + (i - stayed)), packed(here, to_the_right));
    }
    stayed += static_cast<std::size_t>(__builtin_popcount(to_the_left));
  };
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) eight(i, _mm_loadu_si128(as<__m128i>(rows + i)), 0xFF);
  if (i < count) {
    // Behind the last there may be anything: row 0 instead.
    const __m128i numbers = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
    const __m128i there = _mm_cmplt_epi16(numbers, _mm_set1_epi16(static_cast<short>(count - i)));
    const __m128i here = _mm_and_si128(_mm_loadu_si128(as<__m128i>(rows + i)), there);
    eight(i, here, (1U << (count - i)) - 1);
  }
  return stayed;
}

bool lists_by_hand() {
  static const bool can = __builtin_cpu_supports("avx2") != 0;
  return can;
}

#endif

}  // namespace

std::size_t divide_list(const std::uint16_t* rows, std::size_t count, const ListCodes& codes, std::uint32_t first,
                        std::uint32_t size, std::uint16_t* left, std::uint16_t* right) {
#ifdef SIGHTGLASS_LISTS_BY_HAND
  if (size > 0 && lists_by_hand()) return divide_by_hand<true>(rows, count, codes, first, size, left, right);
#endif
  return divide_plainly(rows, count, codes, first, size, left, right);
}

std::size_t count_left(const std::uint16_t* rows, std::size_t count, const ListCodes& codes, std::uint32_t first,
                       std::uint32_t size) {
#ifdef SIGHTGLASS_LISTS_BY_HAND
  if (size > 0 && lists_by_hand()) return divide_by_hand<false>(rows, count, codes, first, size, nullptr, nullptr);
#endif
  return count_plainly(rows, count, codes, first, size);
}

}  // namespace sightglass
