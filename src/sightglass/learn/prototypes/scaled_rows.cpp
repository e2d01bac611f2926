#include "sightglass/learn/prototypes/scaled_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "sightglass/base/each_processor.h"
#include "sightglass/base/random.h"
#include "sightglass/numeric/distinct_rows.h"

namespace sightglass {

namespace {

constexpr std::uint64_t median_stream = 0x6d65'6469'616e;  // "median"

// All missing values are one, and so are both zeros.
std::uint64_t bits_of(double value) {
  if (std::isnan(value)) return ~std::uint64_t{0};
  return std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
}

ColumnScale scale_of(std::span<const double> values, std::span<const double> weights) {
  ColumnScale scale{.low = std::numeric_limits<double>::infinity(), .high = -std::numeric_limits<double>::infinity()};
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!(weights[row] > 0)) continue;
    if (std::isnan(values[row])) scale.missing = true;
    if (!std::isfinite(values[row])) continue;
    scale.low = std::min(scale.low, values[row]);
    scale.high = std::max(scale.high, values[row]);
  }
  // Numbers that are infinite or missing throughout do not spread.
  if (!(scale.low < scale.high)) {
    if (scale.low > scale.high) scale.low = scale.high = 0;
    scale.mean = scale.low;
    return scale;
  }
  // In units of their range, so that squares neither overflow nor vanish.
  const double middle = scale.low / 2 + scale.high / 2, half = scale.high / 2 - scale.low / 2;
  double weight = 0, sum = 0, squares = 0;
  const auto each = [&](auto add) {
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (!(weights[row] > 0) || std::isnan(values[row])) continue;
      add(weights[row], (std::clamp(values[row], scale.low, scale.high) - middle) / half);
    }
  };
  each([&](double w, double value) {
    weight += w;
    sum += w * value;
  });
  const double mean = sum / weight;
  each([&](double w, double value) { squares += w * (value - mean) * (value - mean); });
  scale.mean = middle + half * mean;
  scale.sd = half * std::sqrt(squares / weight);
  scale.inverse = 1 / scale.sd;
  return scale;
}

// Of numbers that stand one behind the other.
SIGHTGLASS_FOR_EACH_PROCESSOR
void add_squares(const double* values, std::size_t count, const ColumnScale* column, double own, double* out) {
  const double low = column->low, high = column->high, mean = column->mean, inverse = column->inverse;
  for (std::size_t i = 0; i < count; ++i) {
    double value = values[i];
    value = value < low ? low : value;
    value = value > high ? high : value;
    const double difference = (value - mean) * inverse - own;
    out[i] += difference * difference;
  }
}

// Of numbers of pairs (i, j > i) that are above 0, each weighted by both ends; 0 if there are none. In two looks: the
// leading bits of a number say which few have to be put in order.
double median_of_pairs(std::span<const double> squares, std::span<const double> weights) {
  const auto leading = [](double square) { return std::bit_cast<std::uint64_t>(square) >> 48U; };
  const auto each = [&](auto take) {
    const double* square = squares.data();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t j = i + 1; j < weights.size(); ++j, ++square) {
        if (*square > 0) take(*square, weights[i] * weights[j]);
      }
    }
  };
  std::vector<double> with_bits(std::size_t{1} << 15U);  // weight; numbers have no sign
  double total = 0, below = 0;
  each([&](double square, double weight) {
    with_bits[leading(square)] += weight;
    total += weight;
  });
  if (!(total > 0)) return 0;
  std::size_t middle = 0;
  while (middle + 1 < with_bits.size() && below + with_bits[middle] < total / 2) below += with_bits[middle++];
  std::vector<std::pair<double, double>> near;
  each([&](double square, double weight) {
    if (leading(square) == middle) near.emplace_back(square, weight);
  });
  std::sort(near.begin(), near.end());
  for (const auto& [square, weight] : near) {
    below += weight;
    if (below >= total / 2) return square;
  }
  return near.empty() ? 0 : near.back().first;
}

}  // namespace

double ColumnScale::scaled(double value) const { return (std::clamp(value, low, high) - mean) * inverse; }

std::vector<ColumnScale> column_scales(std::span<const PointColumn> columns, std::span<const double> weights) {
  std::vector<ColumnScale> scales;
  for (const PointColumn& column : columns) {
    scales.push_back(column.categorical ? ColumnScale{} : scale_of(column.values, weights));
  }
  return scales;
}

ScaledRows::ScaledRows(std::vector<PointColumn> columns, std::vector<ColumnScale> scales,
                       std::span<const std::uint32_t> rows, std::span<const double> weights, const Context& context)
    : columns_(std::move(columns)), scales_(std::move(scales)), of_row_(weights.size()) {
  std::vector<std::uint32_t> counted;
  for (const std::uint32_t row : rows) {
    if (weights[row] > 0) counted.push_back(row);
  }
  std::vector<std::span<const double>> values;
  for (const PointColumn& column : columns_) values.push_back(column.values);
  const std::vector<std::uint32_t> first = first_equal_rows(values, counted, context);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    const std::uint32_t row = counted[i];
    if (first[i] == row) {
      of_row_[row] = static_cast<std::uint32_t>(first_.size());
      first_.push_back(row);
      weights_.push_back(0);
    }
    of_row_[row] = of_row_[first[i]];
    weights_[of_row_[row]] += weights[row];
  }
  for (const double weight : weights_) total_ += weight;
}

void ScaledRows::squared_distances(std::uint32_t row, std::size_t first, std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  if (out.empty()) return;
  const std::uint32_t* points = first_.data() + first;
  // Where no row is equal to one before it, points are rows.
  const bool together = points[out.size() - 1] - points[0] == out.size() - 1;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const std::span<const double> values = columns_[j].values;
    const double own = values[row];
    const ColumnScale& scale = scales_[j];
    if (columns_[j].categorical) {
      const std::uint64_t level = bits_of(own);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += bits_of(values[points[i]]) != level ? 2.0 : 0.0;
    } else if (!scale.missing) {
      if (!(scale.sd > 0)) continue;
      const double here = scale.scaled(own);
      if (together) {
        add_squares(values.data() + points[0], out.size(), &scale, here, out.data());
        continue;
      }
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double difference = scale.scaled(values[points[i]]) - here;
        out[i] += difference * difference;
      }
    } else {
      const bool none = std::isnan(own);
      const double here = none ? 0 : scale.scaled(own);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const double value = values[points[i]];
        const bool other_none = std::isnan(value);
        const double difference = (other_none ? 0 : scale.scaled(value)) - here;
        out[i] += difference * difference + (none != other_none ? 1.0 : 0.0);
      }
    }
  }
}

double ScaledRows::squared_distance(std::uint32_t a, std::uint32_t b) const {
  double sum = 0;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const double first = columns_[j].values[a], second = columns_[j].values[b];
    if (columns_[j].categorical) {
      sum += bits_of(first) != bits_of(second) ? 2.0 : 0.0;
      continue;
    }
    const bool no_first = std::isnan(first), no_second = std::isnan(second);
    const double difference = (no_second ? 0 : scales_[j].scaled(second)) - (no_first ? 0 : scales_[j].scaled(first));
    sum += difference * difference + (no_first != no_second ? 1.0 : 0.0);
  }
  return sum;
}

double median_distance(const ScaledRows& rows, std::size_t most, std::uint64_t seed, const Context& context) {
  std::vector<std::pair<std::uint64_t, std::size_t>> drawn;
  for (std::size_t point = 0; point < rows.size(); ++point) {
    drawn.emplace_back(rows.size() > most ? random_bits(seed, median_stream, rows.first_row(point)) : 0, point);
  }
  if (drawn.size() > most) {
    std::nth_element(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(most), drawn.end());
    drawn.resize(most);
  }
  std::sort(drawn.begin(), drawn.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::size_t size = drawn.size();
  if (size < 2) return 0;
  // In memory of their own, one behind the other.
  std::vector<std::vector<double>> values(rows.columns().size());
  std::vector<PointColumn> columns = rows.columns();
  std::vector<double> weights;
  std::vector<std::uint32_t> places;
  for (std::size_t j = 0; j < values.size(); ++j) {
    for (const auto& [key, point] : drawn) values[j].push_back(columns[j].values[rows.first_row(point)]);
    columns[j].values = values[j];
  }
  for (const auto& [key, point] : drawn) {
    places.push_back(static_cast<std::uint32_t>(places.size()));
    weights.push_back(rows.weight(point) / rows.weight(drawn[0].second));  // 1 where all are alike
  }
  const ScaledRows some(std::move(columns), rows.scales(), places, weights, context);
  const auto begin_of = [size](std::size_t i) { return i * (size - 1) - i * (i - 1) / 2; };  // of pairs (i, j > i)
  std::vector<double> squares(size * (size - 1) / 2);
  context.parallel_for(size - 1, [&](std::size_t i) {
    some.squared_distances(places[i], i + 1, std::span(squares).subspan(begin_of(i), size - 1 - i));
  });
  context.check();
  return std::sqrt(median_of_pairs(squares, weights));
}

}  // namespace sightglass
