#include "sightglass/learn/linear/evaluation.h"

#include <algorithm>

namespace sightglass {

namespace {

// A task of the threads, and rows whose columns stay in the second cache.
constexpr std::size_t chunk_rows = 4096;
std::size_t block_rows(std::size_t columns) {
  return std::clamp<std::size_t>((1U << 16) / std::max<std::size_t>(1, columns), 512, chunk_rows);
}

std::vector<std::uint32_t> without_levels(const Design& design, std::span<const std::uint32_t> asked) {
  std::vector<std::uint32_t> dense;
  for (const std::uint32_t c : asked) {
    if (design.columns()[c].kind != DesignColumn::Kind::level) dense.push_back(c);
  }
  return dense;
}

// What a chunk adds: the loss, and of each output the sum of slopes and their sums by columns that are not levels.
struct Chunk {
  double loss = 0;
  std::vector<double> sums;
};

}  // namespace

Evaluation evaluate(const Design& design, const Outcomes& outcomes, std::span<const double> weights,
                    std::span<const double> intercepts, std::span<const double> coefficients,
                    std::span<const std::uint32_t> asked, const Context& context) {
  const std::size_t outputs = outcomes.outputs, rows = design.rows(), columns = design.size();
  const std::vector<std::uint32_t> dense = without_levels(design, asked);
  const std::size_t block = block_rows(dense.size());
  Evaluation found{.eta = std::vector<double>(outputs * rows),
                   .slopes = std::vector<double>(outputs * rows),
                   .gradient = std::vector<double>(outputs * columns),
                   .by_intercept = std::vector<double>(outputs)};
  std::vector<Chunk> chunks((rows + chunk_rows - 1) / chunk_rows);
  context.parallel_for(chunks.size(), [&](std::size_t chunk) {
    context.check();
    Chunk& sums = chunks[chunk];
    sums.sums.resize(outputs * (dense.size() + 1));
    const std::size_t end = std::min(rows, (chunk + 1) * chunk_rows);
    std::vector<double> eta, slopes;
    for (std::size_t begin = chunk * chunk_rows; begin < end; begin += block) {
      const std::size_t count = std::min(block, end - begin);
      eta.resize(outputs * count);
      for (std::size_t k = 0; k < outputs; ++k) {
        const auto own = std::span(eta).subspan(k * count, count);
        std::fill(own.begin(), own.end(), intercepts[k]);
        add_columns(design, coefficients.subspan(k * columns, columns), begin, own);
        std::copy(own.begin(), own.end(), found.eta.begin() + static_cast<std::ptrdiff_t>(k * rows + begin));
      }
      const Outcomes here{outcomes.distribution, outcomes.values.subspan(begin, count), outputs};
      sums.loss += derivatives(here, eta, weights.subspan(begin, count), slopes);
      for (std::size_t k = 0; k < outputs; ++k) {
        const auto own = std::span<const double>(slopes).subspan(k * count, count);
        double* to = sums.sums.data() + k * (dense.size() + 1);
        for (const double slope : own) to[0] += slope;
        for (std::size_t i = 0; i < dense.size(); ++i) to[1 + i] += column_product(design, dense[i], begin, own);
        std::copy(own.begin(), own.end(), found.slopes.begin() + static_cast<std::ptrdiff_t>(k * rows + begin));
      }
    }
  });
  for (const Chunk& chunk : chunks) {
    found.loss += chunk.loss;
    for (std::size_t k = 0; k < outputs; ++k) {
      const double* sums = chunk.sums.data() + k * (dense.size() + 1);
      found.by_intercept[k] += sums[0];
      for (std::size_t i = 0; i < dense.size(); ++i) found.gradient[k * columns + dense[i]] += sums[1 + i];
    }
  }
  if (dense.size() == asked.size()) return found;
  for (std::size_t k = 0; k < outputs; ++k) {
    level_sums(design, std::span<const double>(found.slopes).subspan(k * rows, rows),
               std::span(found.gradient).subspan(k * columns, columns), context);
  }
  return found;
}

void column_sums(const Design& design, std::span<const double> slopes, std::span<const std::uint32_t> asked,
                 std::span<double> sums, const Context& context) {
  const std::vector<std::uint32_t> dense = without_levels(design, asked);
  context.parallel_for(dense.size(), [&](std::size_t i) {
    context.check();
    sums[dense[i]] = column_product(design, dense[i], 0, slopes);
  });
  if (dense.size() < asked.size()) level_sums(design, slopes, sums, context);
}

}  // namespace sightglass
