#include "sightglass/insight/pairs.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace sightglass {

namespace {

std::size_t place_in(std::vector<std::string>& list, const std::string& name) {
  const auto found = std::find(list.begin(), list.end(), name);
  if (found == list.end()) list.push_back(name);
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), name) - list.begin());
}

double strength(const Interaction& entry) { return std::isfinite(entry.strength) ? entry.strength : 0; }

}  // namespace

PairMap pair_map(const Result& result) {
  PairMap map;
  map.result = &result;
  std::map<std::string, double> total;
  for (const auto& item : result.results) {
    const auto* entry = item.as<Interaction>();
    if (entry == nullptr || entry->features.size() != 2 || !entry->group.empty()) continue;
    PairMap::Cell cell;
    cell.entry = entry;
    cell.output = place_in(map.outputs, entry->output);
    const Value* findings = entry->details.find("in_findings");
    cell.faded = findings != nullptr && findings->is_bool() && !findings->as_bool();
    map.cells.push_back(cell);
    for (const auto& name : entry->features) {
      place_in(map.features, name);
      total[name] += strength(*entry);
    }
  }
  std::stable_sort(map.features.begin(), map.features.end(),
                   [&](const std::string& a, const std::string& b) { return total[a] > total[b]; });
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < map.features.size(); ++i) place[map.features[i]] = i;
  for (auto& cell : map.cells) {
    cell.first = place[cell.entry->features[0]];
    cell.second = place[cell.entry->features[1]];
  }
  std::stable_sort(map.cells.begin(), map.cells.end(), [](const PairMap::Cell& a, const PairMap::Cell& b) {
    if (a.output != b.output) return a.output < b.output;
    return strength(*a.entry) > strength(*b.entry);
  });
  std::vector<std::size_t> next(map.outputs.size());
  for (auto& cell : map.cells) cell.rank = next[cell.output]++;
  map.left_out = map.features.size() - std::min(map.features.size(), features_in_map);
  return map;
}

}  // namespace sightglass
