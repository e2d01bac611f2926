#include "sightglass/methods/effects/accumulated/local_moves.h"

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
constexpr std::array<LocalMoves::Move, 1> edge_moves = {{{0, 1, 0}}};
constexpr std::array<LocalMoves::Move, 2> level_moves = {{{0, 1, -1}, {1, 2, 0}}};

// Integers up to here are the same number as a double.
constexpr double exact_integers = 9007199254740992.0;

}  // namespace

LocalMoves::LocalMoves(const FeatureGrid& grid) : column_(grid.column), between_(!grid.axis.is_categorical()) {
  for (const Scalar& value : grid.values) points_.push_back(value.number);
  if (between_) {
    std::vector<double> behind;
    for (const double point : points_) behind.push_back(std::nextafter(point, std::numeric_limits<double>::infinity()));
    behind_ = Ladder<double>(behind);
    return;
  }
  for (std::size_t point = 0; point < points_.size(); ++point) {
    const auto code = static_cast<std::size_t>(points_[point]);
    if (code >= place_of_level_.size()) place_of_level_.resize(code + 1, nowhere);
    place_of_level_[code] = static_cast<std::uint32_t>(point);
  }
}

void LocalMoves::locate(const RowBlock& block, std::span<std::uint32_t> places) const {
  if (this->places() == 0) {
    std::fill(places.begin(), places.end(), nowhere);
    return;
  }
  std::vector<double> values(block.rows);
  read_numbers(block.columns[column_], values);
  for (std::size_t row = 0; row < block.rows; ++row) {
    const double value = values[row];
    if (!between_) {
      const bool known = value >= 0 && value < static_cast<double>(place_of_level_.size());
      places[row] = known ? place_of_level_[static_cast<std::size_t>(value)] : nowhere;
      continue;
    }
    // Rows whose weight is too small to count may lie beyond the edges.
    const std::size_t edge = std::clamp<std::size_t>(behind_.reached(value), 1, steps());
    places[row] = std::isfinite(value) ? static_cast<std::uint32_t>(edge - 1) : nowhere;
  }
  if (block.weights.size == 0) return;
  read_numbers(block.weights, values);
  for (std::size_t row = 0; row < block.rows; ++row) {
    if (!(values[row] > 0)) places[row] = nowhere;
  }
}

std::span<const int> LocalMoves::shifts() const {
  return between_ ? std::span<const int>(edge_shifts) : std::span<const int>(level_shifts);
}

std::span<const LocalMoves::Move> LocalMoves::moves() const {
  return between_ ? std::span<const Move>(edge_moves) : std::span<const Move>(level_moves);
}

Column LocalMoves::moved(const RowBlock& block, std::span<const std::uint32_t> places, int shift) const {
  const ColumnView& base = block.columns[column_];
  // In the column's own type, so that a model which is given data frames sees the types it knows.
  const bool fits = std::all_of(points_.begin(), points_.end(), [](double p) { return std::abs(p) < exact_integers; });
  const bool floating = base.type == DType::float64 || base.type == DType::float32;
  const DType type = fits || floating ? base.type : DType::float64;
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> at_place(this->places());
    const auto last = static_cast<std::int64_t>(points_.size()) - 1;
    for (std::size_t place = 0; place < at_place.size(); ++place) {
      const auto point = std::clamp<std::int64_t>(static_cast<std::int64_t>(place) + shift, 0, last);
      at_place[place] = static_cast<T>(points_[static_cast<std::size_t>(point)]);
    }
    auto values = std::make_shared<std::vector<T>>(places.size());
    for (std::size_t row = 0; row < places.size(); ++row) {
      (*values)[row] = at_place[places[row] == nowhere ? 0 : places[row]];
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
