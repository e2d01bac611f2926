#include "sightglass/learn/linear/design.h"

#include <algorithm>
#include <cmath>

namespace sightglass {

namespace {

constexpr std::size_t block_rows = 4096;

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
  }
}

void Design::add_number(std::uint32_t feature, bool standardize) {
  const std::vector<double>& values = data_->features[feature].values;
  double there = 0, sum = 0, total = 0, largest = 0;
  for (std::size_t row = 0; row < values.size(); ++row) {
    const double w = data_->weight(row), x = values[row];
    total += w;
    if (std::isnan(x)) continue;
    there += w;
    largest = std::max(largest, std::abs(x));
  }
  // Scaled, so that the squares of very large numbers are finite.
  const double unit = largest > 0 ? largest : 1;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!std::isnan(values[row])) sum += data_->weight(row) * (values[row] / unit);
  }
  double mean = there > 0 ? sum / there : 0, square = 0, rest = 0;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (std::isnan(values[row])) continue;
    const double d = values[row] / unit - mean, w = data_->weight(row);
    square += w * d * d;
    rest += w * d;
  }
  if (there > 0) mean += rest / there;
  const double deviation = std::sqrt(square / total) * unit;
  // Below this a column differs from a constant by rounding alone.
  if (deviation > 1e-13 * largest) {
    columns_.push_back({.kind = DesignColumn::Kind::number,
                        .feature = feature,
                        .mean = mean * unit,
                        .deviation = deviation,
                        .centre = mean * unit,
                        .scale = standardize ? deviation : 1});
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
  } else {
    for (std::size_t r = 0; r < rows; ++r) out[r] = std::isnan(values[r]) ? 0 : (values[r] - made.centre) * factor;
  }
}

std::vector<double> times(const Design& design, std::span<const double> coefficients, const Context& context) {
  std::vector<double> sums(design.rows());
  context.parallel_for((design.rows() + block_rows - 1) / block_rows, [&](std::size_t block) {
    context.check();
    const std::size_t begin = block * block_rows, rows = std::min(block_rows, design.rows() - begin);
    double values[block_rows];
    for (std::size_t c = 0; c < design.size(); ++c) {
      if (coefficients[c] == 0 || design.columns()[c].kind == DesignColumn::Kind::level) continue;
      design.fill(c, begin, rows, values);
      for (std::size_t r = 0; r < rows; ++r) sums[begin + r] += coefficients[c] * values[r];
    }
    for (const Design::Levels& levels : design.levels()) {
      for (std::size_t r = 0; r < rows; ++r) {
        const std::int32_t c = levels.column[design.code(levels, begin + r)];
        if (c >= 0) sums[begin + r] += coefficients[static_cast<std::size_t>(c)] / design.columns()[c].scale;
      }
    }
  });
  return sums;
}

std::vector<double> column_sums(const Design& design, std::span<const double> amounts, const Context& context) {
  std::vector<double> sums(design.size());
  std::vector<std::uint32_t> dense;
  for (std::uint32_t c = 0; c < design.size(); ++c) {
    if (design.columns()[c].kind != DesignColumn::Kind::level) dense.push_back(c);
  }
  context.parallel_for(dense.size() + design.levels().size(), [&](std::size_t task) {
    context.check();
    if (task < dense.size()) {
      double values[block_rows], sum = 0;
      for (std::size_t begin = 0; begin < design.rows(); begin += block_rows) {
        const std::size_t rows = std::min(block_rows, design.rows() - begin);
        design.fill(dense[task], begin, rows, values);
        // Eight sums side by side, which the compiler turns into vectors.
        double part[8] = {};
        std::size_t r = 0;
        for (; r + 8 <= rows; r += 8) {
          for (std::size_t i = 0; i < 8; ++i) part[i] += values[r + i] * amounts[begin + r + i];
        }
        for (; r < rows; ++r) part[0] += values[r] * amounts[begin + r];
        for (const double p : part) sum += p;
      }
      sums[dense[task]] = sum;
      return;
    }
    const Design::Levels& levels = design.levels()[task - dense.size()];
    for (std::size_t row = 0; row < design.rows(); ++row) {
      const std::int32_t c = levels.column[design.code(levels, row)];
      if (c >= 0) sums[static_cast<std::size_t>(c)] += amounts[row];
    }
    for (const std::int32_t c : levels.column) {
      if (c >= 0) sums[static_cast<std::size_t>(c)] /= design.columns()[c].scale;
    }
  });
  return sums;
}

}  // namespace sightglass
