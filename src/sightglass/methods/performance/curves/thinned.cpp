#include "sightglass/methods/performance/curves/thinned.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sightglass {

namespace {

DiagramSeries some_of(const DiagramSeries& curve, const std::vector<std::size_t>& places) {
  DiagramSeries some{.name = curve.name, .mark = curve.mark};
  const auto take = [&](const std::vector<double>& from, std::vector<double>& into) {
    for (const std::size_t place : places) {
      if (place < from.size()) into.push_back(from[place]);
    }
  };
  take(curve.x, some.x);
  take(curve.y, some.y);
  take(curve.threshold, some.threshold);
  return some;
}

// Those at which the curve bends, and its ends.
std::vector<std::size_t> bends(const DiagramSeries& curve) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (i > 0 && i + 1 < curve.x.size()) {
      const double turn = (curve.x[i] - curve.x[i - 1]) * (curve.y[i + 1] - curve.y[i]) -
                          (curve.y[i] - curve.y[i - 1]) * (curve.x[i + 1] - curve.x[i]);
      if (std::abs(turn) <= 1e-15) continue;
    }
    places.push_back(i);
  }
  return places;
}

// Every so often along the curve; ends are among them.
std::vector<std::size_t> spread_along(const DiagramSeries& curve, std::size_t points) {
  std::vector<double> way(curve.x.size(), 0);
  for (std::size_t i = 1; i < way.size(); ++i)
    way[i] = way[i - 1] + std::abs(curve.x[i] - curve.x[i - 1]) + std::abs(curve.y[i] - curve.y[i - 1]);
  std::vector<std::size_t> places{0};
  const double steps = static_cast<double>(std::max<std::size_t>(points, 2) - 1);
  for (double step = 1; step < steps; ++step) {
    const auto at = std::lower_bound(way.begin(), way.end(), way.back() * step / steps);
    const auto place = static_cast<std::size_t>(at - way.begin());
    if (place > places.back() && place + 1 < way.size()) places.push_back(place);
  }
  places.push_back(way.size() - 1);
  return places;
}

}  // namespace

DiagramSeries thinned(DiagramSeries curve, std::size_t points) {
  if (points == 0 || curve.x.size() <= points) return curve;
  // Steps have no straight stretches but level ones, whose points tell of thresholds alone.
  curve = some_of(curve, bends(curve));
  if (curve.x.size() <= points) return curve;
  return some_of(curve, spread_along(curve, points));
}

DiagramSeries at_one_half(const MethodInput& input, const PredictedRows& rows, const DiagramSeries& curve) {
  const bool probabilities = input.task != Task::regression && input.scale == Scale::response && rows.outputs() == 1;
  if (!probabilities) return {};
  DiagramSeries ring{.name = "threshold 0.5", .mark = SeriesMark::ring};
  std::size_t at = 0;
  while (at + 1 < curve.threshold.size() && curve.threshold[at + 1] >= 0.5) ++at;
  ring.x = {curve.x[at]};
  ring.y = {curve.y[at]};
  return ring;
}

}  // namespace sightglass
