#include "sightglass/learn/linear/design.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/each_processor.h"

namespace sightglass {

namespace {

constexpr std::size_t design_block_rows = 4096;

SIGHTGLASS_FOR_EACH_PROCESSOR
void shift_and_scale(const double* values, std::size_t rows, double centre, double factor, double* out) {
  for (std::size_t r = 0; r < rows; ++r) out[r] = (values[r] - centre) * factor;
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void add_shifted(const double* values, std::size_t rows, double centre, double factor, double* sums) {
  for (std::size_t r = 0; r < rows; ++r) sums[r] += (values[r] - centre) * factor;
}

// Σ (value − centre) · amount; eight sums side by side, which the compiler turns into vectors.
SIGHTGLASS_FOR_EACH_PROCESSOR
double shifted_product(const double* values, const double* amounts, std::size_t rows, double centre) {
  double part[8] = {}, sum = 0;
  std::size_t r = 0;
  for (; r + 8 <= rows; r += 8) {
    for (std::size_t i = 0; i < 8; ++i) part[i] += (values[r + i] - centre) * amounts[r + i];
  }
  for (; r < rows; ++r) part[0] += (values[r] - centre) * amounts[r];
  for (const double p : part) sum += p;
  return sum;
}

// Of numbers without gaps, each of weight 1: Σ (value − centre) and Σ (value − centre)².
struct Moments {
  double sum = 0, square = 0;
};
SIGHTGLASS_FOR_EACH_PROCESSOR
Moments moments_of(const double* values, std::size_t rows, double centre) {
  double sums[8] = {}, squares[8] = {};
  std::size_t r = 0;
  for (; r + 8 <= rows; r += 8) {
    for (std::size_t i = 0; i < 8; ++i) {
      const double d = values[r + i] - centre;
      sums[i] += d;
      squares[i] += d * d;
    }
  }
  Moments moments;
  for (; r < rows; ++r) {
    moments.sum += values[r] - centre;
    moments.square += (values[r] - centre) * (values[r] - centre);
  }
  for (const double sum : sums) moments.sum += sum;
  for (const double square : squares) moments.square += square;
  return moments;
}

struct Spread {
  double mean = 0, deviation = 0;  // of the numbers that are there; the deviation with all others at the mean
  double largest = 0;              // without its sign
  double there = 0, total = 0;     // weights
};

Spread spread_of(const std::vector<double>& values, const TrainingData& data) {
  Spread spread;
  // Numbers of a usual size without gaps and weights are most of all. Around the mean of the first ones, which is near
  // enough to that of all for most, one pass is enough.
  if (data.weights.empty()) {
    const auto rows = static_cast<double>(values.size());
    const std::size_t first = std::min(values.size(), design_block_rows);
    double centre = moments_of(values.data(), first, 0).sum / static_cast<double>(first);
    Moments around = moments_of(values.data(), values.size(), centre);
    if (double off = around.sum / rows; off * off > 0.1 * around.square / rows) {
      centre += off;
      around = moments_of(values.data(), values.size(), centre);
    }
    const double off = around.sum / rows, square = around.square - around.sum * off;
    const double largest = std::abs(centre) + std::sqrt(around.square);
    if (largest < 1e150 && square > 1e-200) return {centre + off, std::sqrt(square / rows), largest, rows, rows};
  }
  for (std::size_t row = 0; row < values.size(); ++row) {
    spread.total += data.weight(row);
    if (std::isnan(values[row])) continue;
    spread.there += data.weight(row);
    spread.largest = std::max(spread.largest, std::abs(values[row]));
  }
  if (spread.there == 0) return spread;
  // Scaled, so that the squares of very large numbers are finite.
  const double unit = spread.largest > 0 ? spread.largest : 1;
  double sum = 0, rest = 0, square = 0;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!std::isnan(values[row])) sum += data.weight(row) * (values[row] / unit);
  }
  const double mean = sum / spread.there;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (std::isnan(values[row])) continue;
    const double d = values[row] / unit - mean, w = data.weight(row);
    square += w * d * d;
    rest += w * d;
  }
  spread.mean = (mean + rest / spread.there) * unit;
  spread.deviation = std::sqrt(square / spread.total) * unit;
  return spread;
}

}  // namespace

Design::Design(const TrainingData& data, const DesignOptions& options, const Context& context) : data_(&data) {
  for (std::uint32_t f = 0; f < data.features.size(); ++f) {
    context.check();
    const std::size_t before = columns_.size();
    if (data.features[f].info.categorical) {
      add_levels(f, options);
    } else {
      add_number(f, options.standardize);
    }
    if (columns_.size() == before) constant_.push_back(f);
    for (std::size_t c = before; c < columns_.size() && !data.features[f].info.categorical; ++c) {
      dense_.push_back(static_cast<std::uint32_t>(c));
    }
  }
}

void Design::add_number(std::uint32_t feature, bool standardize) {
  const auto [mean, deviation, largest, there, total] = spread_of(data_->features[feature].values, *data_);
  // Below this a column differs from a constant by rounding alone.
  if (deviation > 1e-13 * largest) {
    columns_.push_back({.kind = DesignColumn::Kind::number,
                        .feature = feature,
                        .mean = mean,
                        .deviation = deviation,
                        .centre = mean,
                        .scale = standardize ? deviation : 1,
                        .gaps = there < total});
  }
  if (there < total && there > 0) {
    const double share = 1 - there / total;
    const double spread = std::sqrt(share * (1 - share));
    columns_.push_back({.kind = DesignColumn::Kind::missing,
                        .feature = feature,
                        .mean = share,
                        .deviation = spread,
                        .scale = standardize ? spread : 1});
  }
}

void Design::add_levels(std::uint32_t feature, const DesignOptions& options) {
  const TrainingFeature& given = data_->features[feature];
  const std::size_t codes = given.info.levels.size() + 1;
  Levels levels{feature, std::vector<std::int32_t>(codes, -1)};
  std::vector<double> weights(codes);
  double total = 0;
  for (std::size_t row = 0; row < given.values.size(); ++row) {
    weights[code(levels, row)] += data_->weight(row);
    total += data_->weight(row);
  }
  const auto seen = std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; });
  if (seen < 2) return;
  bool skip = !options.first_level;
  for (std::uint32_t c = 0; c < codes; ++c) {
    if (weights[c] == 0) continue;
    if (skip) {
      skip = false;
      continue;
    }
    const double share = weights[c] / total, spread = std::sqrt(share * (1 - share));
    levels.column[c] = static_cast<std::int32_t>(columns_.size());
    columns_.push_back({.kind = DesignColumn::Kind::level,
                        .feature = feature,
                        .level = c,
                        .mean = share,
                        .deviation = spread,
                        .scale = options.standardize && !options.grouped ? spread : 1});
  }
  levels_.push_back(std::move(levels));
}

void Design::fill(std::size_t column, std::size_t begin, std::size_t rows, double* out) const {
  const DesignColumn& made = columns_[column];
  const double* values = data_->features[made.feature].values.data() + begin;
  const double factor = 1 / made.scale;
  if (made.kind == DesignColumn::Kind::missing) {
    for (std::size_t r = 0; r < rows; ++r) out[r] = std::isnan(values[r]) ? factor : 0;
    return;
  }
  shift_and_scale(values, rows, made.centre, factor, out);
  if (!made.gaps) return;
  for (std::size_t r = 0; r < rows; ++r) out[r] = std::isnan(out[r]) ? 0 : out[r];
}

void add_columns(const Design& design, std::span<const double> coefficients, std::size_t begin,
                 std::span<double> sums) {
  double values[design_block_rows];
  for (const std::uint32_t c : design.dense()) {
    const DesignColumn& column = design.columns()[c];
    if (coefficients[c] == 0) continue;
    if (const double* own = design.as_it_is(c)) {
      add_shifted(own + begin, sums.size(), column.centre, coefficients[c] / column.scale, sums.data());
      continue;
    }
    for (std::size_t at = 0; at < sums.size(); at += design_block_rows) {
      const std::size_t rows = std::min(design_block_rows, sums.size() - at);
      design.fill(c, begin + at, rows, values);
      add_shifted(values, rows, 0, coefficients[c], sums.data() + at);
    }
  }
  for (const Design::Levels& levels : design.levels()) {
    for (std::size_t r = 0; r < sums.size(); ++r) {
      const std::int32_t c = levels.column[design.code(levels, begin + r)];
      if (c >= 0) sums[r] += coefficients[static_cast<std::size_t>(c)] / design.columns()[c].scale;
    }
  }
}

std::vector<double> times(const Design& design, std::span<const double> coefficients, const Context& context) {
  std::vector<double> sums(design.rows());
  context.parallel_for((design.rows() + design_block_rows - 1) / design_block_rows, [&](std::size_t block) {
    context.check();
    const std::size_t begin = block * design_block_rows, rows = std::min(design_block_rows, design.rows() - begin);
    add_columns(design, coefficients, begin, std::span(sums).subspan(begin, rows));
  });
  return sums;
}

double column_product(const Design& design, std::size_t column, std::size_t begin, std::span<const double> amounts) {
  const DesignColumn& made = design.columns()[column];
  if (const double* own = design.as_it_is(column)) {
    return shifted_product(own + begin, amounts.data(), amounts.size(), made.centre) / made.scale;
  }
  double values[design_block_rows], sum = 0;
  for (std::size_t at = 0; at < amounts.size(); at += design_block_rows) {
    const std::size_t rows = std::min(design_block_rows, amounts.size() - at);
    design.fill(column, begin + at, rows, values);
    sum += shifted_product(values, amounts.data() + at, rows, 0);
  }
  return sum;
}

void level_sums(const Design& design, std::span<const double> amounts, std::span<double> sums, const Context& context) {
  context.parallel_for(design.levels().size(), [&](std::size_t index) {
    context.check();
    const Design::Levels& levels = design.levels()[index];
    for (const std::int32_t c : levels.column) {
      if (c >= 0) sums[static_cast<std::size_t>(c)] = 0;
    }
    for (std::size_t row = 0; row < design.rows(); ++row) {
      const std::int32_t c = levels.column[design.code(levels, row)];
      if (c >= 0) sums[static_cast<std::size_t>(c)] += amounts[row];
    }
    for (const std::int32_t c : levels.column) {
      if (c >= 0) sums[static_cast<std::size_t>(c)] /= design.columns()[c].scale;
    }
  });
}

}  // namespace sightglass
