#include "sightglass/methods/effects/accumulated/feature_bins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>

#include "sightglass/data/with_type_internal.h"

namespace sightglass {

namespace {

constexpr std::array<int, 2> edge_shifts = {0, 1};
constexpr std::array<int, 3> level_shifts = {-1, 0, 1};
constexpr std::array<FeatureBins::Difference, 1> edge_moves = {{{0, 1, 0}}};
constexpr std::array<FeatureBins::Difference, 2> level_moves = {{{0, 1, -1}, {1, 2, 0}}};

// Integers up to here are the same number as a double.
constexpr double exact_integers = 9007199254740992.0;

}  // namespace

FeatureBins::FeatureBins(const FeatureGrid& grid) : column_(grid.column), between_(!grid.axis.is_categorical()) {
  for (const Scalar& value : grid.values) points_.push_back(value.number);
  if (between_) {
    std::vector<double> behind;
    for (const double point : points_) behind.push_back(std::nextafter(point, std::numeric_limits<double>::infinity()));
    behind_ = BucketSearch<double>(behind);
    return;
  }
  for (std::size_t point = 0; point < points_.size(); ++point) {
    const auto code = static_cast<std::size_t>(points_[point]);
    if (code >= bin_of_level_.size()) bin_of_level_.resize(code + 1, nowhere);
    bin_of_level_[code] = static_cast<std::uint32_t>(point);
  }
}

void FeatureBins::locate(const RowBlock& block, std::span<std::uint32_t> bin_of_row) const {
  if (this->bins() == 0) {
    std::fill(bin_of_row.begin(), bin_of_row.end(), nowhere);
    return;
  }
  std::vector<double> values(block.rows);
  read_numbers(block.columns[column_], values);
  for (std::size_t row = 0; row < block.rows; ++row) {
    const double value = values[row];
    if (!between_) {
      const bool known = value >= 0 && value < static_cast<double>(bin_of_level_.size());
      bin_of_row[row] = known ? bin_of_level_[static_cast<std::size_t>(value)] : nowhere;
      continue;
    }
    // Rows whose weight is too small to count may lie beyond the edges.
    const std::size_t edge = std::clamp<std::size_t>(behind_.reached(value), 1, steps());
    bin_of_row[row] = std::isfinite(value) ? static_cast<std::uint32_t>(edge - 1) : nowhere;
  }
  if (block.weights.size == 0) return;
  read_numbers(block.weights, values);
  for (std::size_t row = 0; row < block.rows; ++row) {
    if (!(values[row] > 0)) bin_of_row[row] = nowhere;
  }
}

std::span<const int> FeatureBins::shifts() const {
  return between_ ? std::span<const int>(edge_shifts) : std::span<const int>(level_shifts);
}

std::span<const FeatureBins::Difference> FeatureBins::differences() const {
  return between_ ? std::span<const Difference>(edge_moves) : std::span<const Difference>(level_moves);
}

Column FeatureBins::shifted(const RowBlock& block, std::span<const std::uint32_t> bin_of_row, int shift) const {
  const ColumnView& base = block.columns[column_];
  // In the column's own type, so that a model which is given data frames sees the types it knows.
  const bool fits = std::all_of(points_.begin(), points_.end(), [](double p) { return std::abs(p) < exact_integers; });
  const bool floating = base.type == DType::float64 || base.type == DType::float32;
  const DType type = fits || floating ? base.type : DType::float64;
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> at_place(this->bins());
    const auto last = static_cast<std::int64_t>(points_.size()) - 1;
    for (std::size_t bin = 0; bin < at_place.size(); ++bin) {
      const auto point = std::clamp<std::int64_t>(static_cast<std::int64_t>(bin) + shift, 0, last);
      at_place[bin] = static_cast<T>(points_[static_cast<std::size_t>(point)]);
    }
    auto values = std::make_shared<std::vector<T>>(bin_of_row.size());
    for (std::size_t row = 0; row < bin_of_row.size(); ++row) {
      (*values)[row] = at_place[bin_of_row[row] == nowhere ? 0 : bin_of_row[row]];
    }
    ColumnView view{.type = type,
                    .data = values->data(),
                    .size = values->size(),
                    .stride = sizeof(T),
                    .dictionary = base.dictionary};
    return Column{view, values};
  });
}

}  // namespace sightglass
