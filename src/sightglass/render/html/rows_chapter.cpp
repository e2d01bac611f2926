// Single rows: why the model predicts what it does for them, and what it would predict if one value were another.
#include <algorithm>

#include "sightglass/render/html/draft_internal.h"

namespace sightglass::html {

void rows_chapter(Draft& draft, Chapter& chapter) {
  for (auto& picture : draft.pictures()) {
    const bool row = picture.group.attributions != nullptr && picture.group.view == AttributionView::row;
    if (picture.taken || !row) continue;
    const std::size_t section = draft.show(chapter, picture);
    if (std::find(chapter.sections.begin(), chapter.sections.end(), section) == chapter.sections.end())
      chapter.sections.push_back(section);
  }
  chapter.open = chapter.sections.size();
  chapter.lead = "What each feature adds to the prediction of single rows.";
}

void other_chapter(Draft& draft, Chapter& chapter) {
  for (auto& picture : draft.pictures()) {
    if (picture.taken) continue;
    const std::size_t section = draft.show(chapter, picture);
    if (std::find(chapter.sections.begin(), chapter.sections.end(), section) == chapter.sections.end())
      chapter.sections.push_back(section);
  }
  chapter.open = chapter.sections.size();
  chapter.lead = "What else the results have to show.";
}

}  // namespace sightglass::html
