#include "sightglass/learn/prototypes/kernel_tiles.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "sightglass/base/each_processor.h"

namespace sightglass {

namespace {

constexpr std::size_t lanes = 8;
constexpr std::size_t tile = 256;  // points of a block: two blocks of some 20 columns fit into the nearest cache
using Floats = float __attribute__((vector_size(lanes * sizeof(float)), aligned(lanes * sizeof(float))));
using Whole = std::int32_t __attribute__((vector_size(lanes * sizeof(float)), aligned(lanes * sizeof(float))));
constexpr std::size_t sums = swept.size();

struct FreeAligned {
  void operator()(float* memory) const { std::free(memory); }
};

// Numbers of a block of points, column by column: differences of the first `numbers` columns are squared, differing
// codes of the others add 2.
struct PointBlocks {
  std::size_t blocks = 0, columns = 0, numbers = 0;
  std::unique_ptr<float, FreeAligned> values;   // [(block × columns + column) × tile + point]
  std::unique_ptr<float, FreeAligned> weights;  // [block × tile + point]; 0 behind the last point

  [[nodiscard]] const float* of(std::size_t block) const { return values.get() + block * columns * tile; }
  [[nodiscard]] const float* weights_of(std::size_t block) const { return weights.get() + block * tile; }
};

std::unique_ptr<float, FreeAligned> floats(std::size_t count) {
  const std::size_t bytes = std::max<std::size_t>(1, count) * sizeof(float);
  auto* memory = static_cast<float*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, bytes);
  return std::unique_ptr<float, FreeAligned>(memory);
}

PointBlocks blocks_of(const ScaledRows& rows) {
  PointBlocks made;
  made.blocks = (rows.size() + tile - 1) / tile;
  const auto& columns = rows.columns();
  const auto& scales = rows.scales();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (!columns[j].categorical) made.numbers += (scales[j].sd > 0 ? 1U : 0U) + (scales[j].missing ? 1U : 0U);
    if (columns[j].categorical) ++made.columns;
  }
  made.columns += made.numbers;
  made.values = floats(made.blocks * made.columns * tile);
  made.weights = floats(made.blocks * tile);
  const double mean_weight = rows.total_weight() / static_cast<double>(rows.size());
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
        return std::isnan(values[row]) ? 0.0F : static_cast<float>(scale.scaled(values[row]));
      });
    }
    if (scale.missing) fill(number++, [&](std::uint32_t row) { return std::isnan(values[row]) ? 1.0F : 0.0F; });
  }
  for (std::size_t point = 0; point < rows.size(); ++point) {
    made.weights.get()[point] = static_cast<float>(rows.weight(point) / mean_weight);
  }
  return made;
}

// What one tile adds to the sums of its points: floats, few enough of them.
struct TileSums {
  alignas(64) float left[sums][tile] = {};
  alignas(64) float right[sums][tile] = {};
};

// 2^x of −126 ≤ x ≤ 0: Taylor's series of what is left of the nearest whole number, whose exponent is then set.
[[gnu::always_inline]] inline void exp2_of(Floats& x) {
  const Floats shift = Floats{} + 12582912.0F;  // 1.5 · 2^23: adding it rounds to whole numbers
  const Floats rounded = x + shift;
  const Floats rest = x - (rounded - shift);
  Floats series = Floats{} + 1.5252733804e-5F;
  series = series * rest + 1.5403530393e-4F;
  series = series * rest + 1.3333558146e-3F;
  series = series * rest + 9.6181291076e-3F;
  series = series * rest + 5.5504108665e-2F;
  series = series * rest + 2.4022650696e-1F;
  series = series * rest + 6.9314718056e-1F;
  series = series * rest + 1.0F;
  const Whole exponent = reinterpret_cast<Whole>(rounded) << 23;
  x = reinterpret_cast<Floats>(reinterpret_cast<Whole>(series) + exponent);
}

// The first `count` points of `left`, two at a time, against all of `right`. rate: −γ / 3 · log2(e).
SIGHTGLASS_FOR_EACH_PROCESSOR
void add_tile(const float* left, std::size_t count, const float* right, std::size_t columns, std::size_t numbers,
              const float* left_weights, const float* right_weights, float rate, TileSums* out) {
  for (std::size_t i = 0; i < count; i += 2) {
    Floats own[2][sums] = {};
    const Floats weight0 = Floats{} + left_weights[i], weight1 = Floats{} + left_weights[i + 1];
    for (std::size_t k = 0; k < tile; k += 2 * lanes) {
      Floats squares[2][2] = {};
      for (std::size_t j = 0; j < numbers; ++j) {
        const float* column = right + j * tile + k;
        const Floats first = *reinterpret_cast<const Floats*>(column);
        const Floats second = *reinterpret_cast<const Floats*>(column + lanes);
        const Floats a = Floats{} + left[j * tile + i], b = Floats{} + left[j * tile + i + 1];
        const Floats d00 = first - a, d01 = second - a, d10 = first - b, d11 = second - b;
        squares[0][0] += d00 * d00;
        squares[0][1] += d01 * d01;
        squares[1][0] += d10 * d10;
        squares[1][1] += d11 * d11;
      }
      const Whole two = reinterpret_cast<Whole>(Floats{} + 2.0F);
      for (std::size_t j = numbers; j < columns; ++j) {
        const float* column = right + j * tile + k;
        const Floats first = *reinterpret_cast<const Floats*>(column);
        const Floats second = *reinterpret_cast<const Floats*>(column + lanes);
        const Floats a = Floats{} + left[j * tile + i], b = Floats{} + left[j * tile + i + 1];
        const Whole d00 = (first != a) & two, d01 = (second != a) & two, d10 = (first != b) & two,
                    d11 = (second != b) & two;
        squares[0][0] += reinterpret_cast<Floats>(d00);
        squares[0][1] += reinterpret_cast<Floats>(d01);
        squares[1][0] += reinterpret_cast<Floats>(d10);
        squares[1][1] += reinterpret_cast<Floats>(d11);
      }
      for (std::size_t half = 0; half < 2; ++half) {
        const std::size_t at = k + half * lanes;
        const Floats weight = *reinterpret_cast<const Floats*>(right_weights + at);
        Floats t0 = squares[0][half] * rate, t1 = squares[1][half] * rate;
        const Floats least = Floats{} - 126.0F;
        t0 = t0 > least ? t0 : least;
        t1 = t1 > least ? t1 : least;
        exp2_of(t0);
        exp2_of(t1);
        for (std::size_t s = 0; s < sums; ++s) {
          own[0][s] += weight * t0;
          own[1][s] += weight * t1;
          Floats& others = *reinterpret_cast<Floats*>(out->right[s] + at);
          others += weight0 * t0 + weight1 * t1;
          t0 = t0 * t0 * t0;
          t1 = t1 * t1 * t1;
        }
      }
    }
    for (std::size_t s = 0; s < sums; ++s) {
      for (std::size_t l = 0; l < lanes; ++l) {
        out->left[s][i] += own[0][s][l];
        out->left[s][i + 1] += own[1][s][l];
      }
    }
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

KernelMeans kernel_means_by_tiles(const ScaledRows& rows, double gamma, const Context& context) {
  KernelMeans means;
  const PointBlocks blocks = blocks_of(rows);
  for (auto& each : means) each.assign(blocks.blocks * tile, 0.0);
  const auto rate = static_cast<float>(-gamma * swept[0] * 1.4426950408889634);
  const auto meet = [&](std::size_t a, std::size_t b) {
    const auto found = std::make_unique<TileSums>();
    const std::size_t count = std::min(tile, rows.size() - a * tile);
    add_tile(blocks.of(a), count, blocks.of(b), blocks.columns, blocks.numbers, blocks.weights_of(a),
             blocks.weights_of(b), rate, found.get());
    for (std::size_t s = 0; s < sums; ++s) {
      for (std::size_t i = 0; i < tile; ++i) {
        means[s][a * tile + i] += static_cast<double>(found->left[s][i]);
        // Within one block both sides are the same sums.
        if (a != b) means[s][b * tile + i] += static_cast<double>(found->right[s][i]);
      }
    }
  };
  context.parallel_for(blocks.blocks, [&](std::size_t block) { meet(block, block); });
  const std::size_t players = blocks.blocks + blocks.blocks % 2;
  for (std::size_t round = 0; round + 1 < players; ++round) {
    context.report({.task = "kernel", .done = round, .total = players - 1});
    context.parallel_for(players / 2, [&](std::size_t table) {
      const auto [a, b] = meeting(round, table, players);
      if (a < blocks.blocks && b < blocks.blocks) meet(std::min(a, b), std::max(a, b));
    });
  }
  const auto points = static_cast<double>(rows.size());  // weights were divided by their mean
  for (auto& each : means) {
    each.resize(rows.size());
    for (double& mean : each) mean /= points;
  }
  return means;
}

double tile_error(std::size_t columns, std::size_t which, double mean) {
  constexpr double unit = 0x1p-24;
  constexpr double steepest = 0.36787944117144233;  // of x exp(−x)
  // A distance is off by about `columns` units, an exponential by eight, and each cube by three times as much; the
  // numbers of a tile are added in lanes.
  const double power = std::pow(3.0, static_cast<double>(which));
  const double added = static_cast<double>(tile / lanes + lanes);
  return unit * (steepest * static_cast<double>(columns + 4) + (power * 12 + added) * mean);
}

}  // namespace sightglass
