#include <algorithm>
#include <map>

#include "sightglass/base/error.h"
#include "sightglass/plans/report/drawn_pairs_internal.h"

namespace sightglass {

namespace {

using Texts = std::vector<std::string>;

// Of all maps of pairs together: more than anybody can look at, and far fewer than the methods refuse.
constexpr std::size_t most_pair_cells = 400'000;

// Cells of the maps of a pair, of all outputs.
std::size_t cells_of(const ReportSetup& setup, const Texts& pair) {
  std::size_t cells = setup.outputs + 1;
  for (const std::string& feature : pair) {
    const auto levels = setup.levels.find(feature);
    cells *= levels != setup.levels.end() ? levels->second + 1 : static_cast<std::size_t>(pair_grid) + 2;
  }
  return cells;
}

std::string too_many_cells(const ReportSetup& setup, const Texts& pair) {
  std::string sizes;
  for (const std::string& feature : pair) {
    const auto levels = setup.levels.find(feature);
    if (levels != setup.levels.end())
      sizes += (sizes.empty() ? "" : " and ") + std::to_string(levels->second) + " of " + printable(feature, 60);
  }
  return "map of " + printable(pair[0], 60) + " and " + printable(pair[1], 60) + ": too many levels (" + sizes +
         ") for a map of each with each";
}

}  // namespace

void take_pairs(const ReportSetup& setup, const Result& result, std::size_t most, Known& known) {
  std::map<Texts, double> strengths;
  for (const Interaction* entry : items_of<Interaction>(result)) {
    if (entry->features.size() == 2) strengths[entry->features] += entry->strength;
  }
  std::vector<std::pair<double, Texts>> sorted;
  for (const auto& [features, strength] : strengths) {
    if (strength > 0) sorted.emplace_back(strength, features);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::size_t cells = 0;
  for (const auto& [strength, features] : sorted) {
    if (known.pairs.size() == most) return;
    const std::size_t own = cells_of(setup, features);
    if (cells + own > most_pair_cells) {
      known.left_out.push_back(too_many_cells(setup, features));
      continue;
    }
    cells += own;
    known.pairs.push_back(features[0] + ":" + features[1]);
  }
}

}  // namespace sightglass
