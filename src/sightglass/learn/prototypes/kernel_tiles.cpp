#include "sightglass/learn/prototypes/kernel_tiles.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>

#include "sightglass/base/each_processor.h"

namespace sightglass {

namespace {

constexpr std::size_t lanes = 16;
constexpr std::size_t tile = 256;    // points of a block: two blocks of some 20 columns stay in the nearest caches
constexpr std::size_t together = 4;  // points on the left that meet those on the right at once
using Floats = float __attribute__((vector_size(lanes * sizeof(float)), aligned(lanes * sizeof(float))));
using Whole = std::int32_t __attribute__((vector_size(lanes * sizeof(float)), aligned(lanes * sizeof(float))));
constexpr std::size_t sums = swept.size();
constexpr double log2_e = 1.4426950408889634;
constexpr double largest_norm = 0.5;  // mean norm up to which products do
constexpr double fastest = 1e24;      // rate from which on only equal points are alike, and floats stay finite
constexpr float nowhere = -1000;      // log2 of what a place without a point adds

struct FreeAligned {
  void operator()(float* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<float, FreeAligned>;

// Numbers of a block of points, column by column, in units in which log2 t is
//   apart         − Σ (u − v)²
//   by products   Σ u v − |u|² / 2 − |v|² / 2: half the work, but what cancels out is lost
// summed over the first `numbers` columns, less `differs` for each of the others in which codes differ.
struct PointBlocks {
  std::size_t blocks = 0, columns = 0, numbers = 0;
  Memory values;   // [(block × columns + column) × tile + point]
  Memory weights;  // [block × tile + point]
  Memory starts;   // the same: − |u|² / 2 or 0, and `nowhere` behind the last point
  float differs = 0;
  bool by_products = false, weighted = false;

  [[nodiscard]] const float* of(std::size_t block) const { return values.get() + block * columns * tile; }
};

Memory floats(std::size_t count) {
  const std::size_t bytes = std::max<std::size_t>(1, count) * sizeof(float);
  auto* memory = static_cast<float*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, bytes);
  return Memory(memory);
}

// γ / 3 · |x|² · log2 e of the numbers of each point: how much there is to be lost.
std::vector<double> point_norms(const ScaledRows& rows, double gamma) {
  std::vector<double> norms(rows.size(), 0.0);
  for (std::size_t j = 0; j < rows.columns().size(); ++j) {
    if (rows.columns()[j].categorical) continue;
    const auto& values = rows.columns()[j].values;
    for (std::size_t point = 0; point < norms.size(); ++point) {
      const double value = values[rows.first_row(point)];
      const double scaled = std::isnan(value) ? 1 : rows.scales()[j].scaled(value);
      norms[point] += scaled * scaled;
    }
  }
  for (double& norm : norms) norm *= gamma * swept[0] * log2_e;
  return norms;
}

// By how much a mean can be off at the most. Of a pair, with δ = |u − v| and units of the last place:
//   a rounded number moves its point    2 δ (|u| + |v|) ≤ 4 δ |u| + 2 δ²
//   sums of squared differences         (columns + 3) δ²
//   of products                         (columns + 3) (|u| + |v|)² ≤ (columns + 3) (8 |u|² + 2 δ²)
// each times the power of t; the mean of k δ² is at most `steepest`, that of k δ at most the root of it times the
// mean's.
double error_of(const PointBlocks& blocks, std::size_t which, double mean, double norm) {
  constexpr double unit = 0x1p-24;
  constexpr double steepest = 0.36787944117144233;  // of x exp(−x)
  const double power = std::pow(3.0, static_cast<double>(which)), rate = power / log2_e;
  const auto columns = static_cast<double>(blocks.columns + 3);
  double off = 4 * std::sqrt(norm * rate * steepest * mean) + 2 * steepest;
  off += columns * (blocks.by_products ? 8 * norm * rate * mean + 2 * steepest : steepest);
  // An exponential is off by four, each cube by three times as much and two more; a tile's numbers are added in turn.
  off += (power * 6 + static_cast<double>(tile / together + lanes)) * mean;
  return unit * off;
}

PointBlocks blocks_of(const ScaledRows& rows, double gamma, const std::vector<double>& norms) {
  PointBlocks made;
  made.blocks = (rows.size() + tile - 1) / tile;
  const double rate = std::min(gamma * swept[0] * log2_e, fastest);
  made.differs = static_cast<float>(2 * rate);
  made.by_products =
      std::accumulate(norms.begin(), norms.end(), 0.0) <= largest_norm * static_cast<double>(rows.size());
  const double unit = std::sqrt(made.by_products ? 2 * rate : rate);
  const auto& columns = rows.columns();
  const auto& scales = rows.scales();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (!columns[j].categorical) made.numbers += (scales[j].sd > 0 ? 1U : 0U) + (scales[j].missing ? 1U : 0U);
    if (columns[j].categorical) ++made.columns;
  }
  made.columns += made.numbers;
  made.values = floats(made.blocks * made.columns * tile);
  made.weights = floats(made.blocks * tile);
  made.starts = floats(made.blocks * tile);
  std::size_t number = 0, code = made.numbers;
  const auto fill = [&](std::size_t column, auto value) {
    for (std::size_t point = 0; point < rows.size(); ++point) {
      made.values.get()[((point / tile) * made.columns + column) * tile + point % tile] = value(rows.first_row(point));
    }
  };
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const auto& values = columns[j].values;
    const ColumnScale& scale = scales[j];
    if (columns[j].categorical) {
      fill(code++,
           [&](std::uint32_t row) { return std::isnan(values[row]) ? -1.0F : static_cast<float>(values[row]); });
      continue;
    }
    if (scale.sd > 0) {
      fill(number++, [&](std::uint32_t row) {
        return std::isnan(values[row]) ? 0.0F : static_cast<float>(unit * scale.scaled(values[row]));
      });
    }
    if (scale.missing) {
      fill(number++, [&](std::uint32_t row) { return std::isnan(values[row]) ? static_cast<float>(unit) : 0.0F; });
    }
  }
  const double mean_weight = rows.total_weight() / static_cast<double>(rows.size());
  for (std::size_t point = 0; point < made.blocks * tile; ++point) {
    if (point >= rows.size()) {
      made.starts.get()[point] = nowhere;
      continue;
    }
    made.weights.get()[point] = static_cast<float>(rows.weight(point) / mean_weight);
    made.weighted = made.weighted || made.weights.get()[point] != 1.0F;
    if (!made.by_products) continue;
    // Of the numbers as they were rounded, so that a point is at 0 from itself.
    double square = 0;
    for (std::size_t j = 0; j < made.numbers; ++j) {
      const double value = made.of(point / tile)[j * tile + point % tile];
      square += value * value;
    }
    made.starts.get()[point] = static_cast<float>(-square / 2);
  }
  return made;
}

// What one tile adds to the sums of its points: floats, few enough of them.
struct TileSums {
  alignas(64) float left[sums][tile] = {};
  alignas(64) float right[sums][tile] = {};
};

// 2^x of x ≤ 0, at least 2^−126: a polynomial of what is left of the nearest whole number (relative error 2e-9), whose
// exponent is then set.
[[gnu::always_inline]] inline void exp2_of(Floats& x) {
  const Floats least = Floats{} - 126.0F, most = {};
  x = x > least ? x : least;
  x = x < most ? x : most;
  const Floats shift = Floats{} + 12582912.0F;  // 1.5 · 2^23: adding it rounds to whole numbers
  const Floats rounded = x + shift;
  const Floats rest = x - (rounded - shift);
  Floats series = Floats{} + 1.5353363216e-4F;
  series = series * rest + 1.3398874871e-3F;
  series = series * rest + 9.6184373570e-3F;
  series = series * rest + 5.5503324700e-2F;
  series = series * rest + 2.4022647914e-1F;
  series = series * rest + 6.9314720286e-1F;
  series = series * rest + 1.0F;
  const Whole exponent = reinterpret_cast<Whole>(rounded) << 23;
  x = reinterpret_cast<Floats>(reinterpret_cast<Whole>(series) + exponent);
}

struct Meeting {
  const float *left, *right, *left_starts, *right_starts, *left_weights, *right_weights;
  std::size_t columns, numbers;
  float differs;
};

// The first `count` points on the left against all on the right.
template <bool by_products, bool weighted>
[[gnu::always_inline]] inline void meet(const Meeting& of, std::size_t count, TileSums* out) {
  for (std::size_t i = 0; i < count; i += together) {
    Floats own[together][sums] = {};
    for (std::size_t k = 0; k < tile; k += lanes) {
      Floats t[together];
      const Floats start = *reinterpret_cast<const Floats*>(of.right_starts + k);
#pragma GCC unroll 4
      for (std::size_t l = 0; l < together; ++l) t[l] = start + of.left_starts[i + l];
      for (std::size_t j = 0; j < of.numbers; ++j) {
        const Floats column = *reinterpret_cast<const Floats*>(of.right + j * tile + k);
        const float* points = of.left + j * tile + i;
#pragma GCC unroll 4
        for (std::size_t l = 0; l < together; ++l) {
          if constexpr (by_products) {
            t[l] += column * points[l];
          } else {
            const Floats difference = column - points[l];
            t[l] -= difference * difference;
          }
        }
      }
      const Whole differs = reinterpret_cast<Whole>(Floats{} + of.differs);
      for (std::size_t j = of.numbers; j < of.columns; ++j) {
        const Floats column = *reinterpret_cast<const Floats*>(of.right + j * tile + k);
        const float* points = of.left + j * tile + i;
#pragma GCC unroll 4
        for (std::size_t l = 0; l < together; ++l) {
          const Whole added = (column != points[l]) & differs;
          t[l] -= reinterpret_cast<Floats>(added);
        }
      }
#pragma GCC unroll 4
      for (std::size_t l = 0; l < together; ++l) exp2_of(t[l]);
      const Floats weight = *reinterpret_cast<const Floats*>(of.right_weights + k);
      const float* weights = of.left_weights + i;
#pragma GCC unroll 3
      for (std::size_t s = 0; s < sums; ++s) {
        Floats& others = *reinterpret_cast<Floats*>(out->right[s] + k);
        if constexpr (weighted) {
          others += (t[0] * weights[0] + t[1] * weights[1]) + (t[2] * weights[2] + t[3] * weights[3]);
        } else {
          others += (t[0] + t[1]) + (t[2] + t[3]);
        }
#pragma GCC unroll 4
        for (std::size_t l = 0; l < together; ++l) {
          if constexpr (weighted) {
            own[l][s] += t[l] * weight;
          } else {
            own[l][s] += t[l];
          }
          if (s + 1 < sums) t[l] = t[l] * t[l] * t[l];
        }
      }
    }
    for (std::size_t l = 0; l < together; ++l) {
      for (std::size_t s = 0; s < sums; ++s) {
        for (std::size_t lane = 0; lane < lanes; ++lane) out->left[s][i + l] += own[l][s][lane];
      }
    }
  }
}

SIGHTGLASS_FOR_EACH_WIDTH
void add_tile(const Meeting* of, std::size_t count, bool by_products, bool weighted, TileSums* out) {
  if (by_products) {
    weighted ? meet<true, true>(*of, count, out) : meet<true, false>(*of, count, out);
  } else {
    weighted ? meet<false, true>(*of, count, out) : meet<false, false>(*of, count, out);
  }
}

// In each round every block meets one other, or, of an odd number, one block none: the circle method of tournaments.
std::pair<std::size_t, std::size_t> meeting(std::size_t round, std::size_t table, std::size_t players) {
  const std::size_t turning = players - 1;
  const std::size_t a = table == 0 ? turning : (round + table) % turning;
  const std::size_t b = table == 0 ? round % turning : (round + turning - table) % turning;
  return {a, b};
}

}  // namespace

TileMeans kernel_means_by_tiles(const ScaledRows& rows, double gamma, const Context& context) {
  TileMeans means;
  const std::vector<double> norms = point_norms(rows, gamma);
  const PointBlocks blocks = blocks_of(rows, gamma, norms);
  for (auto& each : means.means) each.assign(blocks.blocks * tile, 0.0);
  const auto meet_blocks = [&](std::size_t a, std::size_t b) {
    const auto found = std::make_unique<TileSums>();
    const Meeting of{.left = blocks.of(a),
                     .right = blocks.of(b),
                     .left_starts = blocks.starts.get() + a * tile,
                     .right_starts = blocks.starts.get() + b * tile,
                     .left_weights = blocks.weights.get() + a * tile,
                     .right_weights = blocks.weights.get() + b * tile,
                     .columns = blocks.columns,
                     .numbers = blocks.numbers,
                     .differs = blocks.differs};
    add_tile(&of, std::min(tile, rows.size() - a * tile), blocks.by_products, blocks.weighted, found.get());
    for (std::size_t s = 0; s < sums; ++s) {
      for (std::size_t i = 0; i < tile; ++i) {
        means.means[s][a * tile + i] += static_cast<double>(found->left[s][i]);
        // Within one block both sides are the same sums.
        if (a != b) means.means[s][b * tile + i] += static_cast<double>(found->right[s][i]);
      }
    }
  };
  context.parallel_for(blocks.blocks, [&](std::size_t block) { meet_blocks(block, block); });
  const std::size_t players = blocks.blocks + blocks.blocks % 2;
  for (std::size_t round = 0; round + 1 < players; ++round) {
    context.report({.task = "kernel", .done = round, .total = players - 1});
    context.parallel_for(players / 2, [&](std::size_t table) {
      const auto [a, b] = meeting(round, table, players);
      if (a < blocks.blocks && b < blocks.blocks) meet_blocks(std::min(a, b), std::max(a, b));
    });
  }
  const auto points = static_cast<double>(rows.size());  // weights were divided by their mean
  for (std::size_t s = 0; s < sums; ++s) {
    means.means[s].resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      means.means[s][i] /= points;
      means.errors[s].push_back(error_of(blocks, s, means.means[s][i], norms[i]));
    }
  }
  return means;
}

}  // namespace sightglass
