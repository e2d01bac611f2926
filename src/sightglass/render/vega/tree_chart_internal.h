// Pictures of a decision tree.
#pragma once

#include "sightglass/result/result.h"
#include "sightglass/result/shapes/tree.h"

namespace sightglass::vega {

// Boxes and lines.
[[nodiscard]] Value tree_chart(const Result& result, const ShownTree& tree);
// For narrow places: a line per node.
[[nodiscard]] Value tree_outline(const Result& result, const ShownTree& tree);

}  // namespace sightglass::vega
