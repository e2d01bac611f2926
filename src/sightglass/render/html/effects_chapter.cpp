// What each feature does: a section per feature, most important first.
#include <algorithm>
#include <map>

#include "sightglass/render/html/draft_internal.h"

namespace sightglass::html {

namespace {

constexpr std::size_t most_open = 12;  // so many features are all on the page
constexpr std::size_t open_of_many = 8;

// By the ranking, features that it does not know by how far they move the prediction, then as they came.
std::vector<std::size_t> most_important_first(Draft& draft, std::vector<std::size_t> sections) {
  std::map<std::size_t, std::size_t> rank;
  for (const auto& row : draft.ranking().rows) {
    if (const auto section = draft.find(row.features)) rank.try_emplace(*section, rank.size());
  }
  for (const auto& glance : glances_of(draft)) rank.try_emplace(glance.section, rank.size());
  std::stable_sort(sections.begin(), sections.end(), [&](std::size_t a, std::size_t b) {
    const auto place = [&](std::size_t section) {
      const auto found = rank.find(section);
      return found != rank.end() ? found->second : rank.size();
    };
    return place(a) < place(b);
  });
  return sections;
}

}  // namespace

void effects_chapter(Draft& draft, Chapter& chapter) {
  std::vector<std::size_t> sections;
  for (auto& picture : draft.pictures()) {
    const ItemGroup& group = picture.group;
    const bool effect = !group.curve.empty() && group.curve[0]->measure != Measure::loss;
    const bool scatter = group.attributions != nullptr && group.view == AttributionView::feature;
    if (picture.taken || (!effect && !scatter && group.curves == nullptr)) continue;
    const std::size_t section = draft.show(chapter, picture);
    if (std::find(sections.begin(), sections.end(), section) == sections.end()) sections.push_back(section);
  }
  chapter.sections = most_important_first(draft, std::move(sections));
  chapter.open = chapter.sections.size() <= most_open ? chapter.sections.size() : open_of_many;
  chapter.lead = "How predictions change along each feature, most important feature first.";
}

}  // namespace sightglass::html
