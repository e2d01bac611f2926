#include "sightglass/insight/groups/row_curves.h"

#include "sightglass/insight/readable.h"
#include "sightglass/result/shapes/curves.h"

namespace sightglass {

std::string RowCurves::qualifier() const {
  const auto& curves = items[0]->get<Curves>();
  const std::string anchor = anchor_of(curves);
  return curves.derivative ? "slopes" : anchor.empty() ? "" : "centred at " + anchor;
}

std::vector<PlacedGroup> group_row_curves(const std::vector<const ResultItem*>& items) {
  std::vector<PlacedGroup> groups;
  for (std::size_t i = 0; i < items.size(); ++i) {
    RowCurves one;
    one.items = {items[i]};
    groups.push_back({i, std::move(one)});
  }
  return groups;
}

}  // namespace sightglass
