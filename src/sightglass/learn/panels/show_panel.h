// A panel as a picture: its region over two features, and the rows that came to it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/training_data.h"
#include "sightglass/model/learned/panels.h"
#include "sightglass/result/shapes/panels.h"

namespace sightglass {

// An axis of levels, in the order of their positions.
[[nodiscard]] Axis level_axis(const Panel::Input& input, const FeatureInfo& info);
// Decision values at the grid points of the axes: per point of the first, of the second.
[[nodiscard]] std::vector<std::vector<double>> panel_region(const Panel& panel, const std::vector<Axis>& axes);
// Low and high of each input beyond which nothing is claimed, as values of the features.
[[nodiscard]] std::vector<double> panel_box(const Panel& panel);

enum class PanelBounds { none, box };

// Region, rows and counts; what the panel scored, its sides and runners-up are left to the caller.
[[nodiscard]] ShownPanel shown_panel(const Panel& panel, const TrainingData& data, std::span<const std::uint32_t> rows,
                                     PanelBounds bounds, const Context& context);

}  // namespace sightglass
