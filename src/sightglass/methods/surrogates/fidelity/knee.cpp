#include "sightglass/methods/surrogates/fidelity/knee.h"

#include <algorithm>

namespace sightglass {

void mark_frontier(Frontier& frontier) {
  std::vector<FrontierPoint*> order;
  for (FrontierPoint& point : frontier.points) order.push_back(&point);
  std::stable_sort(order.begin(), order.end(), [](const FrontierPoint* a, const FrontierPoint* b) {
    return a->size != b->size ? a->size < b->size : a->value > b->value;
  });
  std::vector<FrontierPoint*> best;
  for (FrontierPoint* point : order) {
    if (!best.empty() && !(point->value > best.back()->value)) continue;
    point->best = true;
    best.push_back(point);
  }
  if (best.empty()) return;
  const auto at = [](const FrontierPoint& point) { return static_cast<double>(point.size); };
  const double left = at(*best.front()), width = at(*best.back()) - left;
  const double low = best.front()->value, rise = best.back()->value - low;
  FrontierPoint* knee = best.back();
  double most = 0;
  for (FrontierPoint* point : best) {
    if (!(width > 0) || !(rise > 0)) break;
    const double above = (point->value - low) / rise - (at(*point) - left) / width;
    if (above > most) {
      most = above;
      knee = point;
    }
  }
  knee->chosen = true;
}

}  // namespace sightglass
