#include "sightglass/methods/grid/feature_groups.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/data/given_name.h"
#include "sightglass/methods/grid/feature_grid.h"
#include "sightglass/numeric/largest_first.h"

namespace sightglass {

namespace {

struct Named {
  std::string name;  // empty: called after its features
  std::vector<std::string> features;
};

// Cut at commas, but not within a column's own name.
std::vector<std::string> split(const Schema& schema, const std::string& text) {
  std::vector<std::string> parts;
  if (trimmed(text).empty()) return parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t first = std::min(text.find(',', begin), text.size());
    std::size_t end = first;
    while (end < text.size() && !find_given(schema, text.substr(begin, end - begin)))
      end = std::min(text.find(',', end + 1), text.size());
    // No name at all: the first part is the one to complain about.
    if (!find_given(schema, text.substr(begin, end - begin))) end = first;
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

Named read_group(const Schema& schema, const std::string& item) {
  const std::string advice = "write each group as one item, name=a,b";
  const std::size_t equals = item.find('=');
  const bool single = find_given(schema, item).has_value();
  Named group;
  // Names of columns may have an equals sign of their own.
  const std::vector<std::string> parts = split(schema, item);
  const bool columns = parts.size() > 1 && std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
                         return find_given(schema, part).has_value();
                       });
  if (!single && !columns && equals != std::string::npos) {
    group = {std::string(trimmed(item.substr(0, equals))), split(schema, item.substr(equals + 1))};
  } else if (!single && parts.size() > 1) {
    group.features = parts;
  } else {
    // Only a name: whoever wrote it meant it to be part of a group, or forgot that every feature is there anyway.
    if (!single) (void)schema.require(item, option_name("groups"));
    throw Error(ErrorKind::usage, option_name("groups") + ": " + printable(item) + " is one feature, not a group",
                advice);
  }
  if (group.features.empty())
    throw Error(ErrorKind::usage, option_name("groups") + ": " + printable(item) + " has no features", advice);
  return group;
}

}  // namespace

std::vector<FeatureGroup> chosen_groups(const MethodInput& input, const std::vector<std::string>& features,
                                        const std::vector<std::string>& groups) {
  std::vector<FeatureGroup> named;
  std::vector<bool> in_group(input.schema.size(), false);
  for (const std::string& item : groups) {
    const Named read = read_group(input.schema, item);
    FeatureGroup group{
        .name = read.name, .columns = chosen_features(input, read.features, option_name("groups")), .features = {}};
    std::string joined;
    for (const std::uint32_t column : group.columns) {
      in_group[column] = true;
      group.features.push_back(input.schema[column].name);
      joined += (joined.empty() ? "" : " + ") + group.features.back();
    }
    if (group.name.empty()) group.name = joined;
    if (group.columns.size() < read.features.size())
      throw Error(ErrorKind::usage, option_name("groups") + ": " + printable(item) + " names a feature twice",
                  "name each once");
    named.push_back(std::move(group));
  }
  std::vector<FeatureGroup> chosen;
  for (const std::uint32_t column : chosen_features(input, features)) {
    if (features.empty() && in_group[column]) continue;
    chosen.push_back({input.schema[column].name, {column}, {input.schema[column].name}});
  }
  chosen.insert(chosen.end(), named.begin(), named.end());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (chosen[k].name != chosen[i].name) continue;
      const bool feature = chosen[k].columns.size() == 1 && find_given(input.schema, chosen[k].name);
      throw Error(ErrorKind::usage,
                  option_name("groups") + ": " + printable(chosen[i].name) +
                      (feature ? " is also the name of a feature in the ranking" : " is the name of two groups"),
                  "give each group a name of its own");
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
                       .message = feature_name(name) + " has no value in any row: " + effect,
                       .evidence = Value::object({{"feature", name}}),
                       .advice = "leave the feature out, or use data that have it"});
  } else if (same) {
    caveats.push_back({.id = "constant-feature",
                       .severity = Severity::note,
                       .message = feature_name(name) + " has one value in all rows: " + effect,
                       .evidence = Value::object({{"feature", name}}),
                       .advice = "use data in which it varies"});
  }
}

void add_ranks(std::vector<Importance>& entries) {
  std::vector<double> numbers;
  for (const Importance& entry : entries) numbers.push_back(entry.importance);
  std::uint64_t rank = 0;
  for (const std::size_t at : largest_first(numbers)) entries[at].details.set("rank", ++rank);
}

}  // namespace sightglass
