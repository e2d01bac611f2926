#include "sightglass/insight/groups/item_group.h"

#include <algorithm>

#include "sightglass/insight/readable.h"

namespace sightglass {

namespace {

template <class Get>
std::string common(const std::vector<const ResultItem*>& items, Get get) {
  const std::string& first = get(*items[0]);
  const bool same =
      std::all_of(items.begin(), items.end(), [&](const ResultItem* item) { return get(*item) == first; });
  return same ? first : std::string();
}

}  // namespace

std::string AnyGroup::title() const {
  std::string title;
  for (const Axis* axis : axes()) title += (title.empty() ? "" : " × ") + axis_title(*axis);
  return title;
}

bool AnyGroup::is_empty() const {
  const auto all = axes();
  return std::any_of(all.begin(), all.end(), [](const Axis* axis) { return axis->size() == 0; });
}

std::string PlainItems::title() const { return axes().empty() ? items[0]->title() : AnyGroup::title(); }

std::string PlainItems::output() const {
  return common(items, [](const ResultItem& item) -> const std::string& { return item.output(); });
}

std::string PlainItems::rows() const {
  return common(items, [](const ResultItem& item) -> const std::string& { return item.group(); });
}

}  // namespace sightglass
