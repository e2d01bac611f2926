// The single numbers of a result, all in one list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/insight/groups/item_group.h"
#include "sightglass/result/shapes/figure.h"

namespace sightglass {

struct Figures : AnyGroup {
  std::vector<const Figure*> figure;

  [[nodiscard]] std::string_view type() const override { return Figure::type; }
  [[nodiscard]] std::string title() const override { return "Key figures"; }
  // Each names its own.
  [[nodiscard]] std::string output() const override { return {}; }
  [[nodiscard]] std::string rows() const override { return {}; }
  [[nodiscard]] bool comes_first() const override { return true; }
  // The same measures of several groups of rows, which can be compared.
  [[nodiscard]] bool compares_groups() const;
};

[[nodiscard]] std::vector<PlacedGroup> group_figures(const std::vector<const ResultItem*>& items);

}  // namespace sightglass
