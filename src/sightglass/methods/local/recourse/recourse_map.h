// Of many rows: which features are the cheapest lever of how many.
#pragma once

#include <vector>

#include "sightglass/result/result.h"
#include "sightglass/result/shapes/counterfactuals.h"

namespace sightglass {

// A share for each set of features, per output; none where rows are too few for a map.
void add_recourse_map(const std::vector<Counterfactuals>& items, Result& result);

}  // namespace sightglass
