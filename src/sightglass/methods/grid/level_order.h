// Puts the levels of a categorical feature into an order in which similar ones are neighbours, so that steps from
// level to level make sense. Two levels are as far apart as their rows differ in the other features: the sum of the
// Kolmogorov–Smirnov distances (numbers; rows with a finite value) and total variation distances (levels; missing is
// one of them). Then a line that keeps these distances best; the end with the lower name comes first.
#pragma once

#include <vector>

#include "sightglass/methods/grid/feature_grid.h"

namespace sightglass {

// Rows that are compared, at the most, and levels that can be put into order.
inline constexpr std::uint64_t level_order_rows = 20'000;
inline constexpr std::size_t most_ordered_levels = 2'000;

struct OrderedGrids {
  std::vector<FeatureGrid> grids;
  std::vector<Caveat> caveats;  // what the user should know about the order
};

// Features with an order of their own keep it; so do those with more levels than can be compared, by name.
[[nodiscard]] Chain<OrderedGrids> order_levels(const MethodInput& input, std::vector<FeatureGrid> grids);

}  // namespace sightglass
