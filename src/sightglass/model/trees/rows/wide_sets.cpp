#include "sightglass/model/trees/rows/wide_sets_internal.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(SIGHTGLASS_PLAIN_KERNELS)
#define SIGHTGLASS_WIDE_SETS_BY_HAND
#include <immintrin.h>
#endif

namespace sightglass {

namespace {

template <bool keep>
inline std::uint64_t plainly(const RowSet* rows, const RowSet* right, RowSet* left) {
  std::uint64_t bits = 0;
  for (std::size_t set = 0; set < wide_sets; ++set) {
    const RowWords here = rows[set].words & ~right[set].words;
    for (std::size_t word = 0; word < 4; ++word) bits += static_cast<std::uint64_t>(__builtin_popcountll(here[word]));
    if constexpr (keep) left[set].words = here;
  }
  return bits;
}
std::uint64_t divide_plainly(const RowSet* rows, const RowSet* right, RowSet* left) {
  return plainly<true>(rows, right, left);
}
std::uint64_t count_plainly(const RowSet* rows, const RowSet* right) { return plainly<false>(rows, right, nullptr); }

#ifdef SIGHTGLASS_WIDE_SETS_BY_HAND

// A shuffle looks up how many bits four bits have, for 64 times four at once.
template <bool keep>
__attribute__((target("avx2"), always_inline)) inline std::uint64_t by_hand(const RowSet* rows, const RowSet* right,
                                                                            RowSet* left) {
  const __m256i four_bits = _mm256_set1_epi8(15);
  const __m256i table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  __m256i bytes = _mm256_setzero_si256();  // none above 8 for each set
  static_assert(8 * wide_sets < 256);
  for (std::size_t set = 0; set < wide_sets; ++set) {
    const __m256i here = _mm256_andnot_si256(_mm256_load_si256(reinterpret_cast<const __m256i*>(right + set)),
                                             _mm256_load_si256(reinterpret_cast<const __m256i*>(rows + set)));
    if constexpr (keep) _mm256_store_si256(reinterpret_cast<__m256i*>(left + set), here);
    const __m256i low = _mm256_and_si256(here, four_bits);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(here, 4), four_bits);
    bytes = _mm256_add_epi8(bytes, _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high)));
  }
  const __m256i sums = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
  const __m128i halves = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(halves) + _mm_extract_epi64(halves, 1));
}

__attribute__((target("avx2"))) std::uint64_t divide_by_hand(const RowSet* rows, const RowSet* right, RowSet* left) {
  return by_hand<true>(rows, right, left);
}
__attribute__((target("avx2"))) std::uint64_t count_by_hand(const RowSet* rows, const RowSet* right) {
  return by_hand<false>(rows, right, nullptr);
}

#endif

}  // namespace

WideKernels plain_wide_kernels() { return {divide_plainly, count_plainly}; }

WideKernels wide_kernels() {
#ifdef SIGHTGLASS_WIDE_SETS_BY_HAND
  if (__builtin_cpu_supports("avx2") != 0) return {divide_by_hand, count_by_hand};
#endif
  return plain_wide_kernels();
}

}  // namespace sightglass
