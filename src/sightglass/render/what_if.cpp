#include "sightglass/render/what_if.h"

#include <algorithm>
#include <cmath>

namespace sightglass {

namespace {

std::optional<double> height_at(const Axis& axis, const std::vector<double>& values, double own) {
  if (axis.numbers.empty() || !(own >= axis.numbers.front() && own <= axis.numbers.back())) return std::nullopt;
  const auto after = std::lower_bound(axis.numbers.begin(), axis.numbers.end(), own);
  const auto i = static_cast<std::size_t>(after - axis.numbers.begin());
  if (i == 0 || axis.numbers[i] == own) return values[i];
  const double share = (own - axis.numbers[i - 1]) / (axis.numbers[i] - axis.numbers[i - 1]);
  return values[i - 1] + share * (values[i] - values[i - 1]);
}

WhatIf::Line line_of(const Curves& curves, std::size_t row) {
  WhatIf::Line line{&curves, row, {}, {}, {}};
  const auto& values = curves.values[row];
  if (row < curves.own_value.size() && curves.own_value[row]) {
    line.own_number = curves.own_value[row];
    line.own_height = height_at(curves.axis, values, *line.own_number);
  }
  if (row < curves.own_level.size()) {
    const auto& levels = curves.axis.levels;
    const auto found = std::find(levels.begin(), levels.end(), curves.own_level[row]);
    if (found != levels.end()) {
      line.own_level = static_cast<std::size_t>(found - levels.begin());
      line.own_height = values[*line.own_level];
    }
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
