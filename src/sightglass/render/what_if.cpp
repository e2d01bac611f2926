#include "sightglass/render/what_if.h"

#include <algorithm>
#include <cmath>

#include "sightglass/render/axis_height.h"

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

WhatIf what_if(const std::vector<Result>& results, std::uint64_t row, const std::string& output,
               const std::vector<std::string>& features) {
  WhatIf picture;
  for (const auto& feature : features) {
    if (picture.lines.size() == features_in_what_if) break;
    bool found = false;
    for (const auto& result : results) {
      // One result, so that all lines are of the same quantity.
      if (found || (picture.result != nullptr && picture.result != &result)) continue;
      for (const auto& item : result.results) {
        const auto* curves = std::get_if<Curves>(&item);
        if (curves == nullptr || !tells_single_rows(*curves) || curves->axis.feature != feature ||
            curves->output != output) {
          continue;
        }
        const auto at = std::find(curves->rows.begin(), curves->rows.end(), row);
        if (at == curves->rows.end()) continue;
        picture.result = &result;
        picture.output = output;
        picture.lines.push_back(line_of(*curves, static_cast<std::size_t>(at - curves->rows.begin())));
        found = true;
        break;
      }
    }
  }
  return picture;
}

}  // namespace sightglass
