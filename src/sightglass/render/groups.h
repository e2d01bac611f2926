// Which items of a result belong into one picture, and how that picture is put into words and a table:
// several classes of one feature share a chart; everything else stands alone.
#pragma once

#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

struct ItemGroup {
  std::vector<const Curve*> curve;   // one per output, same feature
  const Curves* curves = nullptr;    // or this
  const Surface* surface = nullptr;  // or this

  [[nodiscard]] std::vector<const Axis*> axes() const;
};

// In order of first appearance; at most eight outputs in one group, because colours run out.
[[nodiscard]] std::vector<ItemGroup> group_items(const Result& result);

// Names to show: hostile characters replaced, long ones cut, and still all different.
[[nodiscard]] std::vector<std::string> unique_labels(const std::vector<std::string>& names);
// The names of a group's outputs; a single one without a name is called "prediction".
[[nodiscard]] std::vector<std::string> output_labels(const ItemGroup& group);

// "temp (°C)", "temp (°C) × humidity (%)".
[[nodiscard]] std::string group_title(const ItemGroup& group);
// What the picture shows, for those who cannot see it: where it starts, peaks and ends.
[[nodiscard]] std::string describe(const Result& result, const ItemGroup& group);

struct DataTable {
  struct Column {
    std::string title;
    bool numeric = true;
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::size_t left_out = 0;  // rows beyond the limit
};

[[nodiscard]] DataTable data_table(const ItemGroup& group, std::size_t limit = 2000);

}  // namespace sightglass
