// What pictures of panels are made of: axes, the region, colours.
#pragma once

#include <string>
#include <vector>

#include "sightglass/render/vega/panels_chart_internal.h"
#include "sightglass/result/shapes/panels.h"

namespace sightglass::vega {

constexpr int panel_height = 210;

// Levels have places as numbers have, so that rows of a level can be kept apart; their names are text beside the axis.
struct PanelEdges {
  const Axis& axis;
  std::vector<std::string> labels;

  explicit PanelEdges(const Axis& of);
  // Half way to the neighbours.
  [[nodiscard]] double low(std::size_t i) const;
  [[nodiscard]] double high(std::size_t i) const;
  // The picture's ends.
  [[nodiscard]] double first() const { return low(0); }
  [[nodiscard]] double last() const { return high(axis.size() - 1); }
  // Where a row is drawn: rows of a level beside each other.
  [[nodiscard]] double at(double position, double apart) const {
    return axis.is_categorical() ? position + 0.36 * apart : position;
  }
  [[nodiscard]] Value encoding(bool across) const;
  // The names of levels; null of numbers.
  [[nodiscard]] Value names(bool across) const;
};

// Of one feature: a strip for each class in place of the second axis.
[[nodiscard]] Axis class_strips(const std::vector<std::string>& classes);

struct RegionRect {
  double x = 0, x2 = 0, y = 0, y2 = 0;
};
// What is on the panel's positive side. Between grid points the decision value goes in straight lines, so that borders
// have no steps; each interval of the first feature is cut into so many slices.
[[nodiscard]] std::vector<RegionRect> region_rects(const ShownPanel& panel, const PanelEdges& x, const PanelEdges& y,
                                                   int slices);

// A number between -1 and 1 that keeps marks of the same place apart.
[[nodiscard]] double jitter(std::uint64_t row, std::uint64_t axis);

// What colours mean; shades and rows have them alike.
[[nodiscard]] Value class_color(const std::vector<std::string>& classes);

// The tree with each panel as a small picture; null if it has too many leaves for the place.
[[nodiscard]] Value panel_tree_chart(const ShownPanels& item, const std::vector<std::string>& classes, int width,
                                     std::size_t most_leaves);

}  // namespace sightglass::vega
