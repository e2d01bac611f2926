// Tables of numbers that are given, or that look like chance and are not.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sightglass/data/table.h"

namespace sightglass::testing {

inline Table numbers_table(const std::vector<std::string>& names, const std::vector<std::vector<double>>& columns) {
  std::vector<ColumnInfo> infos;
  std::vector<Column> data;
  for (std::size_t k = 0; k < names.size(); ++k) {
    infos.push_back({.name = names[k]});
    data.push_back(column_of(columns[k]));
  }
  return Table(Schema(std::move(infos)), std::move(data));
}

// "x0", "x1", …
inline std::vector<std::string> numbered_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < count; ++j) names.push_back("x" + std::to_string(j));
  return names;
}

// 200 rows of numbered columns, each in an order of its own.
inline Table scattered_table(std::size_t columns) {
  std::vector<std::vector<double>> data;
  for (std::size_t j = 0; j < columns; ++j) {
    std::vector<double> values(200);
    for (std::size_t row = 0; row < values.size(); ++row)
      values[row] = static_cast<double>((row * (2 * j + 7919) + j * j * 31) % 199);
    data.push_back(std::move(values));
  }
  return numbers_table(numbered_names(columns), data);
}

}  // namespace sightglass::testing
