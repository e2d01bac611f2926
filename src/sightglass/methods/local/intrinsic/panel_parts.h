// A row's way through the panels of an ensemble: where it lies in each, and what each decides.
#pragma once

#include "sightglass/methods/local/intrinsic/row_parts.h"
#include "sightglass/result/shapes/panels.h"

namespace sightglass {

[[nodiscard]] ShownPanels panel_parts(const Signature& signature, const CoveringStructure& structure,
                                      const ExplainedRow& row);
[[nodiscard]] ShownPanels panel_parts(const Signature& signature, const PanelTreeStructure& structure,
                                      const ExplainedRow& row);

}  // namespace sightglass
