// Results as Vega-Lite (version 5) specifications with their data inside.
#pragma once

#include <string>

#include "sightglass/render/groups.h"
#include "sightglass/result/result.h"

namespace sightglass {

// The chart of one group (group_items), complete with $schema and configuration.
[[nodiscard]] Value vega_spec(const Result& result, const ItemGroup& group);

// All charts of a result in one specification, one above the other.
[[nodiscard]] Value vega_spec(const Result& result);
[[nodiscard]] std::string render_vega(const Result& result);

}  // namespace sightglass
