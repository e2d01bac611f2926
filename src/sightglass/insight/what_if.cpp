#include "sightglass/insight/what_if.h"

#include <algorithm>
#include <cmath>

#include "sightglass/insight/axis_height.h"
#include "sightglass/insight/readable.h"

namespace sightglass {

namespace {

WhatIf::Line line_of(const Curves& curves, std::size_t row) {
  WhatIf::Line line{&curves, row, {}, {}, {}};
  const auto& values = curves.values[row];
  if (row < curves.own_value.size() && curves.own_value[row]) {
    line.own_number = curves.own_value[row];
    line.own_height = height_at(curves.axis, values, *line.own_number);
  }
  if (row < curves.own_level.size()) {
    line.own_level = level_place(curves.axis, curves.own_level[row]);
    if (line.own_level) line.own_height = values[*line.own_level];
  }
  return line;
}

}  // namespace

bool tells_single_rows(const Curves& curves) {
  return !curves.derivative && curves.group.empty() && !curves.anchor && curves.anchor_level.empty() &&
         curves.axis.size() > 0;
}

bool moves(const WhatIf::Line& line) {
  const auto& heights = line.curves->values[line.row];
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
  return low != heights.end() && readable(*low) != readable(*high);
}

WhatIf what_if(const std::vector<Result>& results, std::uint64_t row, const std::string& output,
               const std::vector<std::string>& features) {
  WhatIf picture;
  std::vector<WhatIf::Line> still;
  for (const auto& feature : features) {
    if (picture.lines.size() == features_in_what_if) break;
    bool found = false;
    for (const auto& result : results) {
      // One result, so that all lines are of the same quantity.
      if (found || (picture.result != nullptr && picture.result != &result)) continue;
      for (const auto& item : result.results) {
        const auto* curves = item.as<Curves>();
        if (curves == nullptr || !tells_single_rows(*curves) || curves->axis.feature != feature ||
            curves->output != output) {
          continue;
        }
        const auto at = std::find(curves->rows.begin(), curves->rows.end(), row);
        if (at == curves->rows.end()) continue;
        picture.result = &result;
        picture.output = output;
        const WhatIf::Line line = line_of(*curves, static_cast<std::size_t>(at - curves->rows.begin()));
        (moves(line) ? picture.lines : still).push_back(line);
        found = true;
        break;
      }
    }
  }
  // That nothing moves a prediction is worth a picture, that some features do not is none.
  if (picture.lines.empty()) {
    still.resize(std::min(still.size(), features_in_what_if));
    picture.lines = std::move(still);
  }
  return picture;
}

}  // namespace sightglass
