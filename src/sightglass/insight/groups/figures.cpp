#include "sightglass/insight/groups/figures.h"

namespace sightglass {

std::vector<PlacedGroup> group_figures(const std::vector<const ResultItem*>& items) {
  Figures all;
  for (const ResultItem* item : items) all.figure.push_back(&item->get<Figure>());
  return {{0, std::move(all)}};
}

}  // namespace sightglass
