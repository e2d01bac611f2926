// Bars with long labels: each label stands above its bar, in as many lines as it takes, so that a narrow place cuts
// none of it and a wide one is not half empty.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/render/vega/parts_internal.h"

namespace sightglass::vega {

struct LabelledBar {
  std::string label;
  double value = 0;
  std::optional<double> low = std::nullopt, high = std::nullopt;  // an interval, as a thin line
  std::string group;                                              // whose colour it has
  Value told = Value::object();                                   // for the tooltip
};

struct LabelledBars {
  std::string title;  // of the axis
  std::vector<LabelledBar> bars;
  double base = 0;  // where bars start
  Domain domain;    // besides the bars' own; what lies beyond is cut off if it is `fixed`
  bool fixed = false;
  std::vector<TooltipField> tooltip;
  std::vector<std::string> groups, colors;    // no colours: those of all charts
  std::optional<double> line = std::nullopt;  // across all bars
  std::size_t left_out = 0;
};

constexpr std::size_t letters_per_line = 80, letters_per_narrow_line = 46;

[[nodiscard]] Value labelled_bars(const LabelledBars& chart, std::size_t letters);

// Orange for what raises the prediction, blue for what lowers it.
inline constexpr const char* raises_color = "#D55E00";
inline constexpr const char* lowers_color = "#0072B2";

}  // namespace sightglass::vega
