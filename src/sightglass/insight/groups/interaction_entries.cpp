#include "sightglass/insight/groups/interaction_entries.h"

#include <map>
#include <tuple>

namespace sightglass {

std::string InteractionEntries::qualifier() const {
  const std::size_t order = interaction[0]->features.size();
  return order == 1   ? "each feature with all others"
         : order == 2 ? "pairs of features"
                      : std::to_string(order) + " features together";
}

std::vector<PlacedGroup> group_interactions(const std::vector<const ResultItem*>& items) {
  std::vector<std::pair<std::size_t, InteractionEntries>> rankings;
  std::map<std::tuple<std::string, std::string, std::size_t>, std::size_t> open;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& entry = items[i]->get<Interaction>();
    const auto [at, added] = open.try_emplace({entry.output, entry.group, entry.features.size()}, rankings.size());
    if (added) rankings.emplace_back(i, InteractionEntries());
    rankings[at->second].second.interaction.push_back(&entry);
  }
  std::vector<PlacedGroup> groups;
  for (auto& [place, ranking] : rankings) groups.push_back({place, std::move(ranking)});
  return groups;
}

}  // namespace sightglass
