#include "sightglass/insight/groups/figures.h"

#include <set>
#include <string_view>

namespace sightglass {

bool Figures::compares_groups() const {
  std::set<std::string_view> groups;
  for (const Figure* each : figure) {
    if (each->group.empty() || !each->feature.empty() || each->id != FigureId::loss) return false;
    groups.insert(each->group);
  }
  return groups.size() > 1;
}

std::vector<PlacedGroup> group_figures(const std::vector<const ResultItem*>& items) {
  Figures all;
  for (const ResultItem* item : items) all.figure.push_back(&item->get<Figure>());
  return {{0, std::move(all)}};
}

}  // namespace sightglass
