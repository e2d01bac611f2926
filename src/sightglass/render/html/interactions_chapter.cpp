// What acts together: a heat map and a ranking of pairs, shares of variance, then every pair that was drawn.
#include <algorithm>
#include <map>

#include "sightglass/base/error.h"
#include "sightglass/insight/groups/importance_entries.h"
#include "sightglass/insight/groups/interaction_entries.h"
#include "sightglass/insight/pairs.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/description.h"
#include "sightglass/render/html/draft_internal.h"
#include "sightglass/render/vega/vega_renderer.h"

namespace sightglass::html {

namespace {

constexpr std::size_t pairs_open = 6;
constexpr std::size_t least_map = 3, most_in_first_map = 12;  // features

// Pictures of the same two features by the same result: one per output.
struct PairPictures {
  const Result* result = nullptr;
  std::vector<Picture*> pictures;

  [[nodiscard]] const Surface& surface() const { return *pictures[0]->group.item<Surface>(); }
  [[nodiscard]] bool fits(const Picture& picture) const {
    const Surface &known = surface(), &other = *picture.group.item<Surface>();
    return result == picture.result && known.first.feature == other.first.feature &&
           known.second.feature == other.second.feature && known.measure == other.measure && known.group.empty() &&
           other.group.empty() && known.first.is_categorical() == other.first.is_categorical() &&
           known.second.is_categorical() == other.second.is_categorical();
  }
};

std::vector<PairPictures> pair_pictures(Draft& draft) {
  std::vector<PairPictures> list;
  for (auto& picture : draft.pictures()) {
    if (picture.taken || picture.group.item<Surface>() == nullptr) continue;
    const auto same =
        std::find_if(list.begin(), list.end(), [&](const PairPictures& known) { return known.fits(picture); });
    if (same != list.end()) {
      same->pictures.push_back(&picture);
    } else {
      list.push_back({picture.result, {&picture}});
    }
  }
  // ALE shows the interaction alone; then partial dependence, which has both features' own effects in it.
  const auto place = [](const PairPictures& pair) {
    const Estimand estimand = pair.surface().estimand;
    return estimand == Estimand::accumulated_local_effect ? 0 : estimand == Estimand::component ? 2 : 1;
  };
  std::stable_sort(list.begin(), list.end(),
                   [&](const PairPictures& a, const PairPictures& b) { return place(a) < place(b); });
  return list;
}

ChartParts pair_parts(const PairPictures& pair) {
  ChartParts parts = chart_parts(*pair.pictures[0]);
  if (pair.pictures.size() == 1) return parts;
  std::vector<const Surface*> surfaces;
  std::vector<std::string> outputs;
  for (const Picture* picture : pair.pictures) {
    surfaces.push_back(picture->group.item<Surface>());
    outputs.push_back(surfaces.back()->output);
  }
  const auto labels = unique_labels(outputs);
  parts.about = pair.pictures[0]->subject;
  parts.output.clear();
  parts.spec = vega_spec(*pair.result, surfaces, pair.pictures[0]->group->levels);
  parts.table = DataTable();
  std::vector<OutputWords> words;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const ItemGroup& group = pair.pictures[i]->group;
    append(parts.table, data_table(group), labels[i]);
    words.push_back({labels[i], badges(group), describe(*pair.result, group)});
  }
  parts.choose_output(*pair.result, std::move(words));
  return parts;
}

// A section per pair, whichever way round it is named.
std::vector<std::size_t> show_pairs(Draft& draft, const Chapter& chapter) {
  std::vector<std::size_t> sections;
  for (auto& pair : pair_pictures(draft)) {
    const Surface& surface = pair.surface();
    const std::vector<std::string> features{surface.first.feature, surface.second.feature};
    for (Picture* picture : pair.pictures) picture->taken = true;
    auto section = draft.find(features);
    // The components of a decomposition say less than the pictures that are there.
    if (section && surface.estimand == Estimand::component) continue;
    if (!section) {
      section = draft.section(chapter, SectionKind::pair, features, group_title(pair.pictures[0]->group));
      sections.push_back(*section);
    }
    draft.add_chart(*section, pair_parts(pair));
  }
  return sections;
}

ChartParts map_parts(const PairMap& map, const DataTable& table) {
  ChartParts parts;
  parts.method = "Interaction strength";
  parts.about = "the pairs examined";
  parts.reading =
      "Each square is a pair of features: the stronger its colour, the further their joint effect is from the sum of "
      "the two, in units of the prediction. H² is that as a share of the joint effect's variance.";
  const bool leads = std::any_of(map.cells.begin(), map.cells.end(),
                                 [](const PairMap::Cell& cell) { return cell.section.has_value(); });
  if (leads) parts.reading += " Framed squares lead to the pair's own charts.";
  if (map.left_out > 0) {
    parts.reading += " Shown are the " + std::to_string(features_in_map) +
                     " features that interact most in the pairs examined; " + std::to_string(map.left_out) +
                     " more are in the data table.";
  }
  parts.table = table;
  parts.spec = vega_pair_map(map);
  return parts;
}

std::string reading_of_bars(const PairMap& map) {
  std::string text =
      "How far the joint effect is from the sum of the two, in units of the prediction. H² is that as a share of the "
      "joint effect's variance.";
  const auto faded = [](const PairMap::Cell& cell) { return cell.faded && cell.rank < bars_of_pairs; };
  if (std::any_of(map.cells.begin(), map.cells.end(), faded))
    text += " Faded, without H²: too little joint effect for it to mean much.";
  const auto pairs = static_cast<std::size_t>(
      std::count_if(map.cells.begin(), map.cells.end(), [](const PairMap::Cell& cell) { return cell.output == 0; }));
  if (pairs > bars_of_pairs) text += " " + std::to_string(pairs - bars_of_pairs) + " more are in the data table.";
  return text;
}

std::string description_of_map(const PairMap& map, std::size_t output) {
  const std::string of = map.outputs.size() > 1 ? " for " + unique_labels(map.outputs)[output] : "";
  const std::string start =
      "Interaction strength of " + std::to_string(map.features.size()) + " features in pairs" + of + ".";
  // By output, strongest first.
  const auto of_output = [&](const PairMap::Cell& cell) { return cell.output == output; };
  const auto strongest = std::find_if(map.cells.begin(), map.cells.end(), of_output);
  if (strongest == map.cells.end()) return start;
  const auto examined = std::count_if(map.cells.begin(), map.cells.end(), of_output);
  return start +
         (examined > 1 ? " The strongest of the " + std::to_string(examined) + " pairs examined is "
                       : " The pair examined is ") +
         joined_names(strongest->entry->features, 40) + " (" + readable(strongest->entry->strength) + ").";
}

// The heat map, and the bars of the strongest pairs.
void show_map(Draft& draft, const Chapter& chapter, const Result& result, std::vector<std::size_t>& sections) {
  PairMap map = pair_map(result);
  if (map.is_empty()) return;
  for (auto& cell : map.cells) cell.section = draft.find(cell.entry->features);
  std::vector<Picture*> pictures;
  for (auto& picture : draft.pictures()) {
    const auto* entries = picture.group.as<InteractionEntries>();
    const bool pairs = entries != nullptr && entries->interaction[0]->features.size() == 2 && entries->rows().empty();
    if (!picture.taken && picture.result == &result && pairs) pictures.push_back(&picture);
  }
  const auto labels = unique_labels(map.outputs);
  DataTable table;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    pictures[i]->taken = true;
    append(table, data_table(pictures[i]->group), labels.size() > 1 ? labels[i] : "");
  }
  ChartParts bars = chart_parts(*pictures[0]);
  bars.spec = vega_pair_bars(map);
  bars.table = table;
  bars.about = "the strongest of the pairs examined";
  bars.output.clear();
  bars.reading = reading_of_bars(map);
  ChartParts heat = map_parts(map, table);
  if (const std::string subject = draft.subject(result); !subject.empty()) {
    for (ChartParts* parts : {&bars, &heat}) parts->about += " · " + subject;
  }
  heat.description = description_of_map(map, 0);
  if (labels.size() > 1) {
    std::vector<OutputWords> of_map, of_bars;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      of_map.push_back({labels[i], {}, description_of_map(map, i)});
      of_bars.push_back({labels[i], badges(pictures[i]->group), describe(result, pictures[i]->group)});
    }
    heat.choose_output(result, std::move(of_map));
    bars.choose_output(result, std::move(of_bars));
  }
  const std::size_t section = draft.section(chapter, SectionKind::overview, {}, "Pairs of features");
  // What stands first is seen before anything is opened: of many features a map would fill a screen.
  const bool has_map = map.features.size() >= least_map, map_first = map.features.size() <= most_in_first_map;
  if (has_map && map_first) draft.add_chart(section, heat);
  draft.add_chart(section, bars);
  if (has_map && !map_first) draft.add_chart(section, heat);
  if (std::find(sections.begin(), sections.end(), section) == sections.end()) sections.push_back(section);
}

// Strongest first, as far as interactions are known.
void sort_pairs(Draft& draft, std::vector<std::size_t>& sections) {
  std::map<std::size_t, double> strength;
  for (const auto& result : draft.results()) {
    for (const auto& item : result.results) {
      const auto* entry = item.as<Interaction>();
      if (entry == nullptr || entry->features.size() != 2) continue;
      if (const auto section = draft.find(entry->features))
        strength[*section] = std::max(strength[*section], entry->strength);
    }
  }
  std::stable_sort(sections.begin(), sections.end(),
                   [&](std::size_t a, std::size_t b) { return strength[a] > strength[b]; });
}

}  // namespace

void interactions_chapter(Draft& draft, Chapter& chapter) {
  auto pairs = show_pairs(draft, chapter);
  sort_pairs(draft, pairs);
  auto& sections = chapter.sections;
  const auto add = [&](std::size_t section) {
    if (std::find(sections.begin(), sections.end(), section) == sections.end()) sections.push_back(section);
  };
  for (const auto& result : draft.results()) show_map(draft, chapter, result, sections);
  for (auto& picture : draft.pictures()) {
    const auto* entries = picture.group.as<InteractionEntries>();
    if (picture.taken || entries == nullptr) continue;
    // What each feature does with all others is a column of the table of rankings.
    const Interaction& entry = *entries->interaction[0];
    const bool ranked = entry.features.size() == 1 && entry.group.empty() &&
                        draft.ranking().has(picture.result->method, interaction_strength());
    if (ranked) {
      picture.taken = true;
    } else {
      add(draft.show(chapter, picture));
    }
  }
  for (auto& picture : draft.pictures()) {
    const auto* entries = picture.group.as<ImportanceEntries>();
    if (picture.taken || entries == nullptr) continue;
    if (entries->importance[0]->measure.kind != MeasureKind::variance) continue;
    picture.taken = true;
    const std::size_t section = draft.section(chapter, SectionKind::overview, {}, "Shares of variance");
    draft.add_picture(section, picture);
    add(section);
  }
  const std::size_t overviews = sections.size();
  sections.insert(sections.end(), pairs.begin(), pairs.end());
  chapter.open = overviews + std::min(pairs.size(), pairs_open);
  chapter.lead =
      "Where the effect of one feature depends on another: their joint effect is then not the sum of the two.";
}

}  // namespace sightglass::html
