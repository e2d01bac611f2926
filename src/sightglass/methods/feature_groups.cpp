#include "sightglass/methods/feature_groups.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/methods/feature_grid.h"

namespace sightglass {

namespace {

struct Named {
  std::string name;  // empty: called after its features
  std::vector<std::string> features;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', begin)) {
    parts.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::vector<Named> read_groups(const Schema& schema, const std::vector<std::string>& items) {
  std::vector<Named> groups;
  bool open = false;  // whether a single name continues the last group
  for (const std::string& item : items) {
    const bool single = schema.find(item).has_value();
    const std::size_t equals = item.find('=');
    if (!single && equals != std::string::npos) {
      groups.push_back({item.substr(0, equals), split(item.substr(equals + 1))});
      open = true;
    } else if (!single && item.find(',') != std::string::npos) {
      groups.push_back({"", split(item)});
      open = false;
    } else {
      if (!open) groups.emplace_back();
      open = true;
      groups.back().features.push_back(item);
    }
  }
  return groups;
}

}  // namespace

std::vector<FeatureGroup> chosen_groups(const MethodInput& input, const std::vector<std::string>& features,
                                        const std::vector<std::string>& groups) {
  std::vector<FeatureGroup> chosen;
  if (!features.empty() || groups.empty()) {
    for (const std::uint32_t column : chosen_features(input, features))
      chosen.push_back({input.schema[column].name, {column}, {input.schema[column].name}});
  }
  for (const Named& named : read_groups(input.schema, groups)) {
    FeatureGroup group{.name = named.name, .columns = chosen_features(input, named.features), .features = {}};
    std::string joined;
    for (const std::uint32_t column : group.columns) {
      group.features.push_back(input.schema[column].name);
      joined += (joined.empty() ? "" : " + ") + group.features.back();
    }
    if (group.name.empty()) group.name = joined;
    chosen.push_back(std::move(group));
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (chosen[k].name == chosen[i].name)
        throw Error(ErrorKind::usage, "groups: two are called " + printable(chosen[i].name), "give each its own name");
    }
  }
  return chosen;
}

void add_value_caveats(const Schema& schema, std::uint32_t column, std::span<const double> values,
                       const std::string& effect, std::vector<Caveat>& caveats) {
  if (values.empty()) return;
  const std::string& name = schema[column].name;
  const bool none = std::all_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  const bool same = std::all_of(values.begin(), values.end(), [&](double value) { return value == values[0]; });
  if (none) {
    caveats.push_back({.id = "no-values",
                       .severity = Severity::caution,
                       .message = name + " has no value in any row: " + effect,
                       .evidence = Value::object({{"feature", name}}),
                       .advice = "leave the feature out, or use data that have it"});
  } else if (same) {
    caveats.push_back({.id = "constant-feature",
                       .severity = Severity::note,
                       .message = name + " has one value in all rows: " + effect,
                       .evidence = Value::object({{"feature", name}}),
                       .advice = "use data in which it varies"});
  }
}

void add_ranks(std::vector<Importance>& entries) {
  std::vector<Importance*> order;
  for (Importance& entry : entries) order.push_back(&entry);
  std::sort(order.begin(), order.end(), [](const Importance* a, const Importance* b) {
    return a->importance != b->importance ? a->importance > b->importance : a->feature < b->feature;
  });
  for (std::size_t k = 0; k < order.size(); ++k) order[k]->details.set("rank", std::uint64_t{k + 1});
}

}  // namespace sightglass
