#include <bit>
#include <cstring>

#include "sightglass/base/each_processor.h"
#include "sightglass/methods/local/pieces/common_bits_internal.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(SIGHTGLASS_PLAIN_KERNELS)
#define SIGHTGLASS_COMMON_BITS_BY_HAND
#include <immintrin.h>
#endif

namespace sightglass {

namespace {

constexpr std::size_t lanes = 8;

typedef double Numbers __attribute__((vector_size(64)));
typedef std::int64_t Places __attribute__((vector_size(64)));
static_assert(sizeof(Numbers) == lanes * sizeof(double));

double sum_of(const double* s) { return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])); }

double count_plainly(const std::uint32_t* a, const std::uint32_t* b, const double* weights, std::size_t size) {
  double sums[lanes] = {};
  for (std::size_t i = 0; i < size; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      sums[lane] += weights[i + lane] * static_cast<double>(std::popcount(a[i + lane] & b[i + lane]));
  }
  return sum_of(sums);
}

#ifdef SIGHTGLASS_COMMON_BITS_BY_HAND

// Processors that count bits themselves.
__attribute__((target("avx512f,avx512vl,avx512vpopcntdq"))) double count_by_eight(const std::uint32_t* a,
                                                                                  const std::uint32_t* b,
                                                                                  const double* weights,
                                                                                  std::size_t size) {
  __m512d sums = _mm512_setzero_pd();
  for (std::size_t i = 0; i < size; i += lanes) {
    const __m256i both = _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i)),
                                          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i)));
    const __m512d counts = _mm512_maskz_cvtepi32_pd(0xFF, _mm256_popcnt_epi32(both));
    sums = _mm512_add_pd(sums, _mm512_mul_pd(_mm512_loadu_pd(weights + i), counts));
  }
  double each[lanes];
  _mm512_storeu_pd(each, sums);
  return sum_of(each);
}

// A shuffle looks up how many bits four bits have; bytes are then added up to words.
__attribute__((target("avx2"))) double count_by_hand(const std::uint32_t* a, const std::uint32_t* b,
                                                     const double* weights, std::size_t size) {
  const __m256i four_bits = _mm256_set1_epi8(15), one_byte = _mm256_set1_epi8(1), one_pair = _mm256_set1_epi16(1);
  const __m256i table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  __m256d low_sums = _mm256_setzero_pd(), high_sums = _mm256_setzero_pd();
  for (std::size_t i = 0; i < size; i += lanes) {
    const __m256i both = _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i)),
                                          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i)));
    const __m256i low = _mm256_and_si256(both, four_bits);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(both, 4), four_bits);
    const __m256i bytes = _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high));
    const __m256i counts = _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, one_byte), one_pair);
    const __m256d first = _mm256_cvtepi32_pd(_mm256_castsi256_si128(counts));
    const __m256d second = _mm256_cvtepi32_pd(_mm256_extracti128_si256(counts, 1));
    low_sums = _mm256_add_pd(low_sums, _mm256_mul_pd(_mm256_loadu_pd(weights + i), first));
    high_sums = _mm256_add_pd(high_sums, _mm256_mul_pd(_mm256_loadu_pd(weights + i + 4), second));
  }
  double sums[lanes];
  _mm256_storeu_pd(sums, low_sums);
  _mm256_storeu_pd(sums + 4, high_sums);
  return sum_of(sums);
}

#endif

}  // namespace

// All are added, those without their bit as 0.
SIGHTGLASS_FOR_EACH_WIDTH
double sum_of_bits(const std::uint32_t* bits, const double* numbers, std::size_t words) {
  const Places places = {1, 2, 4, 8, 16, 32, 64, 128};
  Numbers sums = {};
  for (std::size_t word = 0; word < words; ++word, numbers += 32) {
    for (std::size_t part = 0; part < 4; ++part) {
      Numbers own;
      std::memcpy(&own, numbers + part * lanes, sizeof own);
      const Places there = (places & static_cast<std::int64_t>(bits[word] >> (part * lanes))) != 0;
      sums += there ? own : Numbers{};
    }
  }
  double each[lanes];
  std::memcpy(each, &sums, sizeof each);
  return sum_of(each);
}

std::vector<CommonBits> all_common_bits() {
  std::vector<CommonBits> all;
#ifdef SIGHTGLASS_COMMON_BITS_BY_HAND
  if (__builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512vpopcntdq") != 0)
    all.push_back(count_by_eight);
  if (__builtin_cpu_supports("avx2") != 0) all.push_back(count_by_hand);
#endif
  all.push_back(count_plainly);
  return all;
}

CommonBits common_bits() {
  static const CommonBits quickest = all_common_bits().front();
  return quickest;
}

}  // namespace sightglass
