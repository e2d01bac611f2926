#include "sightglass/insight/what_if.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sightglass/base/error.h"
#include "sightglass/insight/axis_height.h"
#include "sightglass/insight/readable.h"

namespace sightglass {

namespace {

WhatIf::Line line_of(const Curves& curves, std::size_t row) {
  WhatIf::Line line{&curves, row, {}, {}, {}, {}};
  const auto& values = curves.values[row];
  if (row < curves.own_value.size() && curves.own_value[row]) {
    line.own_number = curves.own_value[row];
    line.own_height = height_at(curves.axis, values, *line.own_number);
  }
  if (row < curves.own_level.size()) {
    line.own_level = level_place(curves.axis, curves.own_level[row]);
    if (line.own_level) line.own_height = values[*line.own_level];
  }
  if (row < curves.prediction.size()) line.own_height = curves.prediction[row];
  for (const ClassFlip& flip : curves.flips) {
    if (flip.row == curves.rows[row]) line.flips.push_back(flip);
  }
  if (line.own_number) {
    std::stable_sort(line.flips.begin(), line.flips.end(), [&](const ClassFlip& a, const ClassFlip& b) {
      if (!a.value || !b.value) return a.value.has_value() && !b.value;
      return std::abs(*a.value - *line.own_number) < std::abs(*b.value - *line.own_number);
    });
  }
  return line;
}

bool is_below_own(const WhatIf::Line& line, const ClassFlip& flip) {
  return line.own_number && flip.value && *flip.value <= *line.own_number;
}

std::string flip_place(const WhatIf::Line& line, const ClassFlip& flip) {
  const DateKind dates = line.curves->axis.dates;
  return dates ? date_text(dates, *flip.value) : readable(*flip.value);
}

}  // namespace

std::string flip_text(const WhatIf::Line& line, const ClassFlip& flip) {
  const bool below = is_below_own(line, flip);
  const std::string to = printable(below ? flip.from : flip.to, 40);
  if (flip.missing) return "without a value: " + to;
  if (!flip.value) return "at " + printable(flip.level, 40) + ": " + to;
  return (below ? "below " + flip_place(line, flip) : "from " + flip_place(line, flip) + " on") + ": " + to;
}

std::string flips_text(const WhatIf::Line& line, std::size_t most) {
  std::string text;
  // Without a value of its own the row is on no side of the first change: both are told.
  if (!line.own_number && !line.flips.empty() && line.flips[0].value)
    text = "below " + flip_place(line, line.flips[0]) + ": " + printable(line.flips[0].from, 40) + "; ";
  for (std::size_t i = 0; i < line.flips.size() && i < most; ++i)
    text += (i == 0 ? "" : "; ") + flip_text(line, line.flips[i]);
  if (line.flips.size() > most) text += "; " + std::to_string(line.flips.size() - most) + " more";
  return text;
}

namespace {

constexpr std::size_t levels_in_words = 3;

std::string level_slack_text(const WhatIf::Line& line) {
  const std::vector<std::string>& levels = line.curves->axis.levels;
  std::vector<std::string> kept;
  std::set<std::string_view> lost;
  for (const ClassFlip& flip : line.flips) {
    if (!flip.missing && !flip.value) lost.insert(flip.level);
  }
  std::size_t others = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (line.own_level == i) continue;
    ++others;
    if (!lost.contains(levels[i])) kept.push_back(printable(levels[i], 40));
  }
  if (kept.size() == others) return "can be any level";
  if (kept.empty()) return "cannot be another level";
  if (kept.size() > levels_in_words)
    return "can be " + std::to_string(kept.size()) + " of the " + std::to_string(others) + " other levels";
  std::string text = "can also be ";
  for (std::size_t i = 0; i < kept.size(); ++i) text += (i == 0 ? "" : i + 1 == kept.size() ? " or " : ", ") + kept[i];
  return text;
}

}  // namespace

bool has_own_value(const WhatIf::Line& line) { return line.own_number || line.own_level; }

std::string slack_text(const WhatIf::Line& line) {
  const Curves& curves = *line.curves;
  if (curves.predicted_class.empty()) return {};
  if (curves.axis.is_categorical()) return level_slack_text(line);
  if (!line.own_number) return line.flips.empty() ? "can be any value" : "has no value to move from";
  if (line.row >= curves.slack_down.size() || line.row >= curves.slack_up.size()) return {};
  const std::optional<double> down = curves.slack_down[line.row], up = curves.slack_up[line.row];
  if (!down && !up) return "can be any value";
  const std::string rise = up ? "rise by less than " + axis_distance(curves.axis, *up) : "rise freely";
  // The first value of a class: any step down is into another.
  if (down && *down == 0) return "can " + rise + ", but not fall";
  return "can " + (down ? "fall by " + axis_distance(curves.axis, *down) : "fall freely") + " or " + rise;
}

WhatIf what_if(const Result& result, const RowPanels& panels, std::size_t most) {
  WhatIf picture;
  picture.result = &result;
  picture.levels = panels.levels;
  picture.output = panels.items[0]->output();
  for (const ResultItem* item : panels.items) {
    const auto& curves = item->get<Curves>();
    if (!curves.predicted_class.empty()) picture.predicted_class = curves.predicted_class[0];
    if (curves.axis.size() == 0) continue;
    if (picture.lines.size() < most) {
      picture.lines.push_back(line_of(curves, 0));
    } else {
      ++picture.left_out;
    }
  }
  return picture;
}

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
        if (!curves->predicted_class.empty())
          picture.predicted_class = curves->predicted_class[static_cast<std::size_t>(at - curves->rows.begin())];
        const WhatIf::Line line = line_of(*curves, static_cast<std::size_t>(at - curves->rows.begin()));
        (moves(line) ? picture.lines : still).push_back(line);
        found = true;
        break;
      }
    }
  }
  const auto swing = [](const WhatIf::Line& line) {
    const auto& heights = line.curves->values[line.row];
    const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
    return *high - *low;
  };
  std::stable_sort(picture.lines.begin(), picture.lines.end(), [&](const WhatIf::Line& a, const WhatIf::Line& b) {
    return a.flips.empty() != b.flips.empty() ? b.flips.empty() : swing(a) > swing(b);
  });
  if (picture.lines.size() > features_in_what_if) {
    picture.left_out = picture.lines.size() - features_in_what_if;
    picture.lines.resize(features_in_what_if);
  }
  // That nothing moves a prediction is worth a picture, that some features do not is none.
  if (picture.lines.empty()) {
    still.resize(std::min(still.size(), features_in_what_if));
    picture.lines = std::move(still);
  }
  return picture;
}

}  // namespace sightglass
