#include "sightglass/insight/groups/row_curves.h"

#include <algorithm>

#include "sightglass/insight/readable.h"
#include "sightglass/result/shapes/curves.h"

namespace sightglass {

std::string RowCurves::qualifier() const {
  const auto& curves = items[0]->get<Curves>();
  const std::string anchor = anchor_of(curves);
  return curves.derivative ? "slopes" : anchor.empty() ? "" : "centred at " + anchor;
}

std::uint64_t RowPanels::row() const { return items[0]->get<Curves>().rows[0]; }

std::string RowPanels::title() const {
  const auto& curves = items[0]->get<Curves>();
  return row_title(row(), curves.row_labels.empty() ? "" : curves.row_labels[0]);
}

std::vector<PlacedGroup> group_row_curves(const std::vector<const ResultItem*>& items) {
  std::vector<PlacedGroup> groups;
  std::vector<std::pair<std::size_t, RowPanels>> panels;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& curves = items[i]->get<Curves>();
    if (!curves.explains_rows() || curves.rows.size() != 1) {
      RowCurves one;
      one.items = {items[i]};
      groups.push_back({i, std::move(one)});
      continue;
    }
    const auto same = std::find_if(panels.begin(), panels.end(), [&](const auto& each) {
      const ResultItem& first = *each.second.items[0];
      return each.second.row() == curves.rows[0] && first.output() == curves.output && first.group() == curves.group;
    });
    if (same == panels.end()) {
      panels.emplace_back(i, RowPanels());
      panels.back().second.items = {items[i]};
    } else {
      same->second.items.push_back(items[i]);
    }
  }
  for (auto& [place, each] : panels) groups.push_back({place, std::move(each)});
  return groups;
}

}  // namespace sightglass
