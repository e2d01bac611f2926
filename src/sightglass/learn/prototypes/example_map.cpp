#include "sightglass/learn/prototypes/example_map.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"

namespace sightglass {

namespace {

constexpr std::uint64_t map_stream = 0x6d61'7072'6f77;  // "maprow"
constexpr std::size_t most_levels_mapped = 24;          // of a category, the most frequent ones
constexpr std::size_t most_coordinates = 240;
constexpr std::size_t rows_mapped = 5000;  // that components are found from
constexpr std::size_t background_points = 800;
constexpr int iterations = 300;

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// To length 1; a vector of zeros stays.
void normalise(Vector& vector) {
  const double length = std::sqrt(dot(vector, vector));
  if (length > 0) std::for_each(vector.begin(), vector.end(), [&](double& each) { each /= length; });
}

Vector times(const std::vector<Vector>& matrix, const Vector& vector) {
  Vector product;
  for (const Vector& row : matrix) product.push_back(dot(row, vector));
  return product;
}

struct Component {
  Vector loadings;
  double variance = 0;
};

// The two leading eigenvectors of a covariance matrix, by orthogonal iteration from a fixed start.
std::array<Component, 2> components_of(const std::vector<Vector>& covariance) {
  const std::size_t size = covariance.size();
  std::array<Component, 2> found;
  for (std::size_t k = 0; k < 2; ++k) {
    found[k].loadings.resize(size);
    for (std::size_t j = 0; j < size; ++j) {
      found[k].loadings[j] = 1 + 0.37 * std::cos(static_cast<double>((j + 1) * (k + 1)));
    }
    normalise(found[k].loadings);
  }
  const auto apart = [&] {
    const double shared = dot(found[0].loadings, found[1].loadings);
    for (std::size_t j = 0; j < size; ++j) found[1].loadings[j] -= shared * found[0].loadings[j];
    normalise(found[1].loadings);
  };
  for (int i = 0; i < iterations; ++i) {
    for (Component& each : found) {
      each.loadings = times(covariance, each.loadings);
      normalise(each.loadings);
    }
    apart();
  }
  for (Component& each : found) each.variance = std::max(0.0, dot(each.loadings, times(covariance, each.loadings)));
  if (found[0].variance < found[1].variance) std::swap(found[0], found[1]);
  for (Component& each : found) {
    const auto largest = std::max_element(each.loadings.begin(), each.loadings.end(),
                                          [](double a, double b) { return std::abs(a) < std::abs(b) - 1e-9; });
    if (largest != each.loadings.end() && *largest < 0) {
      for (double& loading : each.loadings) loading = -loading;
    }
  }
  return found;
}

// At most `most` points, drawn at random, in their order.
std::vector<std::size_t> drawn_points(const ScaledRows& points, std::size_t most, std::uint64_t seed) {
  std::vector<std::size_t> all(points.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (all.size() <= most) return all;
  std::vector<std::pair<std::uint64_t, std::size_t>> keys;
  for (const std::size_t point : all) {
    keys.emplace_back(random_bits(seed, map_stream, points.first_row(point)), point);
  }
  std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(most), keys.end());
  all.clear();
  for (std::size_t i = 0; i < most; ++i) all.push_back(keys[i].second);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

double MapProjection::value(const Coordinate& coordinate, std::uint32_t row) const {
  const double own = points_.columns()[coordinate.column].values[row];
  switch (coordinate.kind) {
    case Kind::number: return std::isnan(own) ? 0 : points_.scales()[coordinate.column].scaled(own);
    case Kind::level: return (std::isnan(coordinate.level) ? std::isnan(own) : own == coordinate.level) ? 1 : 0;
    default: return std::isnan(own) ? 1 : 0;
  }
}

MapProjection::MapProjection(const ScaledRows& points, const std::vector<std::string>& names,
                             const std::vector<std::vector<std::string>>& levels, std::uint64_t seed,
                             const Context& context)
    : points_(points) {
  const std::vector<std::size_t> drawn = drawn_points(points, rows_mapped, seed);
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (coordinates_.size() >= most_coordinates) break;
    if (!points.columns()[j].categorical) {
      if (points.scales()[j].sd > 0) coordinates_.push_back({j, Kind::number, 0});
      if (points.scales()[j].missing) coordinates_.push_back({j, Kind::missing, 0});
      continue;
    }
    std::map<double, double> counts;  // missing: -1
    for (const std::size_t point : drawn) {
      const double own = points.columns()[j].values[points.first_row(point)];
      counts[std::isnan(own) ? -1 : own] += points.weight(point);
    }
    std::vector<std::pair<double, double>> order;
    for (const auto& [level, count] : counts) order.emplace_back(-count, level);
    std::sort(order.begin(), order.end());
    if (order.size() > most_levels_mapped) order.resize(most_levels_mapped);
    for (const auto& [count, level] : order) {
      coordinates_.push_back({j, Kind::level, level < 0 ? std::nan("") : level});
    }
  }
  const std::size_t size = coordinates_.size();
  double weight = 0;
  for (const std::size_t point : drawn) weight += points.weight(point);
  std::vector<Vector> values(size, Vector(drawn.size()));
  context.parallel_for(size, [&](std::size_t j) {
    double sum = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      values[j][i] = value(coordinates_[j], points.first_row(drawn[i]));
      sum += points.weight(drawn[i]) * values[j][i];
    }
    coordinates_[j].mean = sum / weight;
    for (double& each : values[j]) each -= coordinates_[j].mean;
  });
  std::vector<Vector> covariance(size, Vector(size));
  context.parallel_for(size, [&](std::size_t j) {
    for (std::size_t k = 0; k < size; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < drawn.size(); ++i) {
        sum += points.weight(drawn[i]) / weight * values[j][i] * values[k][i];
      }
      covariance[j][k] = sum;
    }
  });
  const std::array<Component, 2> components = components_of(covariance);
  double total = 0;
  for (std::size_t j = 0; j < size; ++j) {
    total += covariance[j][j];
    for (std::size_t k = 0; k < 2; ++k) coordinates_[j].loading[k] = components[k].loadings[j];
  }
  shown_ = total > 0 ? std::min(1.0, (components[0].variance + components[1].variance) / total) : 0;
  for (std::size_t k = 0; k < 2; ++k) {
    axes_[k] = k == 0 ? "component 1" : "component 2";
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto loading = [&](std::size_t j) { return std::abs(coordinates_[j].loading[k]); };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return loading(a) > loading(b) + 1e-9; });
    std::string words;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, size) && loading(order[i]) > 0.1; ++i) {
      const Coordinate& each = coordinates_[order[i]];
      char number[16];
      std::snprintf(number, sizeof number, "%+.2f ", each.loading[k]);
      words += (words.empty() ? "" : " ") + std::string(number) + printable(names[each.column], 30);
      if (each.kind == Kind::missing || (each.kind == Kind::level && std::isnan(each.level))) words += " missing";
      if (each.kind == Kind::level && !std::isnan(each.level)) {
        words += "=" + printable(levels[each.column][static_cast<std::size_t>(each.level)], 30);
      }
    }
    if (!words.empty()) axes_[k] += ": " + words;
  }
}

std::array<double, 2> MapProjection::at(std::uint32_t row) const {
  std::array<double, 2> place = {};
  for (const Coordinate& each : coordinates_) {
    const double centred = value(each, row) - each.mean;
    for (std::size_t k = 0; k < 2; ++k) place[k] += centred * each.loading[k];
  }
  return place;
}

void add_background(const ScaledRows& points, std::uint64_t seed,
                    const std::function<std::array<double, 2>(std::uint32_t)>& place,
                    const std::function<std::string(std::uint32_t)>& class_of, ExampleMap& map) {
  struct Place {
    double x, y;
    std::uint32_t row;
  };
  std::vector<Place> places;
  for (const std::size_t point : drawn_points(points, background_points, seed)) {
    const std::uint32_t row = points.first_row(point);
    const auto [x, y] = place(row);
    if (std::isfinite(x) && std::isfinite(y)) places.push_back({x, y, row});
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  for (const auto& [x, y, row] : places) {
    map.x.push_back(x);
    map.y.push_back(y);
    if (class_of) map.classes.push_back(class_of(row));
  }
}

}  // namespace sightglass
