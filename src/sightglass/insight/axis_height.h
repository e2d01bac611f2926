// The height of a curve at a value of its feature.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "sightglass/result/result.h"

namespace sightglass {

// Between grid points along a straight line; nothing outside the grid.
[[nodiscard]] inline std::optional<double> height_at(const Axis& axis, std::span<const double> heights, double value) {
  const auto& numbers = axis.numbers;
  if (numbers.empty() || !(value >= numbers.front() && value <= numbers.back())) return std::nullopt;
  const auto after = std::lower_bound(numbers.begin(), numbers.end(), value);
  const auto i = static_cast<std::size_t>(after - numbers.begin());
  if (i == 0 || numbers[i] == value) return heights[i];
  const double share = (value - numbers[i - 1]) / (numbers[i] - numbers[i - 1]);
  return heights[i - 1] + share * (heights[i] - heights[i - 1]);
}

// The place of a level; nothing if the axis does not have it.
[[nodiscard]] inline std::optional<std::size_t> level_place(const Axis& axis, const std::string& level) {
  const auto found = std::find(axis.levels.begin(), axis.levels.end(), level);
  if (found == axis.levels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - axis.levels.begin());
}

}  // namespace sightglass
