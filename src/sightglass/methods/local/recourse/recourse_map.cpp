#include "sightglass/methods/local/recourse/recourse_map.h"

#include <algorithm>
#include <map>

namespace sightglass {

namespace {

// Fewer rows make no map.
constexpr std::size_t fewest_map_rows = 10;

}  // namespace

void add_recourse_map(const std::vector<Counterfactuals>& items, Result& result) {
  std::vector<std::string> outputs;
  for (const Counterfactuals& item : items) {
    if (std::find(outputs.begin(), outputs.end(), item.output) == outputs.end()) outputs.push_back(item.output);
  }
  for (const std::string& output : outputs) {
    std::map<std::vector<std::string>, std::vector<double>> costs;  // of the sets of features
    std::size_t open = 0, not_found = 0, none = 0;
    for (const Counterfactuals& item : items) {
      if (item.output != output || item.status == RecourseStatus::already) continue;
      ++open;
      if (item.changes.empty()) {
        ++(is_proven_unreached(item) ? none : not_found);
        continue;
      }
      std::vector<std::string> features;
      for (const auto& [feature, value] : item.changes.front().values.as_object()) features.push_back(feature);
      costs[features].push_back(item.changes.front().cost);
    }
    if (open < fewest_map_rows) continue;
    const auto entry = [&](const std::string& name, std::size_t rows) {
      Importance each{
          .feature = name, .output = output, .importance = static_cast<double>(rows) / static_cast<double>(open)};
      each.measure.kind = MeasureKind::recourse;
      each.details.set("rows", rows).set("of", open);
      return each;
    };
    std::vector<Importance> entries;
    for (auto& [features, each] : costs) {
      std::sort(each.begin(), each.end());
      std::string name;
      for (const std::string& feature : features) name += (name.empty() ? "" : " & ") + feature;
      Importance& found = entries.emplace_back(entry(name, each.size()));
      found.details.set("median_cost", each[(each.size() - 1) / 2]).set("features", features);
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Importance& a, const Importance& b) { return a.importance > b.importance; });
    if (none > 0) entries.push_back(entry("(proven: none)", none));
    if (not_found > 0) entries.push_back(entry("(none found)", not_found));
    for (Importance& each : entries) result.results.emplace_back(std::move(each));
  }
}

}  // namespace sightglass
