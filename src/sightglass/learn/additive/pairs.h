// Which pairs of features have more to say together than one by one. FAST (Lou, Caruana, Gehrke, Hooker 2013): for
// every pair, the sums of what single features left over, by the cells of a coarse grid, tell how much four quadrants
// explain, wherever the two cuts are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/additive/bins.h"
#include "sightglass/learn/additive/outcome.h"

namespace sightglass::additive {

struct PairStrength {
  std::size_t first = 0, second = 0;
  double gain = 0;        // of the loss, summed over rows and scores
  bool by_chance = true;  // noise alone might gain as much in the best of all pairs
};

// All pairs of these features, the strongest first; of equal ones the first. Rows that are too many are drawn from.
[[nodiscard]] std::vector<PairStrength> rank_pairs(const std::vector<FeatureBins>& features,
                                                   const std::vector<std::size_t>& candidates, const Outcome& outcome,
                                                   const std::vector<float>& scores, double least_weight,
                                                   std::uint64_t seed, const Context& context);

}  // namespace sightglass::additive
