#include "sightglass/insight/groups.h"

#include <algorithm>
#include <map>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/groups/attribution_picture.h"
#include "sightglass/insight/groups/curve_lines.h"
#include "sightglass/insight/groups/figures.h"
#include "sightglass/insight/groups/importance_entries.h"
#include "sightglass/insight/groups/interaction_entries.h"
#include "sightglass/insight/groups/row_curves.h"
#include "sightglass/insight/readable.h"
#include "sightglass/insight/shown_levels.h"

namespace sightglass {

namespace {

// Shapes whose groups hold more than items. All others need no line here: they share pictures by their
// item_picture_key().
constexpr std::pair<std::string_view, std::vector<PlacedGroup> (*)(const std::vector<const ResultItem*>&)> own_ways[] =
    {{Curves::type, group_row_curves},
     {Importance::type, group_importances},
     {Interaction::type, group_interactions},
     {Figure::type, group_figures}};

std::vector<PlacedGroup> group_by_key(const std::vector<const ResultItem*>& items) {
  std::vector<std::pair<std::size_t, PlainItems>> pictures;
  std::map<std::string, std::size_t> open;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto key = items[i]->picture_key();
    const auto known = key ? open.find(*key) : open.end();
    const std::size_t at = known != open.end() ? known->second : pictures.size();
    if (at == pictures.size()) pictures.emplace_back(i, PlainItems());
    if (key) open[*key] = at;
    pictures[at].second.items.push_back(items[i]);
  }
  std::vector<PlacedGroup> groups;
  for (auto& [place, picture] : pictures) groups.push_back({place, std::move(picture)});
  return groups;
}

std::vector<PlacedGroup> group_shape(const Result& result, std::string_view type,
                                     const std::vector<const ResultItem*>& items) {
  // These tell margins in probabilities, by the result's link.
  if (type == Curve::type) return group_curves(result, items);
  if (type == Attributions::type) return group_attributions(result, items);
  for (const auto& [name, group] : own_ways) {
    if (name == type) return group(items);
  }
  return group_by_key(items);
}

// What every object of JavaScript has.
bool is_property_of_objects(std::string_view name) {
  static constexpr std::string_view names[] = {"__proto__",        "constructor",      "hasOwnProperty",
                                               "isPrototypeOf",    "toString",         "toLocaleString",
                                               "valueOf",          "__defineGetter__", "__defineSetter__",
                                               "__lookupGetter__", "__lookupSetter__", "propertyIsEnumerable"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

std::vector<ItemGroup> group_items(const Result& result) { return group_items(result, level_plan(result)); }

std::vector<ItemGroup> group_items(const Result& result, const LevelPlanPtr& levels) {
  std::map<std::string_view, std::vector<std::size_t>> places;  // in the result, by shape
  for (std::size_t i = 0; i < result.results.size(); ++i) places[result.results[i].type()].push_back(i);
  std::vector<PlacedGroup> placed;
  for (const auto& [type, of_shape] : places) {
    std::vector<const ResultItem*> items;
    for (const std::size_t place : of_shape) items.push_back(&result.results[place]);
    for (auto& [place, group] : group_shape(result, type, items)) placed.push_back({of_shape[place], std::move(group)});
  }
  std::stable_sort(placed.begin(), placed.end(), [](const PlacedGroup& a, const PlacedGroup& b) {
    const bool first_a = a.group->comes_first(), first_b = b.group->comes_first();
    return first_a != first_b ? first_a : a.place < b.place;
  });
  std::vector<ItemGroup> groups;
  for (auto& [place, group] : placed) {
    group.show_levels(levels);
    groups.push_back(std::move(group));
  }
  return groups;
}

std::string ordinary_name(std::string name) {
  if (is_property_of_objects(name)) name.insert(0, "\xE2\x81\xA0");
  return name;
}

std::vector<std::string> unique_labels(const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::vector<std::string> labels;
  for (const auto& name : names) {
    const std::string base = ordinary_name(name.empty() ? "(empty)" : printable(name));
    std::string label = base;
    for (int i = 2; !taken.insert(label).second; ++i) label = base + " (" + std::to_string(i) + ")";
    labels.push_back(label);
  }
  return labels;
}

std::string rows_label(const std::string& group) { return group.empty() ? "all rows" : printable(group); }

std::string joined_names(const std::vector<std::string>& features, std::size_t limit) {
  std::string text;
  for (const auto& name : features) {
    const std::string shown = printable(name, limit);
    text += (text.empty() ? "" : " × ") + (shown.empty() ? "(no name)" : shown);
  }
  return text;
}

std::string group_title(const ItemGroup& group) { return group->title(); }

std::string group_output(const Result& result, const ItemGroup& group) {
  return outputs_of(result).size() < 2 ? std::string() : group->output();
}

std::string group_qualifier(const Result& result, const ItemGroup& group, bool with_output) {
  std::string text = group->qualifier();
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : " · ") + part;
  };
  if (with_output) add(printable(group_output(result, group), 60));
  add(printable(group->rows()));
  return text;
}

}  // namespace sightglass
