#include "sightglass/model/learned/neighbors/neighbor_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sightglass/base/each_processor.h"

namespace sightglass {

namespace {

constexpr std::size_t lanes = 8, tile = 256;
constexpr std::size_t queries_at_once = 32;
constexpr float far_away = 1e30F;
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
SIGHTGLASS_FOR_EACH_PROCESSOR
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

SIGHTGLASS_FOR_EACH_PROCESSOR
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

// The nearest rows of one query so far, by float.
struct Nearest {
  struct Candidate {
    float distance;
    std::uint32_t row;
  };
  std::vector<float> best;  // a heap of the smallest, the largest in front
  std::vector<Candidate> candidates;
  float limit = std::numeric_limits<float>::infinity();

  void take(float distance, std::uint32_t row, std::size_t wanted, float slack) {
    if (distance > limit) return;
    candidates.push_back({distance, row});
    if (best.size() == wanted) {
      if (!(distance < best.front())) return;
      std::pop_heap(best.begin(), best.end());
      best.pop_back();
    }
    best.push_back(distance);
    std::push_heap(best.begin(), best.end());
    if (best.size() == wanted) limit = best.front() + slack;
    if (candidates.size() > 4 * wanted + 64) drop();
  }
  void drop() {
    std::erase_if(candidates, [this](const Candidate& each) { return each.distance > limit; });
  }
};

}  // namespace

NeighborSearch::NeighborSearch(const NeighborStructure& structure, std::vector<bool> categorical)
    : structure_(structure), categorical_(std::move(categorical)), rows_(structure.outcome.size()) {
  for (std::size_t j = 0; j < structure.values.size(); ++j) {
    if (!(structure.ranges[j] > 0)) continue;
    const auto& values = structure.values[j];
    TileFeature& feature = features_.emplace_back();
    feature.feature = j;
    feature.column = columns_++;
    feature.categorical = categorical_[j];
    feature.inverse = feature.categorical ? 1 : 1 / structure.ranges[j];
    if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
      feature.present = columns_++;
  }
  const std::size_t tiles = (rows_ + tile - 1) / tile;
  tiles_.assign(tiles * columns_ * tile, 0.0F);
  largest_.assign(columns_, 0.0);
  for (const TileFeature& feature : features_) {
    for (std::size_t row = 0; row < rows_; ++row) {
      const double value = structure.values[feature.feature][row];
      float* column = tiles_.data() + (row / tile) * columns_ * tile + row % tile;
      if (!std::isnan(value)) {
        column[feature.column * tile] = static_cast<float>(value * feature.inverse);
        largest_[feature.column] = std::max(largest_[feature.column], std::abs(value * feature.inverse));
      }
      if (feature.present > 0) column[feature.present * tile] = std::isnan(value) ? 0.0F : 1.0F;
    }
  }
  std::vector<double> light = structure.weights;
  std::sort(light.begin(), light.end());
  double sum = 0;
  for (const double weight : light) light_sums_.push_back(sum += weight);
}

double NeighborSearch::distance(std::span<const std::vector<double>> queries, std::size_t query,
                                std::uint32_t row) const {
  double sum = 0, both = 0;
  for (const TileFeature& feature : features_) {
    const double own = queries[feature.feature][query], other = structure_.values[feature.feature][row];
    if (std::isnan(own) || std::isnan(other)) continue;
    both += 1;
    sum += feature.categorical ? (own == other ? 0 : 1) : std::abs(own - other) / structure_.ranges[feature.feature];
  }
  return both > 0 ? sum / both : std::numeric_limits<double>::infinity();
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
    std::vector<Nearest> nearest(size);
    std::vector<QueryFeature> told;
    // Of numbers in units of their range: what float may lose of each, of their difference and of the sum.
    std::vector<float> slack(size), distances(tile);
    for (std::size_t q = 0; q < size; ++q) {
      double largest = 1;
      for (const TileFeature& feature : features_) {
        const double own = queries[feature.feature][first + q];
        if (!feature.categorical && !std::isnan(own)) largest = std::max(largest, std::abs(own) * feature.inverse);
      }
      for (const TileFeature& feature : features_) {
        if (!feature.categorical) largest = std::max(largest, largest_[feature.column]);
      }
      slack[q] = static_cast<float>(8 * 0x1p-24 * largest * static_cast<double>(features_.size() + 2));
    }
    for (std::size_t begin = 0; begin < rows_; begin += tile) {
      context.check();
      const float* values = tiles_.data() + begin / tile * columns_ * tile;
      const std::size_t rows = std::min(tile, rows_ - begin);
      for (std::size_t q = 0; q < size; ++q) {
        told.clear();
        bool counted = false;
        for (const TileFeature& feature : features_) {
          const double own = queries[feature.feature][first + q];
          if (std::isnan(own)) continue;
          counted = counted || feature.present > 0;
          told.push_back({values + feature.column * tile,
                          feature.present > 0 ? values + feature.present * tile : nullptr,
                          static_cast<float>(own * feature.inverse), feature.categorical});
        }
        const float scale = told.empty() ? 0.0F : 1.0F / static_cast<float>(told.size());
        tile_distances(told.data(), told.size(), counted || told.empty(), scale, distances.data());
        // Behind the last row there is nothing.
        std::fill(distances.begin() + static_cast<std::ptrdiff_t>(rows), distances.end(),
                  std::numeric_limits<float>::infinity());
        if (least_of(distances.data()) > nearest[q].limit) continue;
        for (std::size_t row = 0; row < rows; ++row) {
          nearest[q].take(distances[row], static_cast<std::uint32_t>(begin + row), wanted, slack[q]);
        }
      }
    }
    for (std::size_t q = 0; q < size; ++q) {
      std::vector<Neighbor> sorted;
      nearest[q].drop();
      for (const auto& candidate : nearest[q].candidates) {
        if (!without.empty() && without[first + q] == candidate.row) continue;
        sorted.push_back({candidate.row, distance(queries, first + q, candidate.row), 0});
      }
      std::sort(sorted.begin(), sorted.end(), [](const Neighbor& a, const Neighbor& b) {
        return a.distance != b.distance ? a.distance < b.distance : a.row < b.row;
      });
      double left = k;
      for (Neighbor& each : sorted) {
        if (!(left > 0)) break;
        each.weight = std::min(left, structure_.weights.empty() ? 1.0 : structure_.weights[each.row]);
        left -= each.weight;
        found[first + q].push_back(each);
      }
    }
  });
  return found;
}

}  // namespace sightglass
