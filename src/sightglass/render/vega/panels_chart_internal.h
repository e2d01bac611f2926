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
// By which a panel is called, from 1; of a row's way its number in the whole tree.
[[nodiscard]] std::size_t panel_number(const ShownPanels& item, std::size_t place);
// What a panel says of the row whose way is shown.
[[nodiscard]] std::string decision_text(const ShownPanels& item, std::size_t place);
// Where that leads in a tree: "panel 3", or a class; empty of covering panels.
[[nodiscard]] std::string next_text(const ShownPanels& item, std::size_t place);

}  // namespace sightglass
