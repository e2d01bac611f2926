#include "sightglass/methods/local/lime/submodular_pick.h"

#include <cmath>
#include <numeric>

namespace sightglass {

Pick pick_rows(const std::vector<std::vector<Covered>>& rows, std::span<const double> counts, std::size_t components,
               std::size_t budget) {
  Pick pick;
  pick.importance.assign(components, 0);
  pick.covered.assign(components, false);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Covered& each : rows[i]) pick.importance[each.component] += counts[i] * std::abs(each.weight);
  }
  for (double& importance : pick.importance) importance = std::sqrt(importance);
  pick.total = std::accumulate(pick.importance.begin(), pick.importance.end(), 0.0);
  while (pick.rows.size() < budget) {
    std::size_t best = rows.size();
    double best_gain = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double gain = 0;
      for (const Covered& each : rows[i]) {
        if (!pick.covered[each.component] && each.weight != 0) gain += pick.importance[each.component];
      }
      if (gain > best_gain) {
        best = i;
        best_gain = gain;
      }
    }
    if (best == rows.size()) break;
    for (const Covered& each : rows[best]) {
      if (each.weight != 0) pick.covered[each.component] = true;
    }
    pick.rows.push_back(best);
    pick.gains.push_back(best_gain);
  }
  return pick;
}

}  // namespace sightglass
