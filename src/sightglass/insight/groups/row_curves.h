// Curves of single rows have a picture of their own, which says how they were drawn; those of one row that is explained
// are one picture, a panel per feature.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/insight/groups/item_group.h"

namespace sightglass {

struct RowCurves : PlainItems {
  [[nodiscard]] std::string qualifier() const override;
};

// One row, each of its features changed alone; the features that move it most first.
struct RowPanels : PlainItems {
  [[nodiscard]] std::uint64_t row() const;
  [[nodiscard]] std::string title() const override;
  // Of no feature alone.
  [[nodiscard]] std::vector<const Axis*> axes() const override { return {}; }
};

[[nodiscard]] std::vector<PlacedGroup> group_row_curves(const std::vector<const ResultItem*>& items);

}  // namespace sightglass
