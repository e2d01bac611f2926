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

constexpr std::size_t class_part = 4096;  // points that are taken together

}  // namespace

double kernel_gamma(const ScaledRows& rows, std::optional<double> given, std::uint64_t seed, const Context& context) {
  double gamma = given.value_or(1);
  if (!given) {
    const double median = median_distance(rows, median_points, seed, context);
    if (median > 0) gamma = 1 / (2 * median * median);
  }
  const bool defined = gamma > 0 && std::isfinite(swept.back() * gamma);
  if (!defined && !given)
    throw Error(ErrorKind::data, "rows are so near to one another, or so far apart, that no distance is a number",
                "give the columns in larger or smaller units");
  if (!defined)
    throw Error(ErrorKind::usage, marked("{Option:gamma}: a number above 0, please"),
                "of which three times as much is still finite");
  return gamma;
}

std::string gamma_text(const ScaledRows& rows, bool given) {
  if (given) return "of the kernel exp(−γ d²), as it was given";
  const std::string rows_used =
      rows.size() > median_points
          ? std::to_string(median_points) + " of " + std::to_string(rows.size()) + " different rows, drawn at random"
          : std::to_string(rows.size()) + " different rows";
  return "of the kernel exp(−γ d²): 1 / (2 median²) of the distances between " + rows_used;
}

std::vector<std::size_t> divided(std::size_t all, std::span<const double> weights, std::span<const std::size_t> most) {
  std::vector<std::size_t> shares(weights.size(), 0);
  std::vector<std::size_t> open(weights.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  std::stable_sort(open.begin(), open.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  while (all > 0) {
    std::erase_if(open, [&](std::size_t k) { return shares[k] >= most[k]; });
    if (open.empty()) break;
    const std::size_t each = all / open.size();
    for (std::size_t i = 0; i < open.size() && all > 0; ++i) {
      const std::size_t more = std::min(std::max<std::size_t>(each, 1), most[open[i]] - shares[open[i]]);
      shares[open[i]] += more;
      all -= more;
    }
  }
  return shares;
}

Caveat few_rows_caveat(std::size_t prototypes, std::size_t wanted) {
  return {.id = "few-distinct-rows",
          .severity = Severity::note,
          .message = "there " + std::string(prototypes == 1 ? "is" : "are") + " no more than " +
                     std::to_string(prototypes) + " different " + (prototypes == 1 ? "row" : "rows") +
                     " to choose prototypes from",
          .evidence = Value::object({{"prototypes", prototypes}, {"wanted", wanted}}),
          .advice = marked("lower {option:prototypes}")};
}

NearestPrototypes::NearestPrototypes(const ScaledRows& points)
    : points_(points),
      nearest_(points.size(), 0),
      least_(points.size(), std::numeric_limits<double>::infinity()),
      squares_(points.size()) {}

void NearestPrototypes::add(std::uint32_t row, const Context& context) {
  context.parallel_for((least_.size() + class_part - 1) / class_part, [&](std::size_t each) {
    const std::size_t first = each * class_part, count = std::min(class_part, least_.size() - first);
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
