// Importances that are ranked together: what varies besides the feature (the measure, the rows, the output) stands side
// by side.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/insight/groups/item_group.h"
#include "sightglass/result/shapes/importance.h"

namespace sightglass {

constexpr std::size_t columns_per_ranking = 8;

struct ImportanceEntries : AnyGroup {
  std::vector<const Importance*> importance;

  [[nodiscard]] std::string_view type() const override { return Importance::type; }
  [[nodiscard]] std::string title() const override {
    return is_recourse() ? "The smallest changes" : "Feature importance";
  }
  // Of sets of features and how many rows they bring to another outcome.
  [[nodiscard]] bool is_recourse() const { return importance[0]->measure.kind == MeasureKind::recourse; }
  [[nodiscard]] std::string output() const override;
  [[nodiscard]] std::string rows() const override;
};

[[nodiscard]] std::vector<PlacedGroup> group_importances(const std::vector<const ResultItem*>& items);

}  // namespace sightglass
