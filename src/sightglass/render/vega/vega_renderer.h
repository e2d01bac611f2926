// Results as Vega-Lite (version 5) specifications with their data inside.
#pragma once

#include <string>
#include <vector>

#include "sightglass/insight/effects.h"
#include "sightglass/insight/groups.h"
#include "sightglass/insight/pairs.h"
#include "sightglass/insight/what_if.h"
#include "sightglass/result/result.h"

namespace sightglass {

// The chart of one group (group_items), complete with $schema and configuration.
[[nodiscard]] Value vega_spec(const Result& result, const ItemGroup& group);

// What several methods say about a feature, with signals that show and hide them.
[[nodiscard]] Value vega_spec(const Effect& effect);
// One row with one value changed at a time.
// The panels; how far values can move before the class changes is a chart of its own, null where none changes it.
[[nodiscard]] Value vega_spec(const WhatIf& picture);
[[nodiscard]] Value vega_slack(const WhatIf& picture);
// How strongly pairs act together: all of them as a heat map, the strongest as bars.
[[nodiscard]] Value vega_pair_map(const PairMap& map);
[[nodiscard]] Value vega_pair_bars(const PairMap& map);
// Surfaces of the same two features and the same measure, one per output.
[[nodiscard]] Value vega_spec(const Result& result, const std::vector<const Surface*>& surfaces,
                              const std::shared_ptr<const LevelPlan>& levels = nullptr);

// All charts of a result in one specification, one above the other.
[[nodiscard]] Value vega_spec(const Result& result);
[[nodiscard]] std::string render_vega(const Result& result);

}  // namespace sightglass
