#include "sightglass/learn/prototypes/class_prototypes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/text.h"
#include "sightglass/learn/prototypes/kernel_tiles.h"
#include "sightglass/numeric/tied.h"

namespace sightglass {

namespace {

constexpr std::size_t median_points = 1000;
constexpr std::size_t part = 4096;  // points that are taken together

}  // namespace

double kernel_gamma(const ScaledRows& rows, std::optional<double> given, std::uint64_t seed, const Context& context) {
  double gamma = given.value_or(1);
  if (!given) {
    const double median = median_distance(rows, median_points, seed, context);
    if (median > 0) gamma = 1 / (2 * median * median);
  }
  if (!(gamma > 0) || !std::isfinite(swept.back() * gamma))
    throw Error(ErrorKind::usage, marked("{Option:gamma}: a number above 0, please"),
                "of which three times as much is still finite");
  return gamma;
}

std::vector<std::size_t> divided(std::size_t all, std::span<const double> weights) {
  std::vector<std::size_t> shares(weights.size(), all / weights.size());
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  for (std::size_t i = 0; i < all % weights.size(); ++i) ++shares[order[i]];
  return shares;
}

NearestPrototypes::NearestPrototypes(const ScaledRows& points)
    : points_(points),
      nearest_(points.size(), 0),
      least_(points.size(), std::numeric_limits<double>::infinity()),
      squares_(points.size()) {}

void NearestPrototypes::add(std::uint32_t row, const Context& context) {
  context.parallel_for((least_.size() + part - 1) / part, [&](std::size_t each) {
    const std::size_t first = each * part, count = std::min(part, least_.size() - first);
    points_.squared_distances(row, first, std::span(squares_).subspan(first, count));
    for (std::size_t point = first; point < first + count; ++point) {
      const double square = to_40_digits(squares_[point]);
      if (!rows_.empty() && (square > least_[point] || (square == least_[point] && row >= rows_[nearest_[point]])))
        continue;
      least_[point] = square;
      nearest_[point] = static_cast<std::uint32_t>(rows_.size());
    }
  });
  rows_.push_back(row);
}

std::vector<double> NearestPrototypes::stand_for() const {
  std::vector<double> weights(rows_.size(), 0.0);
  for (std::size_t point = 0; point < nearest_.size() && !rows_.empty(); ++point)
    weights[nearest_[point]] += points_.weight(point);
  return weights;
}

}  // namespace sightglass
