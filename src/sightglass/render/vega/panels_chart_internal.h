// Pictures of panels.
#pragma once

#include "sightglass/result/result.h"
#include "sightglass/result/shapes/panels.h"

namespace sightglass::vega {

// Panels beside each other, `columns` in a row.
[[nodiscard]] Value panels_chart(const ShownPanels& panels, int columns);

}  // namespace sightglass::vega

namespace sightglass {

// Whether a grid point is on the positive side: above the threshold, and inside the box where there is one.
[[nodiscard]] bool in_region(const ShownPanel& panel, std::size_t i, std::size_t j);
// "worst area × texture".
[[nodiscard]] std::string panel_name(const ShownPanel& panel);
// "→ panel 3" or "→ benign, 97 % of 212 rows".
[[nodiscard]] std::string side_text(const PanelSide& side);
// What a panel says of the row whose way is shown.
[[nodiscard]] std::string decision_text(const ShownPanels& item, const ShownPanel& panel);

}  // namespace sightglass
