#include "sightglass/model/learned/neighbors/neighbor_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/base/each_processor.h"
#include "sightglass/numeric/distinct_rows.h"
#include "sightglass/numeric/tied.h"

namespace sightglass {

namespace {

constexpr std::size_t lanes = 16, tile = 256;
constexpr std::size_t queries_at_once = 32;
constexpr float far_away = 1e30F;
constexpr double farthest = 1e15;  // in units of the range: beyond, double does not tell rows apart
using Floats = float __attribute__((vector_size(lanes * sizeof(float)), aligned(sizeof(float))));
using Whole = std::int32_t __attribute__((vector_size(lanes * sizeof(float)), aligned(sizeof(float))));

// A feature of one query, ready for a tile.
struct QueryFeature {
  const float* values;   // of the tile's first row
  const float* present;  // null: all rows have one
  float own;
  bool categorical;
};

// Sums of what features differ by and, where rows miss some, divided by how many both have. Without a feature: far
// away.
SIGHTGLASS_FOR_EACH_WIDTH
void tile_distances(const QueryFeature* features, std::size_t count, bool counted, float scale, float* out) {
  const Whole sign = Whole{} + 0x7fffffff;
  const Whole one = reinterpret_cast<Whole>(Floats{} + 1.0F);
  for (std::size_t at = 0; at < tile; at += 2 * lanes) {
    Floats sum0 = {}, sum1 = {}, both0 = {}, both1 = {};
    for (std::size_t j = 0; j < count; ++j) {
      const QueryFeature& feature = features[j];
      const Floats own = Floats{} + feature.own;
      const Floats first = *reinterpret_cast<const Floats*>(feature.values + at);
      const Floats second = *reinterpret_cast<const Floats*>(feature.values + at + lanes);
      Floats apart0, apart1;
      if (feature.categorical) {
        apart0 = reinterpret_cast<Floats>((first != own) & one);
        apart1 = reinterpret_cast<Floats>((second != own) & one);
      } else {
        apart0 = reinterpret_cast<Floats>(reinterpret_cast<Whole>(first - own) & sign);
        apart1 = reinterpret_cast<Floats>(reinterpret_cast<Whole>(second - own) & sign);
      }
      if (!counted) {
        sum0 += apart0;
        sum1 += apart1;
        continue;
      }
      const Floats all = Floats{} + 1.0F;
      const Floats has0 = feature.present == nullptr ? all : *reinterpret_cast<const Floats*>(feature.present + at);
      const Floats has1 =
          feature.present == nullptr ? all : *reinterpret_cast<const Floats*>(feature.present + at + lanes);
      sum0 += apart0 * has0;
      sum1 += apart1 * has1;
      both0 += has0;
      both1 += has1;
    }
    if (counted) {
      const Floats none = Floats{} + far_away;
      sum0 = both0 > 0.0F ? sum0 / both0 : none;
      sum1 = both1 > 0.0F ? sum1 / both1 : none;
    } else {
      sum0 *= scale;
      sum1 *= scale;
    }
    *reinterpret_cast<Floats*>(out + at) = sum0;
    *reinterpret_cast<Floats*>(out + at + lanes) = sum1;
  }
}

SIGHTGLASS_FOR_EACH_WIDTH
float least_of(const float* numbers) {
  Floats least = *reinterpret_cast<const Floats*>(numbers);
  for (std::size_t at = lanes; at < tile; at += lanes) {
    const Floats each = *reinterpret_cast<const Floats*>(numbers + at);
    least = each < least ? each : least;
  }
  float found = least[0];
  for (std::size_t l = 1; l < lanes; ++l) found = std::min(found, least[l]);
  return found;
}

// Points that may be among the nearest of one query: those that float does not exclude, and of these, where many are
// left, the nearest in double. Of points that are equally far the lowest stay, so that ties never pile up.
class Candidates {
 public:
  // wanted: how many points are enough; slack: by how much two distances in float can be off.
  Candidates(std::size_t wanted, float slack) : wanted_(wanted), slack_(slack) {}

  [[nodiscard]] float limit() const { return limit_; }  // what is farther is out of the question

  // Of a tile. measure(point): its distance in double.
  void take(const float* distances, const std::uint32_t* points, std::size_t count, const auto& measure) {
    std::size_t taken = points_.size();
    points_.resize(taken + count);
    // Who comes in is not foreseen: every one is written down, and those that do not are written over.
    for (std::size_t i = 0; i < count; ++i) {
      points_[taken] = {.rough = distances[i], .point = points[i]};
      taken += distances[i] <= limit_ ? 1 : 0;
    }
    points_.resize(taken);
    if (taken < 2 * wanted_ + room) return;
    lower_limit();
    if (points_.size() >= 2 * wanted_ + room) keep_wanted(measure);
  }
  // Distances and points, the nearest first.
  [[nodiscard]] std::vector<std::pair<double, std::uint32_t>> sorted(const auto& measure) && {
    if (points_.size() > wanted_) lower_limit();
    keep_wanted(measure);
    std::vector<std::pair<double, std::uint32_t>> found;
    for (const Point& each : points_) found.emplace_back(each.distance, each.point);
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  static constexpr std::size_t room = 64;
  struct Point {
    float rough = 0;
    std::uint32_t point = 0;
    double distance = -1;  // not measured yet
  };

  // To what is as far as the last of those that are enough.
  void lower_limit() {
    roughs_.clear();
    for (const Point& each : points_) roughs_.push_back(each.rough);
    const auto last = roughs_.begin() + static_cast<std::ptrdiff_t>(wanted_ - 1);
    std::nth_element(roughs_.begin(), last, roughs_.end());
    limit_ = std::min(limit_, *last + slack_);
    std::erase_if(points_, [this](const Point& each) { return each.rough > limit_; });
  }
  void keep_wanted(const auto& measure) {
    for (Point& each : points_) {
      if (each.distance < 0) each.distance = measure(each.point);
    }
    if (points_.size() <= wanted_) return;
    const auto last = points_.begin() + static_cast<std::ptrdiff_t>(wanted_);
    std::nth_element(points_.begin(), last - 1, points_.end(), [](const Point& a, const Point& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.point < b.point;
    });
    points_.erase(last, points_.end());
  }

  std::size_t wanted_;
  float slack_, limit_ = std::numeric_limits<float>::infinity();
  std::vector<float> roughs_;
  std::vector<Point> points_;
};

}  // namespace

std::vector<bool> categorical_features(const Signature& signature) {
  std::vector<bool> categorical;
  for (const FeatureInfo& feature : signature.features) categorical.push_back(feature.categorical);
  return categorical;
}

double NeighborSearch::TileFeature::scaled(double value) const {
  return categorical ? value : (value - middle) / range;
}

bool NeighborSearch::TileFeature::counts(double value) const {
  return categorical ? !std::isnan(value) : std::abs(scaled(value)) <= farthest;
}

bool NeighborSearch::counts(std::size_t feature, double value) const {
  const auto found = std::find_if(features_.begin(), features_.end(),
                                  [&](const TileFeature& each) { return each.feature == feature; });
  return found != features_.end() && found->counts(value);
}

NeighborSearch::NeighborSearch(const NeighborStructure& structure, std::vector<bool> categorical)
    : structure_(structure), categorical_(std::move(categorical)), rows_(structure.outcome.size()) {
  for (std::size_t j = 0; j < structure.values.size(); ++j) {
    if (!(structure.ranges[j] > 0)) continue;
    const auto& values = structure.values[j];
    TileFeature& feature = features_.emplace_back();
    feature.feature = j;
    feature.column = columns_++;
    feature.categorical = categorical_[j];
    if (!feature.categorical) {
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (const double value : values) {
        low = std::min(low, std::isnan(value) ? low : value);
        high = std::max(high, std::isnan(value) ? high : value);
      }
      feature.middle = low <= high ? low / 2 + high / 2 : 0;
      feature.range = structure.ranges[j];
    }
    if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
      feature.present = columns_++;
  }
  find_points();
  order_points();
  const std::size_t tiles = (order_.size() + tile - 1) / tile;
  tiles_.assign(tiles * columns_ * tile, 0.0F);
  low_.assign(tiles * features_.size(), std::numeric_limits<float>::infinity());
  high_.assign(tiles * features_.size(), -std::numeric_limits<float>::infinity());
  for (std::size_t f = 0; f < features_.size(); ++f) {
    const TileFeature& feature = features_[f];
    any_missing_ = any_missing_ || feature.present > 0;
    for (std::size_t place = 0; place < order_.size(); ++place) {
      const double value = structure.values[feature.feature][first_row(order_[place])];
      float* column = tiles_.data() + (place / tile) * columns_ * tile + place % tile;
      if (feature.present > 0) column[feature.present * tile] = std::isnan(value) ? 0.0F : 1.0F;
      if (std::isnan(value)) continue;
      const auto scaled = static_cast<float>(feature.scaled(value));
      column[feature.column * tile] = scaled;
      const std::size_t cell = place / tile * features_.size() + f;
      low_[cell] = std::min(low_[cell], scaled);
      high_[cell] = std::max(high_[cell], scaled);
    }
  }
  std::vector<double> light = structure.weights;
  std::sort(light.begin(), light.end());
  double sum = 0;
  for (const double weight : light) light_sums_.push_back(sum += weight);
}

void NeighborSearch::find_points() {
  std::vector<std::span<const double>> columns;
  for (const TileFeature& feature : features_) columns.emplace_back(structure_.values[feature.feature]);
  rows_of_points_.resize(rows_);
  std::iota(rows_of_points_.begin(), rows_of_points_.end(), 0U);
  const std::vector<std::uint32_t> first = first_equal_rows(columns, rows_of_points_, Context(1));
  std::stable_sort(rows_of_points_.begin(), rows_of_points_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return first[a] < first[b]; });
  for (std::uint32_t place = 0; place < rows_; ++place) {
    if (first[rows_of_points_[place]] == rows_of_points_[place]) begin_.push_back(place);
  }
  begin_.push_back(static_cast<std::uint32_t>(rows_));
}

// Halves that are whole tiles, along the number that is spread most.
void NeighborSearch::order_points() {
  order_.resize(begin_.size() - 1);
  std::iota(order_.begin(), order_.end(), 0U);
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, order_.size()}};
  while (!open.empty()) {
    const auto [begin, end] = open.back();
    open.pop_back();
    const std::size_t tiles = (end - begin + tile - 1) / tile;
    if (tiles < 2) continue;
    const TileFeature* widest = nullptr;
    double most = 0;
    for (const TileFeature& feature : features_) {
      if (feature.categorical) continue;
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (std::size_t i = begin; i < end; ++i) {
        const double value = feature.scaled(structure_.values[feature.feature][first_row(order_[i])]);
        if (std::isnan(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
      if (high - low > most) {
        most = high - low;
        widest = &feature;
      }
    }
    if (widest == nullptr) continue;
    const std::size_t middle = begin + tiles / 2 * tile;
    const auto key = [&](std::uint32_t point) {
      const double value = structure_.values[widest->feature][first_row(point)];
      return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
    };
    const auto at = [&](std::size_t place) { return order_.begin() + static_cast<std::ptrdiff_t>(place); };
    std::nth_element(at(begin), at(middle), at(end),
                     [&](std::uint32_t a, std::uint32_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
    open.emplace_back(begin, middle);
    open.emplace_back(middle, end);
  }
}

float NeighborSearch::least_distance(std::size_t at, std::span<const float> own) const {
  if (any_missing_) return 0;
  float sum = 0, count = 0;
  const float* low = low_.data() + at * features_.size();
  const float* high = high_.data() + at * features_.size();
  for (std::size_t f = 0; f < own.size(); ++f) {
    if (std::isnan(own[f])) continue;
    count += 1;
    if (!features_[f].categorical) sum += std::max(0.0F, std::max(low[f] - own[f], own[f] - high[f]));
  }
  return count > 0 ? sum / count : 0;
}

double NeighborSearch::distance(std::span<const std::vector<double>> queries, std::size_t query,
                                std::uint32_t row) const {
  double sum = 0, both = 0;
  for (const TileFeature& feature : features_) {
    const double own = queries[feature.feature][query], other = structure_.values[feature.feature][row];
    if (!feature.counts(own) || std::isnan(other)) continue;
    both += 1;
    sum += feature.categorical ? (own == other ? 0 : 1) : std::abs(own - other) / structure_.ranges[feature.feature];
  }
  return both > 0 ? to_40_digits(sum / both) : std::numeric_limits<double>::infinity();
}

std::vector<Neighbor> NeighborSearch::first_rows(std::span<const std::pair<double, std::uint32_t>> points,
                                                 std::size_t wanted) const {
  std::vector<Neighbor> found;
  for (std::size_t begin = 0, end = 0; begin < points.size() && found.size() < wanted; begin = end) {
    const std::size_t nearer = found.size();
    for (; end < points.size() && points[end].first == points[begin].first; ++end) {
      const std::uint32_t point = points[end].second;
      const std::size_t last = std::min<std::size_t>(begin_[point + 1], begin_[point] + wanted - nearer);
      for (std::size_t place = begin_[point]; place < last; ++place)
        found.push_back({.row = rows_of_points_[place], .distance = points[end].first});
    }
    std::sort(found.begin() + static_cast<std::ptrdiff_t>(nearer), found.end(),
              [](const Neighbor& a, const Neighbor& b) { return a.row < b.row; });
  }
  return found;
}

std::vector<std::vector<Neighbor>> NeighborSearch::nearest(std::span<const std::vector<double>> queries, double k,
                                                           std::span<const std::uint32_t> without,
                                                           const Context& context) const {
  const std::size_t count = queries.empty() ? 0 : queries[0].size();
  // So many rows have the weight wanted, whichever they are.
  std::size_t wanted = static_cast<std::size_t>(std::ceil(std::min(k, static_cast<double>(rows_))));
  if (!light_sums_.empty()) {
    wanted =
        static_cast<std::size_t>(std::lower_bound(light_sums_.begin(), light_sums_.end(), k) - light_sums_.begin()) + 1;
  }
  wanted = std::min(wanted + (without.empty() ? 0 : 1), rows_);
  std::vector<std::vector<Neighbor>> found(count);
  const std::size_t groups = (count + queries_at_once - 1) / queries_at_once;
  context.parallel_for(groups, [&](std::size_t group) {
    const std::size_t first = group * queries_at_once, size = std::min(queries_at_once, count - first);
    std::vector<Candidates> nearest;
    std::vector<QueryFeature> told;
    std::vector<float> slack, distances(tile);
    std::vector<std::vector<float>> own(size);
    std::vector<bool> known(size, false);  // any value that training rows may share
    for (std::size_t q = 0; q < size; ++q) {
      double largest = 1;
      for (const TileFeature& feature : features_) {
        const double value = queries[feature.feature][first + q];
        const bool counts = feature.counts(value);
        const double scaled = counts ? feature.scaled(value) : std::numeric_limits<double>::quiet_NaN();
        if (!feature.categorical && counts) largest = std::max(largest, std::abs(scaled));
        if (counts && !(feature.categorical && value < 0)) known[q] = true;
        own[q].push_back(static_cast<float>(scaled));
      }
      // Of numbers in units of their range: what float may lose of each, of their difference and of the sum.
      slack.push_back(static_cast<float>(8 * 0x1p-24 * largest * static_cast<double>(features_.size() + 2)));
      nearest.emplace_back(wanted, slack[q]);
    }
    const auto measure = [&](std::size_t q) {
      return [&, q](std::uint32_t point) { return distance(queries, first + q, first_row(point)); };
    };
    const auto look = [&](std::size_t q, std::size_t at) {
      const float* values = tiles_.data() + at * columns_ * tile;
      told.clear();
      bool counted = false;
      for (std::size_t f = 0; f < features_.size(); ++f) {
        const TileFeature& feature = features_[f];
        if (std::isnan(own[q][f])) continue;
        counted = counted || feature.present > 0;
        told.push_back({values + feature.column * tile, feature.present > 0 ? values + feature.present * tile : nullptr,
                        own[q][f], feature.categorical});
      }
      const float scale = told.empty() ? 0.0F : 1.0F / static_cast<float>(told.size());
      tile_distances(told.data(), told.size(), counted || told.empty(), scale, distances.data());
      const std::size_t rows = std::min(tile, order_.size() - at * tile);
      // Behind the last row there is nothing.
      std::fill(distances.begin() + static_cast<std::ptrdiff_t>(rows), distances.end(),
                std::numeric_limits<float>::infinity());
      if (least_of(distances.data()) > nearest[q].limit()) return;
      nearest[q].take(distances.data(), order_.data() + at * tile, rows, measure(q));
    };
    // The tile that is nearest to each query first: what it finds excludes others.
    const std::size_t tiles = (order_.size() + tile - 1) / tile;
    std::vector<std::size_t> begun(size, 0);
    for (std::size_t q = 0; q < size; ++q) {
      float least = std::numeric_limits<float>::infinity();
      for (std::size_t at = 0; at < tiles && !any_missing_; ++at) {
        const float bound = least_distance(at, own[q]);
        if (bound < least) {
          least = bound;
          begun[q] = at;
        }
      }
      look(q, begun[q]);
    }
    for (std::size_t at = 0; at < tiles; ++at) {
      context.check();
      for (std::size_t q = 0; q < size; ++q) {
        if (at != begun[q] && !(least_distance(at, own[q]) > nearest[q].limit() + slack[q])) look(q, at);
      }
    }
    for (std::size_t q = 0; q < size; ++q) {
      if (!known[q]) continue;
      double left = k;
      for (Neighbor& each : first_rows(std::move(nearest[q]).sorted(measure(q)), wanted)) {
        if (!(left > 0) || !std::isfinite(each.distance)) break;
        if (!without.empty() && without[first + q] == each.row) continue;
        each.weight = std::min(left, structure_.weights.empty() ? 1.0 : structure_.weights[each.row]);
        left -= each.weight;
        found[first + q].push_back(each);
      }
    }
  });
  return found;
}

}  // namespace sightglass
