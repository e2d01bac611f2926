#include "sightglass/insight/groups/attribution_picture.h"

#include "sightglass/insight/attribution_view.h"

namespace sightglass {

std::string AttributionPicture::title() const {
  switch (view) {
    case AttributionView::rows: return "What features add, row by row";
    case AttributionView::row:
      return row_title(attributions->rows[shown],
                       attributions->row_labels.empty() ? "" : attributions->row_labels[shown]);
    case AttributionView::feature: break;
  }
  return AnyGroup::title();
}

std::string AttributionPicture::qualifier() const { return view == AttributionView::feature ? "what it adds" : ""; }

std::vector<const Axis*> AttributionPicture::axes() const {
  if (view != AttributionView::feature) return {};
  return {&attributions->features[shown]};
}

std::vector<PlacedGroup> group_attributions(const Result& result, const std::vector<const ResultItem*>& items) {
  std::vector<PlacedGroup> groups;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& item = items[i]->get<Attributions>();
    if (item.rows.size() <= rows_one_by_one && !item.rows.empty()) {
      for (std::size_t row = 0; row < item.rows.size(); ++row)
        groups.push_back({i, AttributionPicture(result, item, AttributionView::row, row)});
      continue;
    }
    groups.push_back({i, AttributionPicture(result, item, AttributionView::rows)});
    std::size_t pictures = 0;
    for (const std::size_t feature : by_mean_size(item)) {
      if (pictures++ == features_with_scatter || !(mean_size(item, feature) > 0)) break;
      groups.push_back({i, AttributionPicture(result, item, AttributionView::feature, feature)});
    }
  }
  return groups;
}

}  // namespace sightglass
