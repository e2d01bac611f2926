#include "sightglass/learn/linear/panels.h"

#include <cmath>
#if defined(__x86_64__) && !defined(SIGHTGLASS_PLAIN_KERNELS)
#define SIGHTGLASS_BY_HAND
#include <immintrin.h>
#endif

namespace sightglass {

namespace {

void pack_plainly(const PanelColumn (&columns)[panel], std::size_t begin, std::size_t rows, const std::uint32_t* to,
                  double* out) {
  for (std::size_t r = begin; r < rows; ++r) {
    for (std::size_t c = 0; c < panel; ++c) {
      out[to[r] * panel + c] = (columns[c].values[r] - columns[c].centre) * columns[c].factor;
    }
  }
}

void tile_plainly(const double* a, const double* b, std::size_t rows, double* sums) {
  double s[panel][panel] = {};
  for (std::size_t row = 0; row < rows; ++row, a += panel, b += panel) {
    for (std::size_t j = 0; j < panel; ++j) {
      for (std::size_t i = 0; i < panel; ++i) s[j][i] = std::fma(a[i], b[j], s[j][i]);
    }
  }
  for (std::size_t j = 0; j < panel; ++j) {
    for (std::size_t i = 0; i < panel; ++i) sums[j * panel + i] += s[j][i];
  }
}

#ifdef SIGHTGLASS_BY_HAND

// Four rows of four columns at a time.
__attribute__((target("avx2"))) void pack_by_avx2(const PanelColumn (&columns)[panel], std::size_t rows,
                                                  const std::uint32_t* to, double* out) {
  for (std::size_t half = 0; half < panel; half += 4) {
    __m256d centre[4], factor[4], value[4];
    for (std::size_t c = 0; c < 4; ++c) {
      centre[c] = _mm256_set1_pd(columns[half + c].centre);
      factor[c] = _mm256_set1_pd(columns[half + c].factor);
    }
    for (std::size_t r = 0; r + 4 <= rows; r += 4) {
#pragma GCC unroll 4
      for (std::size_t c = 0; c < 4; ++c) {
        const __m256d given = _mm256_loadu_pd(columns[half + c].values + r);
        value[c] = _mm256_mul_pd(_mm256_sub_pd(given, centre[c]), factor[c]);
      }
      const __m256d low01 = _mm256_unpacklo_pd(value[0], value[1]), high01 = _mm256_unpackhi_pd(value[0], value[1]);
      const __m256d low23 = _mm256_unpacklo_pd(value[2], value[3]), high23 = _mm256_unpackhi_pd(value[2], value[3]);
      _mm256_storeu_pd(out + to[r] * panel + half, _mm256_permute2f128_pd(low01, low23, 0x20));
      _mm256_storeu_pd(out + to[r + 1] * panel + half, _mm256_permute2f128_pd(high01, high23, 0x20));
      _mm256_storeu_pd(out + to[r + 2] * panel + half, _mm256_permute2f128_pd(low01, low23, 0x31));
      _mm256_storeu_pd(out + to[r + 3] * panel + half, _mm256_permute2f128_pd(high01, high23, 0x31));
    }
  }
  pack_plainly(columns, rows - rows % 4, rows, to, out);
}

// Four columns of b at a time.
__attribute__((target("avx2,fma"))) void tile_by_avx2(const double* a, const double* b, std::size_t rows,
                                                      double* sums) {
  for (std::size_t half = 0; half < panel; half += 4) {
    __m256d s[4][2];
    for (auto& column : s) column[0] = column[1] = _mm256_setzero_pd();
    for (std::size_t row = 0; row < rows; ++row) {
      const __m256d a0 = _mm256_loadu_pd(a + row * panel), a1 = _mm256_loadu_pd(a + row * panel + 4);
#pragma GCC unroll 4
      for (std::size_t j = 0; j < 4; ++j) {
        const __m256d factor = _mm256_broadcast_sd(b + row * panel + half + j);
        s[j][0] = _mm256_fmadd_pd(a0, factor, s[j][0]);
        s[j][1] = _mm256_fmadd_pd(a1, factor, s[j][1]);
      }
    }
    for (std::size_t j = 0; j < 4; ++j) {
      double* to = sums + (half + j) * panel;
      _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), s[j][0]));
      _mm256_storeu_pd(to + 4, _mm256_add_pd(_mm256_loadu_pd(to + 4), s[j][1]));
    }
  }
}

// Up to three panels by all columns of b.
template <std::size_t count>
__attribute__((target("avx512f"))) void tiles_by_avx512(const Panels& panels, const double* b, std::size_t rows,
                                                        double* const* sums) {
  __m512d s[panel][count];
#pragma GCC unroll 8
  for (std::size_t j = 0; j < panel; ++j) {
#pragma GCC unroll 3
    for (std::size_t i = 0; i < count; ++i) s[j][i] = _mm512_setzero_pd();
  }
  const double* first = panels.first;
  for (std::size_t row = 0; row < rows; ++row, first += panel, b += panel) {
    __m512d a[count];
#pragma GCC unroll 3
    for (std::size_t i = 0; i < count; ++i) a[i] = _mm512_loadu_pd(first + i * panels.stride);
#pragma GCC unroll 8
    for (std::size_t j = 0; j < panel; ++j) {
      const __m512d factor = _mm512_set1_pd(b[j]);
#pragma GCC unroll 3
      for (std::size_t i = 0; i < count; ++i) s[j][i] = _mm512_fmadd_pd(a[i], factor, s[j][i]);
    }
  }
#pragma GCC unroll 8
  for (std::size_t j = 0; j < panel; ++j) {
#pragma GCC unroll 3
    for (std::size_t i = 0; i < count; ++i) {
      double* to = sums[i] + j * panel;
      _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), s[j][i]));
    }
  }
}

bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return has;
}
bool has_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") != 0;
  return has;
}

#endif

}  // namespace

void pack_panel(const PanelColumn (&columns)[panel], std::size_t rows, const std::uint32_t* to, double* out) {
#ifdef SIGHTGLASS_BY_HAND
  if (has_avx2()) return pack_by_avx2(columns, rows, to, out);
#endif
  pack_plainly(columns, 0, rows, to, out);
}

void add_tiles(const Panels& panels, const double* b, std::size_t rows, double* const* sums) {
#ifdef SIGHTGLASS_BY_HAND
  if (has_avx512()) {
    if (panels.count == 3) return tiles_by_avx512<3>(panels, b, rows, sums);
    if (panels.count == 2) return tiles_by_avx512<2>(panels, b, rows, sums);
    return tiles_by_avx512<1>(panels, b, rows, sums);
  }
  const auto tile = has_avx2() ? tile_by_avx2 : tile_plainly;
#else
  const auto tile = tile_plainly;
#endif
  for (std::size_t i = 0; i < panels.count; ++i) tile(panels.first + i * panels.stride, b, rows, sums[i]);
}

}  // namespace sightglass
