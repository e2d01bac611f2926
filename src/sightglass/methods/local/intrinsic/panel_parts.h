// A row's way through the panels of an ensemble: where it lies in each, and what each decides.
#pragma once

#include <cstdint>

#include "sightglass/methods/local/intrinsic/row_parts.h"
#include "sightglass/model/learned/structure.h"
#include "sightglass/result/shapes/panels.h"

namespace sightglass {

[[nodiscard]] ShownPanels panel_parts(const Signature& signature, const CoveringStructure& structure,
                                      const ExplainedRow& row);
[[nodiscard]] ShownPanels panel_parts(const Signature& signature, const PanelTreeStructure& structure,
                                      const ExplainedRow& row);

// The most numbers of pictures that one row is shown with; 0 of structures without.
[[nodiscard]] std::uint64_t drawn_numbers(const Structure& structure);

}  // namespace sightglass
