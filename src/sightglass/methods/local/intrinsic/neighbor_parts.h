// The training rows that speak for a row: where each differs from it, and how the vote went.
#pragma once

#include "sightglass/methods/local/intrinsic/row_parts.h"
#include "sightglass/model/learned/neighbors/neighbor_search.h"
#include "sightglass/result/shapes/examples.h"

namespace sightglass {

[[nodiscard]] Examples neighbor_parts(const Signature& signature, const NeighborStructure& structure,
                                      const NeighborSearch& search, const ExplainedRow& row);

}  // namespace sightglass
