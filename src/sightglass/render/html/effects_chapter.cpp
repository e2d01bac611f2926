// What each feature does: a section per feature, most important first.
#include <algorithm>
#include <map>
#include <set>

#include "sightglass/insight/effects.h"
#include "sightglass/insight/groups/attribution_picture.h"
#include "sightglass/insight/groups/curve_lines.h"
#include "sightglass/insight/readable.h"
#include "sightglass/insight/shading.h"
#include "sightglass/insight/shown_levels.h"
#include "sightglass/render/description.h"
#include "sightglass/render/html/draft_internal.h"
#include "sightglass/render/vega/vega_renderer.h"

namespace sightglass::html {

namespace {

const char* hint_of(EffectMethod method) {
  static constexpr const char* hints[] = {
      "The mean prediction when every row is set to the value, also where no such rows exist",
      "The mean prediction of the rows that have the value: what other features do there is mixed in",
      "Differences between rows that have such values, added up: stays inside the data"};
  return hints[static_cast<std::size_t>(method)];
}

// The data of all outputs, one below the other.
DataTable table_of(const Effect& effect) {
  DataTable all;
  const auto labels = unique_labels(effect.outputs);
  for (std::size_t i = 0; i < labels.size(); ++i)
    append(all, data_table(effect.group(effect.outputs[i])), labels.size() > 1 ? labels[i] : "");
  // What all methods have; csv and json hold the rest.
  for (const char* title : {"sd over rows", "rows up to the next", "rows of this and the next", "slope to the next"})
    drop_column(all, title);
  drop_column(all, extrapolated_words);
  return all;
}

// What the methods are is said once, at the top of the chapter.
std::string reading_of(const Effect& effect) {
  const bool levels = effect.axis().is_categorical();
  bool any_band = false;
  Doubt any;
  for (const auto& curve : effect.curves) {
    any_band = any_band || !curve.se_shape.empty();
    any.sparse = any.sparse || !curve.sparse.empty();
    any.extrapolated = any.extrapolated || !curve.extrapolated.empty();
  }
  std::string text;
  const auto say = [&](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
  if (effect.goes_together && effect.has(EffectMethod::ale) && effect.has(EffectMethod::partial_dependence))
    say("The feature goes strongly together with others, so partial dependence is hidden at first.");
  if (any_band) {
    say(levels ? "Thin lines are 95 % intervals for differences between levels."
               : "Bands are 95 % intervals for the shapes of the curves.");
  }
  if (any.any()) say(marks_explained(any, levels));
  if (const std::string shown = shown_words(effect.group(effect.outputs[0])); !shown.empty()) say(shown);
  if (!levels && !effect.curves[0].distribution.counts.empty())
    say("Below: how many rows of the data have such values, with deciles.");
  return text;
}

constexpr const char* reading_of_methods =
    "ALE compares rows that have such values, "
    "so it stays inside the data; it is drawn at the height of the mean prediction. Partial dependence sets every row "
    "to the value. An M-plot averages the rows that have it, with all that goes together. Where they part, other "
    "features are mixed in. Lines of single rows (ICE) start where the average does; where they part, features "
    "interact.";

std::string row_words(const Curves& rows) {
  return std::to_string(rows.rows.size()) + " of " + readable(Value(rows.total_rows)) +
         " rows, centred: all start where the average is at " + anchor_of(rows);
}

OutputWords words_of(const Effect& effect, const std::string& output, const std::string& label) {
  const CurveLines group = effect.group(output);
  OutputWords words{label, {}, describe_frame(*effect.result, group)};
  for (std::size_t k = 0; k < group.curve.size(); ++k) {
    const EffectMethod method = effect.methods[static_cast<std::size_t>(group.curve[k] - effect.curves.data())];
    words.lines.emplace_back(effect_signal(method), describe_line(group, k));
  }
  for (const Curves& rows : effect.rows) {
    if (rows.output == output)
      words.lines.emplace_back("show_ice", LineWords{"", "Single rows: " + row_words(rows) + "."});
  }
  return words;
}

void add_words(ChartParts& parts, const Effect& effect) {
  const auto labels = unique_labels(effect.outputs);
  std::vector<OutputWords> words;
  for (std::size_t i = 0; i < labels.size(); ++i) words.push_back(words_of(effect, effect.outputs[i], labels[i]));
  if (words.size() > 1) {
    parts.choose_output(*effect.result, std::move(words));
  } else {
    words[0].output.clear();
    parts.words = std::move(words);
  }
}

ChartParts effect_parts(const Effect& effect, const std::string& subject) {
  ChartParts parts;
  parts.method = "Effect";
  parts.about = subject;
  parts.reading = reading_of(effect);
  parts.canvas = !effect.rows.empty();
  parts.table = table_of(effect);
  parts.spec = vega_spec(effect);
  bool any_band = false;
  for (const auto& curve : effect.curves) any_band = any_band || !curve.se_shape.empty();
  // ALE first: it is the one to start with.
  for (const EffectMethod method : {EffectMethod::ale, EffectMethod::partial_dependence, EffectMethod::m_plot}) {
    if (!effect.has(method)) continue;
    parts.toggles.push_back(
        toggle(effect_signal(method), capitalised(effect_label(method)), effect.shows(method), hint_of(method)));
  }
  if (!effect.rows.empty()) {
    const Curves& rows = effect.rows[0];
    parts.toggles.push_back(toggle("show_ice", "Single rows (ICE)", false,
                                   "How single rows move along the feature, one line each: " + row_words(rows)));
  }
  if (any_band)
    parts.toggles.push_back(toggle("show_band", "Uncertainty", true, "95 % intervals of the curves' shapes"));
  add_words(parts, effect);
  return parts;
}

// Whether a picture shows nothing that the effects do not.
bool is_told(const Picture& picture, const std::set<const void*>& items, const std::set<std::string>& features) {
  if (const auto* rows = picture.group.item<Curves>()) return items.contains(rows);
  const auto* lines = picture.group.as<CurveLines>();
  if (lines == nullptr) return false;
  const Curve& first = *lines->curve[0];
  // The components of a decomposition are centred partial dependence.
  if (first.estimand == Estimand::component && first.group.empty()) return features.contains(first.axis.feature);
  return std::all_of(lines->curve.begin(), lines->curve.end(),
                     [&](const Curve* curve) { return items.contains(curve); });
}

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
  std::set<const void*> taken, items;
  std::set<std::string> features;
  for (const auto& picture : draft.pictures()) {
    const auto* rows = picture.group.item<Curves>();
    if (picture.taken && rows != nullptr) taken.insert(rows);
  }
  for (const auto& effect : merged_effects(draft.results(), taken, draft.levels())) {
    const Axis& axis = effect.axis();
    features.insert(axis.feature);
    items.insert(effect.items.begin(), effect.items.end());
    sections.push_back(draft.section(chapter, SectionKind::feature, {axis.feature}, axis_title(axis)));
    draft.add_chart(sections.back(), effect_parts(effect, draft.subject(*effect.result)));
  }
  for (auto& picture : draft.pictures()) {
    const auto* lines = picture.group.as<CurveLines>();
    const auto* attributions = picture.group.as<AttributionPicture>();
    const bool effect = lines != nullptr && lines->curve[0]->measure != Measure::loss;
    const bool scatter = attributions != nullptr && attributions->view == AttributionView::feature;
    if (picture.taken || (!effect && !scatter && picture.group.item<Curves>() == nullptr)) continue;
    if (is_told(picture, items, features)) {
      picture.taken = true;
      continue;
    }
    const std::size_t section = draft.show(chapter, picture);
    if (std::find(sections.begin(), sections.end(), section) == sections.end()) sections.push_back(section);
  }
  chapter.sections = most_important_first(draft, std::move(sections));
  chapter.open = open_of(chapter.sections.size());
  chapter.lead = "How predictions change along each feature, most important feature first.";
  if (!features.empty()) chapter.reading = reading_of_methods;
}

}  // namespace sightglass::html
