// Curves of single rows have a picture of their own, which says how they were drawn.
#pragma once

#include <string>
#include <vector>

#include "sightglass/insight/groups/item_group.h"

namespace sightglass {

struct RowCurves : PlainItems {
  [[nodiscard]] std::string qualifier() const override;
};

[[nodiscard]] std::vector<PlacedGroup> group_row_curves(const std::vector<const ResultItem*>& items);

}  // namespace sightglass
