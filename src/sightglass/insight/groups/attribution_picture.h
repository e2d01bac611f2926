// What a picture of attributions shows of them: few rows have a picture each, of many there is one of all rows and one
// of each feature that adds most.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/insight/groups/item_group.h"
#include "sightglass/result/result.h"

namespace sightglass {

// One row on its way from base to prediction, all rows, or the values of one feature against its own values.
enum class AttributionView { row, rows, feature };
// Up to so many rows have a picture each.
constexpr std::size_t rows_one_by_one = 6;

struct AttributionPicture : AnyGroup {
  AttributionPicture(const Result& whole, const Attributions& of, AttributionView how, std::size_t which = 0)
      : result(&whole), attributions(&of), view(how), shown(which) {}

  const Result* result;
  const Attributions* attributions;
  AttributionView view;
  std::size_t shown;  // the row or the feature that is shown, by its place in them

  [[nodiscard]] std::string_view type() const override { return Attributions::type; }
  [[nodiscard]] std::string title() const override;
  [[nodiscard]] std::string output() const override { return attributions->output; }
  [[nodiscard]] std::string rows() const override { return attributions->group; }
  [[nodiscard]] std::string qualifier() const override;
  [[nodiscard]] std::vector<const Axis*> axes() const override;
  [[nodiscard]] bool is_empty() const override { return attributions->rows.empty(); }
};

[[nodiscard]] std::vector<PlacedGroup> group_attributions(const Result& result,
                                                          const std::vector<const ResultItem*>& items);

}  // namespace sightglass
