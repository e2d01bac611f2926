#include "sightglass/learn/linear/gram.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#if defined(__x86_64__) && !defined(SIGHTGLASS_PLAIN_KERNELS)
#include <immintrin.h>
#endif

namespace sightglass {

namespace {

constexpr std::size_t block_rows = 2048;
// Rows that are summed before their sum is added: what two panels have of them fits the nearest caches.
constexpr std::size_t tile_rows = 512;
// Columns that stand side by side, row by row, so that one load takes four of them.
constexpr std::size_t panel = 12;

// sums[column of a][column of b] += Σ over rows, for 12 × 4 columns. Fused, also where no instruction does it: so all
// processors find the same.
void tile_plainly(const double* a, const double* b, std::size_t rows, double* sums, std::size_t stride) {
  double s[panel][4] = {};
  for (std::size_t row = 0; row < rows; ++row, a += panel, b += panel) {
    for (std::size_t i = 0; i < panel; ++i) {
      for (std::size_t j = 0; j < 4; ++j) s[i][j] = std::fma(a[i], b[j], s[i][j]);
    }
  }
  for (std::size_t i = 0; i < panel; ++i) {
    for (std::size_t j = 0; j < 4; ++j) sums[i * stride + j] += s[i][j];
  }
}

#if defined(__x86_64__) && !defined(SIGHTGLASS_PLAIN_KERNELS)
__attribute__((target("avx2,fma"))) void tile_by_hand(const double* a, const double* b, std::size_t rows, double* sums,
                                                      std::size_t stride) {
  __m256d s[4][3];
  for (auto& column : s) {
    for (auto& part : column) part = _mm256_setzero_pd();
  }
  for (std::size_t row = 0; row < rows; ++row, a += panel, b += panel) {
    const __m256d a0 = _mm256_loadu_pd(a), a1 = _mm256_loadu_pd(a + 4), a2 = _mm256_loadu_pd(a + 8);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const __m256d factor = _mm256_broadcast_sd(b + j);
      s[j][0] = _mm256_fmadd_pd(a0, factor, s[j][0]);
      s[j][1] = _mm256_fmadd_pd(a1, factor, s[j][1]);
      s[j][2] = _mm256_fmadd_pd(a2, factor, s[j][2]);
    }
  }
  for (std::size_t j = 0; j < 4; ++j) {
    for (std::size_t i = 0; i < panel; ++i) sums[i * stride + j] += s[j][i / 4][i % 4];
  }
}

void tile(const double* a, const double* b, std::size_t rows, double* sums, std::size_t stride) {
  static const bool can = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  can ? tile_by_hand(a, b, rows, sums, stride) : tile_plainly(a, b, rows, sums, stride);
}
#else
void tile(const double* a, const double* b, std::size_t rows, double* sums, std::size_t stride) {
  tile_plainly(a, b, rows, sums, stride);
}
#endif

// One pass over the rows. Columns of numbers stand first, filled up to whole panels, levels behind them.
class Summing {
 public:
  Summing(const Design& design, const ProductRequest& request);
  void add_block(std::size_t begin, std::size_t rows, const Context& context);
  [[nodiscard]] std::vector<Products> sums() const;

 private:
  struct Coded {
    const Design::Levels* levels;
    std::vector<std::int32_t> place;      // of each code among all places; -1: not asked for
    std::vector<std::int32_t> here = {};  // of each row of the block
  };

  void order_rows(std::size_t begin, std::size_t rows);
  void pack(std::size_t p);
  void add_panels(std::size_t p, std::size_t q);
  void add_codes(std::size_t coded);
  [[nodiscard]] double* sums_of(std::size_t part) { return sums_.data() + part * stride_ * stride_; }

  const Design& design_;
  const ProductRequest& request_;
  std::vector<std::int32_t> numbers_;  // request's columns, or -1 - index for those besides
  std::vector<Coded> coded_;
  std::vector<std::size_t> place_;  // of each of the request's columns
  std::size_t panels_ = 0, stride_ = 0;
  std::vector<double> sums_;  // [part][place × stride + place], lower half
  // Of the block:
  std::size_t begin_ = 0;
  std::vector<std::uint32_t> rows_;      // by part, in their order
  std::vector<std::size_t> part_begin_;  // in rows_
  std::vector<double> weights_, packed_, weighted_;
};

Summing::Summing(const Design& design, const ProductRequest& request) : design_(design), request_(request) {
  for (std::size_t i = 0; i < request.more.size(); ++i) {
    place_.push_back(numbers_.size());
    numbers_.push_back(-1 - static_cast<std::int32_t>(i));
  }
  std::vector<std::int32_t> asked(design.size(), -1);
  for (const std::uint32_t c : request.columns) {
    asked[c] = static_cast<std::int32_t>(place_.size());
    place_.push_back(0);
    if (design.columns()[c].kind == DesignColumn::Kind::level) continue;
    place_.back() = numbers_.size();
    numbers_.push_back(static_cast<std::int32_t>(c));
  }
  panels_ = (numbers_.size() + panel - 1) / panel;
  stride_ = panels_ * panel;
  for (const Design::Levels& levels : design.levels()) {
    Coded coded{&levels, std::vector<std::int32_t>(levels.column.size(), -1)};
    bool any = false;
    for (std::size_t code = 0; code < levels.column.size(); ++code) {
      const std::int32_t c = levels.column[code];
      if (c < 0 || asked[static_cast<std::size_t>(c)] < 0) continue;
      coded.place[code] = static_cast<std::int32_t>(stride_);
      place_[static_cast<std::size_t>(asked[static_cast<std::size_t>(c)])] = stride_++;
      any = true;
    }
    if (any) coded_.push_back(std::move(coded));
  }
  sums_.resize(request.part_count * stride_ * stride_);
  packed_.resize(panels_ * panel * block_rows);
  if (!request.weights.empty()) weighted_.resize(packed_.size());
}

// Rows of a part become neighbours.
void Summing::order_rows(std::size_t begin, std::size_t rows) {
  begin_ = begin;
  part_begin_.assign(request_.part_count + 1, 0);
  rows_.resize(rows);
  if (request_.parts.empty()) {
    std::iota(rows_.begin(), rows_.end(), 0U);
    part_begin_[1] = rows;
  } else {
    for (std::size_t r = 0; r < rows; ++r) ++part_begin_[request_.parts[begin + r] + 1];
    std::partial_sum(part_begin_.begin(), part_begin_.end(), part_begin_.begin());
    std::vector<std::size_t> next(part_begin_);
    for (std::size_t r = 0; r < rows; ++r) rows_[next[request_.parts[begin + r]]++] = static_cast<std::uint32_t>(r);
  }
  weights_.assign(rows, 1.0);
  if (request_.weights.empty()) return;
  for (std::size_t i = 0; i < rows; ++i) weights_[i] = request_.weights[begin + rows_[i]];
}

void Summing::pack(std::size_t p) {
  double column[panel][block_rows];
  const std::size_t rows = rows_.size(), used = std::min(panel, numbers_.size() - p * panel);
  for (std::size_t c = 0; c < used; ++c) {
    const std::int32_t number = numbers_[p * panel + c];
    if (number >= 0) {
      design_.fill(static_cast<std::size_t>(number), begin_, rows, column[c]);
    } else {
      std::copy_n(request_.more[static_cast<std::size_t>(-1 - number)].data() + begin_, rows, column[c]);
    }
  }
  double* out = packed_.data() + p * panel * block_rows;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < used; ++c) out[i * panel + c] = column[c][rows_[i]];
  }
  if (weighted_.empty()) return;
  double* weighted = weighted_.data() + p * panel * block_rows;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t c = 0; c < panel; ++c) weighted[i * panel + c] = weights_[i] * out[i * panel + c];
  }
}

void Summing::add_panels(std::size_t p, std::size_t q) {
  const double* a = (weighted_.empty() ? packed_ : weighted_).data() + p * panel * block_rows;
  const double* b = packed_.data() + q * panel * block_rows;
  for (std::size_t part = 0; part < request_.part_count; ++part) {
    double* to = sums_of(part) + p * panel * stride_ + q * panel;
    for (std::size_t i = part_begin_[part]; i < part_begin_[part + 1]; i += tile_rows) {
      const std::size_t rows = std::min(tile_rows, part_begin_[part + 1] - i);
      for (std::size_t c = 0; c < panel; c += 4) tile(a + i * panel, b + i * panel + c, rows, to + c, stride_);
    }
  }
}

// A feature's levels by all numbers, by the levels of the features before it, and by themselves.
void Summing::add_codes(std::size_t index) {
  const Coded& coded = coded_[index];
  for (std::size_t part = 0; part < request_.part_count; ++part) {
    double* sums = sums_of(part);
    for (std::size_t i = part_begin_[part]; i < part_begin_[part + 1]; ++i) {
      const std::int32_t place = coded.here[rows_[i]];
      if (place < 0) continue;
      double* row = sums + static_cast<std::size_t>(place) * stride_;
      const double w = weights_[i];
      for (std::size_t p = 0; p < panels_; ++p) {
        const double* values = packed_.data() + p * panel * block_rows + i * panel;
        for (std::size_t c = 0; c < panel; ++c) row[p * panel + c] += w * values[c];
      }
      for (std::size_t other = 0; other < index; ++other) {
        const std::int32_t there = coded_[other].here[rows_[i]];
        if (there >= 0) row[there] += w;
      }
      row[place] += w;
    }
  }
}

void Summing::add_block(std::size_t begin, std::size_t rows, const Context& context) {
  order_rows(begin, rows);
  context.parallel_for(panels_ + coded_.size(), [&](std::size_t task) {
    if (task < panels_) return pack(task);
    Coded& coded = coded_[task - panels_];
    coded.here.resize(rows);
    for (std::size_t r = 0; r < rows; ++r) coded.here[r] = coded.place[design_.code(*coded.levels, begin + r)];
  });
  const std::size_t pairs = panels_ * (panels_ + 1) / 2;
  context.parallel_for(pairs + coded_.size(), [&](std::size_t task) {
    if (task >= pairs) return add_codes(task - pairs);
    std::size_t p = 0;
    while ((p + 1) * (p + 2) / 2 <= task) ++p;
    add_panels(p, task - p * (p + 1) / 2);
  });
}

std::vector<Products> Summing::sums() const {
  const std::size_t size = place_.size(), besides = request_.more.size();
  std::vector<double> factor(size, 1.0);
  for (std::size_t i = besides; i < size; ++i) {
    const DesignColumn& column = design_.columns()[request_.columns[i - besides]];
    if (column.kind == DesignColumn::Kind::level) factor[i] = 1 / column.scale;
  }
  std::vector<Products> parts(request_.part_count);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const double* sums = sums_.data() + part * stride_ * stride_;
    parts[part] = {size, std::vector<double>(size * size)};
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        const std::size_t row = std::max(place_[i], place_[j]), column = std::min(place_[i], place_[j]);
        parts[part].sums[i * size + j] = sums[row * stride_ + column] * (factor[i] * factor[j]);
      }
    }
  }
  return parts;
}

}  // namespace

std::vector<Products> sums_of_products(const Design& design, const ProductRequest& request, const Context& context) {
  Summing summing(design, request);
  for (std::size_t begin = 0; begin < design.rows(); begin += block_rows) {
    context.check();
    summing.add_block(begin, std::min(block_rows, design.rows() - begin), context);
  }
  return summing.sums();
}

}  // namespace sightglass
