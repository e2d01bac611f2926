#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "sightglass/model/trees/predict/leaf_sums_internal.h"
#include "sightglass/model/trees/rows/row_sets_internal.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(SIGHTGLASS_PLAIN_KERNELS)
#define SIGHTGLASS_SUMS_BY_HAND
#include <immintrin.h>
#endif

namespace sightglass {

namespace {

template <class T>
void add_plainly(const T* leaves, const std::uint8_t* exits, T* sums) {
  for (std::size_t row = 0; row < set_rows; ++row) sums[row] += leaves[exits[row]];
}

#ifdef SIGHTGLASS_SUMS_BY_HAND

constexpr std::size_t most_by_hand = 64;
constexpr std::size_t plane_leaves = 16;  // that one shuffle of bytes chooses from
// Without a mask GCC 12 warns of its own header.
constexpr __mmask16 all16 = 0xFFFF;
constexpr __mmask8 all8 = 0xFF;

// Which of the numbers [first, first + size) are below count.
unsigned below(std::size_t count, std::size_t first, std::size_t size) {
  const std::size_t there = std::min(count - std::min(count, first), size);
  return (1U << there) - 1;
}

__attribute__((target("avx512f"))) void add_in_512(const float* leaves, std::size_t count, const std::uint8_t* exits,
                                                   float* sums) {
  __m512 table[4];
  for (std::size_t i = 0; i < 4; ++i)
    table[i] = _mm512_maskz_loadu_ps(static_cast<__mmask16>(below(count, 16 * i, 16)), leaves + 16 * i);
  const __m512i upper = _mm512_set1_epi32(32);
  for (std::size_t row = 0; row < set_rows; row += 16) {
    const __m512i exit =
        _mm512_maskz_cvtepu8_epi32(all16, _mm_loadu_si128(reinterpret_cast<const __m128i*>(exits + row)));
    const __m512 a = _mm512_permutex2var_ps(table[0], exit, table[1]);
    const __m512 b = _mm512_permutex2var_ps(table[2], exit, table[3]);
    const __m512 leaf = _mm512_mask_blend_ps(_mm512_test_epi32_mask(exit, upper), a, b);
    _mm512_storeu_ps(sums + row, _mm512_add_ps(_mm512_loadu_ps(sums + row), leaf));
  }
}

__attribute__((target("avx512f"))) void add_in_512(const double* leaves, std::size_t count, const std::uint8_t* exits,
                                                   double* sums) {
  __m512d table[8];
  for (std::size_t i = 0; i < 8; ++i)
    table[i] = _mm512_maskz_loadu_pd(static_cast<__mmask8>(below(count, 8 * i, 8)), leaves + 8 * i);
  const __m512i upper_of_32 = _mm512_set1_epi64(16), upper = _mm512_set1_epi64(32);
  for (std::size_t row = 0; row < set_rows; row += 8) {
    const __m512i exit =
        _mm512_maskz_cvtepu8_epi64(all8, _mm_loadl_epi64(reinterpret_cast<const __m128i*>(exits + row)));
    const __mmask8 odd = _mm512_test_epi64_mask(exit, upper_of_32);
    const __m512d a = _mm512_mask_blend_pd(odd, _mm512_permutex2var_pd(table[0], exit, table[1]),
                                           _mm512_permutex2var_pd(table[2], exit, table[3]));
    const __m512d b = _mm512_mask_blend_pd(odd, _mm512_permutex2var_pd(table[4], exit, table[5]),
                                           _mm512_permutex2var_pd(table[6], exit, table[7]));
    const __m512d leaf = _mm512_mask_blend_pd(_mm512_test_epi64_mask(exit, upper), a, b);
    _mm512_storeu_pd(sums + row, _mm512_add_pd(_mm512_loadu_pd(sums + row), leaf));
  }
}

// 64 rows at a time, byte by byte of their leaves: a shuffle of bytes chooses among all 64. Then bytes are put
// together, in quarters of registers, so that rows are brought into another order first.
__attribute__((target("avx512f,avx512bw,avx512vbmi"))) void add_in_512_bytes(const std::uint8_t* planes,
                                                                             const std::uint8_t* exits, double* sums) {
  constexpr __mmask64 all64 = ~__mmask64{0};
  constexpr __mmask32 all32 = ~__mmask32{0};
  constexpr std::size_t bytes = sizeof(double), rows = 64;
  // Pair j of quarter q holds rows 8j + 2q and the next, so that sum j gets rows 8j to 8j + 7.
  alignas(64) static constexpr auto order = [] {
    std::array<std::uint8_t, rows> found{};
    for (std::size_t q = 0; q < 4; ++q) {
      for (std::size_t j = 0; j < 8; ++j) {
        for (std::size_t i = 0; i < 2; ++i) found[16 * q + 2 * j + i] = static_cast<std::uint8_t>(8 * j + 2 * q + i);
      }
    }
    return found;
  }();
  const __m512i by_pairs = _mm512_loadu_si512(order.data());
  __m512i plane[bytes];
  for (std::size_t byte = 0; byte < bytes; ++byte) plane[byte] = _mm512_loadu_si512(planes + byte * most_by_hand);
  for (std::size_t row = 0; row < set_rows; row += rows) {
    const __m512i exit = _mm512_maskz_permutexvar_epi8(all64, by_pairs, _mm512_loadu_si512(exits + row));
    __m512i byte[bytes], two[bytes], four[bytes];
    for (std::size_t i = 0; i < bytes; ++i) byte[i] = _mm512_maskz_permutexvar_epi8(all64, exit, plane[i]);
    for (std::size_t i = 0; i < bytes; i += 2) {
      two[i] = _mm512_maskz_unpacklo_epi8(all64, byte[i], byte[i + 1]);
      two[i + 1] = _mm512_maskz_unpackhi_epi8(all64, byte[i], byte[i + 1]);
    }
    for (std::size_t i = 0; i < bytes; i += 4) {
      for (std::size_t half = 0; half < 2; ++half) {
        four[i + 2 * half] = _mm512_maskz_unpacklo_epi16(all32, two[i + half], two[i + 2 + half]);
        four[i + 2 * half + 1] = _mm512_maskz_unpackhi_epi16(all32, two[i + half], two[i + 2 + half]);
      }
    }
    for (std::size_t part = 0; part < 4; ++part) {
      double* out = sums + row + 16 * part;
      const __m512d low = _mm512_castsi512_pd(_mm512_maskz_unpacklo_epi32(all16, four[part], four[part + 4]));
      const __m512d high = _mm512_castsi512_pd(_mm512_maskz_unpackhi_epi32(all16, four[part], four[part + 4]));
      _mm512_storeu_pd(out, _mm512_add_pd(_mm512_loadu_pd(out), low));
      _mm512_storeu_pd(out + 8, _mm512_add_pd(_mm512_loadu_pd(out + 8), high));
    }
  }
}

// 32 rows at a time, byte by byte of their leaves: a shuffle chooses among 16, and gives 0 to rows whose exit is not
// among these. Then bytes are put together.
template <class T, std::size_t sixteens>
__attribute__((target("avx2"), always_inline)) inline void add_in_256(const std::uint8_t* planes,
                                                                      const std::uint8_t* exits, T* sums) {
  // Putting together works in halves of registers: so that results come out in the order of the rows, groups of four
  // (float) or two (double) go to the two halves in turn.
  const __m256i by_twos =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
  const __m256i by_fours = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
  const __m256i overflow = _mm256_set1_epi8(0x70);
  for (std::size_t row = 0; row < set_rows; row += 32) {
    __m256i exit = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(exits + row));
    if constexpr (sizeof(T) == 4) {
      exit = _mm256_permutevar8x32_epi32(exit, by_fours);
    } else {
      exit = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(exit, by_twos), 0b11011000);
    }
    __m256i within[sixteens];
    for (std::size_t i = 0; i < sixteens; ++i) {
      const __m256i from = _mm256_xor_si256(exit, _mm256_set1_epi8(static_cast<char>(plane_leaves * i)));
      within[i] = sixteens == 1 ? from : _mm256_adds_epu8(from, overflow);
    }
    __m256i bytes[sizeof(T)];
    for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
      bytes[byte] = _mm256_setzero_si256();
      for (std::size_t i = 0; i < sixteens; ++i) {
        const auto* plane = reinterpret_cast<const __m128i*>(planes + (i * sizeof(T) + byte) * plane_leaves);
        bytes[byte] = _mm256_or_si256(
            bytes[byte], _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(plane)), within[i]));
      }
    }
    // Four rows of float, two of double from each half.
    const auto four = [&](std::size_t first, bool upper, bool last) __attribute__((target("avx2"), always_inline)) {
      const __m256i a = upper ? _mm256_unpackhi_epi8(bytes[first], bytes[first + 1])
                              : _mm256_unpacklo_epi8(bytes[first], bytes[first + 1]);
      const __m256i b = upper ? _mm256_unpackhi_epi8(bytes[first + 2], bytes[first + 3])
                              : _mm256_unpacklo_epi8(bytes[first + 2], bytes[first + 3]);
      return last ? _mm256_unpackhi_epi16(a, b) : _mm256_unpacklo_epi16(a, b);
    };
    for (std::size_t quarter = 0; quarter < 4; ++quarter) {
      const bool upper = quarter >= 2, last = quarter % 2 == 1;
      if constexpr (sizeof(T) == 4) {
        float* out = sums + row + 8 * quarter;
        _mm256_storeu_ps(out, _mm256_add_ps(_mm256_loadu_ps(out), _mm256_castsi256_ps(four(0, upper, last))));
      } else {
        double* out = sums + row + 8 * quarter;
        const __m256i low = four(0, upper, last), high = four(4, upper, last);
        _mm256_storeu_pd(out,
                         _mm256_add_pd(_mm256_loadu_pd(out), _mm256_castsi256_pd(_mm256_unpacklo_epi32(low, high))));
        out += 4;
        _mm256_storeu_pd(out,
                         _mm256_add_pd(_mm256_loadu_pd(out), _mm256_castsi256_pd(_mm256_unpackhi_epi32(low, high))));
      }
    }
  }
}

template <class T>
__attribute__((target("avx2"))) void add_in_256(const std::uint8_t* planes, std::size_t count,
                                                const std::uint8_t* exits, T* sums) {
  if (count <= plane_leaves) return add_in_256<T, 1>(planes, exits, sums);
  if (count <= 2 * plane_leaves) return add_in_256<T, 2>(planes, exits, sums);
  return add_in_256<T, 4>(planes, exits, sums);
}

enum class Width { plain, avx2, avx512, avx512_bytes };
Width width() {
  static const Width found = __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512bw") != 0
                                 ? Width::avx512_bytes
                             : __builtin_cpu_supports("avx512f") != 0 ? Width::avx512
                             : __builtin_cpu_supports("avx2") != 0    ? Width::avx2
                                                                      : Width::plain;
  return found;
}

#endif

}  // namespace

template <class T>
void LeafTables<T>::add(std::span<const T> leaves) {
  tables_.push_back({.leaves = static_cast<std::uint32_t>(leaves_.size()),
                     .count = static_cast<std::uint32_t>(leaves.size()),
                     .planes = static_cast<std::uint32_t>(planes_.size())});
  leaves_.insert(leaves_.end(), leaves.begin(), leaves.end());
#ifdef SIGHTGLASS_SUMS_BY_HAND
  if (leaves.size() > most_by_hand) return;
  if (width() == Width::avx512_bytes && sizeof(T) == sizeof(double)) {
    planes_.resize(planes_.size() + most_by_hand * sizeof(T));
    std::uint8_t* const planes = planes_.data() + tables_.back().planes;
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      std::array<std::uint8_t, sizeof(T)> bytes;
      std::memcpy(bytes.data(), &leaves[leaf], sizeof(T));
      for (std::size_t byte = 0; byte < sizeof(T); ++byte) planes[byte * most_by_hand + leaf] = bytes[byte];
    }
    return;
  }
  if (width() != Width::avx2) return;
  const std::size_t sixteens = leaves.size() <= plane_leaves ? 1 : leaves.size() <= 2 * plane_leaves ? 2 : 4;
  planes_.resize(planes_.size() + sixteens * plane_leaves * sizeof(T));
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    std::array<std::uint8_t, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &leaves[leaf], sizeof(T));
    std::uint8_t* plane = planes_.data() + tables_.back().planes + leaf / plane_leaves * plane_leaves * sizeof(T);
    for (std::size_t byte = 0; byte < sizeof(T); ++byte) plane[byte * plane_leaves + leaf % plane_leaves] = bytes[byte];
  }
#endif
}

template <class T>
void LeafTables<T>::add_leaves(std::size_t table, const std::uint8_t* exits, T* sums) const {
  const Range& range = tables_[table];
#ifdef SIGHTGLASS_SUMS_BY_HAND
  if constexpr (std::is_same_v<T, double>) {
    if (range.count <= most_by_hand && width() == Width::avx512_bytes)
      return add_in_512_bytes(planes_.data() + range.planes, exits, sums);
  }
  if (range.count <= most_by_hand && width() >= Width::avx512)
    return add_in_512(leaves_.data() + range.leaves, range.count, exits, sums);
  if (range.count <= most_by_hand && width() == Width::avx2)
    return add_in_256(planes_.data() + range.planes, range.count, exits, sums);
#endif
  add_plainly(leaves_.data() + range.leaves, exits, sums);
}

template class LeafTables<float>;
template class LeafTables<double>;

}  // namespace sightglass
