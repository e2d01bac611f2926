// Interactions of equally many features as one ranking.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/insight/groups/item_group.h"
#include "sightglass/result/shapes/interaction.h"

namespace sightglass {

struct InteractionEntries : AnyGroup {
  std::vector<const Interaction*> interaction;  // equally many features each

  [[nodiscard]] std::string_view type() const override { return Interaction::type; }
  [[nodiscard]] std::string title() const override { return "Interactions"; }
  [[nodiscard]] std::string output() const override { return interaction[0]->output; }
  [[nodiscard]] std::string rows() const override { return interaction[0]->group; }
  [[nodiscard]] std::string qualifier() const override;
};

[[nodiscard]] std::vector<PlacedGroup> group_interactions(const std::vector<const ResultItem*>& items);

}  // namespace sightglass
