// Which items of a result belong into one picture, and how that picture is called: the classes of one feature
// share a chart, so do groups of rows and methods that are compared, and all entries of a ranking; everything
// else stands alone.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/insight/groups/item_group.h"
#include "sightglass/result/result.h"

namespace sightglass {

// In order of first appearance, but for those that come first.
[[nodiscard]] std::vector<ItemGroup> group_items(const Result& result);
// Among other results, whose pictures show the same levels.
[[nodiscard]] std::vector<ItemGroup> group_items(const Result& result, const std::shared_ptr<const LevelPlan>& levels);

// Vega keeps labels and titles as properties of plain objects, where "constructor" means something else: an invisible
// word joiner makes it an ordinary name.
[[nodiscard]] std::string ordinary_name(std::string name);
// Names to show: hostile characters replaced, long ones cut, and still all different.
[[nodiscard]] std::vector<std::string> unique_labels(const std::vector<std::string>& names);
// "species = Adelie"; all rows have no name of their own.
[[nodiscard]] std::string rows_label(const std::string& group);
// "hour × temp".
[[nodiscard]] std::string joined_names(const std::vector<std::string>& features, std::size_t limit = 80);

// "temp (°C)", "temp (°C) × humidity (%)", "Interactions".
[[nodiscard]] std::string group_title(const ItemGroup& group);
// What sets this picture apart from others with the same title: "Adelie · island = Dream". Often empty.
[[nodiscard]] std::string group_qualifier(const Result& result, const ItemGroup& group, bool with_output = true);
// The output that a picture is about, where the result has several and the picture one of them; else nothing.
[[nodiscard]] std::string group_output(const Result& result, const ItemGroup& group);

}  // namespace sightglass
