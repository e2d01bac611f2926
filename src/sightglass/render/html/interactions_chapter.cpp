// What acts together: pairs ranked and as a heat map, shares of variance, then every pair that was drawn.
#include <algorithm>

#include "sightglass/render/html/draft_internal.h"

namespace sightglass::html {

namespace {

constexpr std::size_t most_open = 8;

}  // namespace

void interactions_chapter(Draft& draft, Chapter& chapter) {
  const auto add = [&](std::size_t section) {
    if (std::find(chapter.sections.begin(), chapter.sections.end(), section) == chapter.sections.end())
      chapter.sections.push_back(section);
  };
  for (auto& picture : draft.pictures()) {
    if (!picture.taken && !picture.group.interaction.empty()) add(draft.show(chapter, picture));
  }
  for (auto& picture : draft.pictures()) {
    const bool shares = picture.result->method == "decomposition" && !picture.group.importance.empty();
    if (!picture.taken && shares) add(draft.show(chapter, picture));
  }
  for (auto& picture : draft.pictures()) {
    if (!picture.taken && picture.group.surface != nullptr) add(draft.show(chapter, picture));
  }
  chapter.open = std::min(chapter.sections.size(), most_open);
  chapter.lead =
      "Where the effect of one feature depends on another: their joint effect is then not the sum of the two.";
}

}  // namespace sightglass::html
