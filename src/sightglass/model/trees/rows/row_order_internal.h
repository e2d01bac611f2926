// Rows in an order in which neighbours go the same ways down the trees: sets of them are then full or empty at most
// nodes, and most walks end early.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/model/trees/rows/feature_codes_internal.h"
#include "sightglass/model/trees/variants/tree_edges_internal.h"

namespace sightglass {

// codes: [row × slots + slot].
[[nodiscard]] std::vector<std::uint32_t> similar_rows(const FeatureCodes& codes, const TreeEdges& edges,
                                                      std::span<const std::uint16_t> codes_of_rows);

}  // namespace sightglass
