#include "sightglass/methods/surrogates/fidelity/regions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sightglass {

namespace {

// Regions with fewer rows say little.
constexpr std::size_t fewest_rows = 20;
constexpr std::size_t most_levels_shown = 12;

const TrainingFeature* find_feature(const TrainingData& data, const std::string& name) {
  const auto found = std::find_if(data.features.begin(), data.features.end(),
                                  [&](const TrainingFeature& feature) { return feature.info.name == name; });
  return found == data.features.end() ? nullptr : &*found;
}

bool meets(const TrainingFeature& feature, const ShownCondition& condition, const std::vector<bool>& levels,
           double value) {
  if (std::isnan(value)) return condition.missing;
  const bool bounded = condition.above || condition.at_least || condition.below || condition.at_most;
  if (!bounded && condition.levels.empty()) return !condition.missing;  // is missing, or is not
  if (feature.info.categorical) return levels[static_cast<std::size_t>(value)];
  return (!condition.above || value > *condition.above) && (!condition.at_least || value >= *condition.at_least) &&
         (!condition.below || value < *condition.below) && (!condition.at_most || value <= *condition.at_most);
}

void add_levels(const TrainingFeature& feature, const RowList& rows, std::vector<FidelityRegion>& regions) {
  std::vector<RowList> of_level(feature.info.levels.size());
  for (const std::size_t row : rows) {
    if (!std::isnan(feature.values[row])) of_level[static_cast<std::size_t>(feature.values[row])].push_back(row);
  }
  std::vector<std::size_t> order(of_level.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return of_level[a].size() > of_level[b].size(); });
  order.resize(std::min(order.size(), most_levels_shown));
  std::sort(order.begin(), order.end());
  for (const std::size_t level : order) {
    if (of_level[level].size() < fewest_rows || of_level[level].size() == rows.size()) continue;
    ShownCondition condition{.feature = feature.info.name, .categorical = true};
    condition.levels = {feature.info.levels[level]};
    regions.push_back({.conditions = {condition}, .rows = std::move(of_level[level])});
  }
}

// Parts of equal weight: a cut is the smallest value up to which there is that share of it.
void add_quantiles(const TrainingData& data, const TrainingFeature& feature, const RowList& rows, std::size_t parts,
                   std::vector<FidelityRegion>& regions) {
  std::vector<std::pair<double, double>> sorted;  // values and weights
  double total = 0;
  for (const std::size_t row : rows) {
    if (std::isnan(feature.values[row])) continue;
    sorted.emplace_back(feature.values[row], data.weight(row));
    total += data.weight(row);
  }
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty() || sorted.front().first == sorted.back().first) return;
  std::vector<double> cuts;  // the last value of each part but the last
  double below = 0;
  for (const auto& [value, weight] : sorted) {
    below += weight;
    const bool filled = below * static_cast<double>(parts) >= static_cast<double>(cuts.size() + 1) * total;
    if (!filled || cuts.size() + 1 >= parts) continue;
    cuts.push_back(value);
    while (cuts.size() + 1 < parts &&
           below * static_cast<double>(parts) >= static_cast<double>(cuts.size() + 1) * total)
      cuts.push_back(value);
  }
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::erase_if(cuts, [&](double cut) { return cut >= sorted.back().first; });
  for (std::size_t part = 0; part <= cuts.size(); ++part) {
    ShownCondition condition{.feature = feature.info.name};
    condition.dates = feature.info.dates;
    if (part > 0) condition.above = cuts[part - 1];
    if (part < cuts.size()) condition.at_most = cuts[part];
    FidelityRegion region{.conditions = {condition}, .rows = {}};
    for (const std::size_t row : rows) {
      if (meets(feature, condition, {}, feature.values[row])) region.rows.push_back(row);
    }
    if (region.rows.size() >= fewest_rows && region.rows.size() < rows.size()) regions.push_back(std::move(region));
  }
}

}  // namespace

std::vector<FidelityRegion> feature_regions(const TrainingData& data, const RowList& rows, std::size_t parts) {
  std::vector<FidelityRegion> regions;
  if (parts < 2) return regions;
  for (const TrainingFeature& feature : data.features) {
    if (feature.info.categorical) {
      add_levels(feature, rows, regions);
    } else {
      add_quantiles(data, feature, rows, parts, regions);
    }
    FidelityRegion missing;
    for (const std::size_t row : rows) {
      if (std::isnan(feature.values[row])) missing.rows.push_back(row);
    }
    if (missing.rows.size() < fewest_rows || missing.rows.size() == rows.size()) continue;
    ShownCondition condition{.feature = feature.info.name, .categorical = feature.info.categorical};
    condition.missing = true;
    missing.conditions = {condition};
    regions.push_back(std::move(missing));
  }
  return regions;
}

RowList rows_meeting(const TrainingData& data, const RowList& rows, const std::vector<ShownCondition>& conditions) {
  RowList left = rows;
  for (const ShownCondition& condition : conditions) {
    const TrainingFeature* feature = find_feature(data, condition.feature);
    if (feature == nullptr) return {};
    std::vector<bool> levels(feature->info.levels.size());
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const auto& names = condition.levels;
      levels[level] = std::find(names.begin(), names.end(), feature->info.levels[level]) != names.end();
    }
    std::erase_if(left, [&](std::size_t row) { return !meets(*feature, condition, levels, feature->values[row]); });
  }
  return left;
}

std::vector<FidelityRegion> rule_regions(const TrainingData& data, const RowList& rows, const Rules& rules) {
  std::vector<FidelityRegion> regions;
  for (const Rule& rule : rules.rules) {
    FidelityRegion region{.conditions = rule.conditions, .rows = rows_meeting(data, rows, rule.conditions)};
    if (region.rows.size() >= fewest_rows && region.rows.size() < rows.size()) regions.push_back(std::move(region));
  }
  return regions;
}

}  // namespace sightglass
