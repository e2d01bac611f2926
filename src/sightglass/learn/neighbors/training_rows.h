// Training rows as the structure of a model of neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/learn/training_data.h"
#include "sightglass/model/learned/structure.h"
#include "sightglass/result/caveat.h"

namespace sightglass {

// These rows, in this order; ranges are those of all rows of the data.
[[nodiscard]] NeighborStructure neighbor_structure(const TrainingData& data, std::span<const std::uint32_t> rows);

// Where no feature varies all rows are equally near.
void add_constant_caveat(const TrainingData& data, std::vector<Caveat>& caveats);

// What a feature is, for the search.
[[nodiscard]] std::vector<bool> categorical_features(const TrainingData& data);

}  // namespace sightglass
