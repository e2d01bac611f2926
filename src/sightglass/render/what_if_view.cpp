#include "sightglass/render/what_if_view.h"

#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/insight/readable.h"
#include "sightglass/render/text/page_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t features_in_text = 20;
constexpr std::size_t flips_in_text = 4, flips_in_words = 3;
constexpr std::size_t most_values_of_row = 2000;  // of a feature, in a table: a page has many rows
constexpr int spark_columns = 24;

// How far along the axis the row's own value is, 0 to 1; nothing if it is not on it.
std::optional<double> own_place(const WhatIf::Line& line) {
  const Axis& axis = line.curves->axis;
  if (line.own_level) {
    const double last = static_cast<double>(std::max<std::size_t>(axis.size(), 2) - 1);
    return static_cast<double>(*line.own_level) / last;
  }
  if (!line.own_number || axis.numbers.empty()) return std::nullopt;
  const double low = axis.numbers.front(), high = axis.numbers.back();
  if (!(*line.own_number >= low && *line.own_number <= high)) return std::nullopt;
  return high > low ? (*line.own_number - low) / (high - low) : 0.5;
}

std::string own_text(const WhatIf::Line& line) {
  if (line.own_number) return axis_number(line.curves->axis, *line.own_number);
  if (line.own_level) return printable(line.curves->axis.levels[*line.own_level], 20);
  return "missing";
}

// The curve, a dot in place of the row's own value.
std::string spark(const text::Page& page, const WhatIf::Line& line) {
  const Curves& curves = *line.curves;
  const auto& heights = curves.values[line.row];
  text::Range x, y;
  x.add(curves.axis.numbers);
  y.add(heights);
  std::vector<double> shown;
  if (curves.axis.is_categorical() || !(x.high > x.low)) {
    for (const auto i : text::spread(heights.size(), spark_columns)) shown.push_back(heights[i]);
  } else {
    shown = text::resampled(curves.axis.numbers, heights, x, spark_columns);
  }
  const auto part = [&](std::size_t first, std::size_t last) {
    const std::span<const double> some(shown.data() + first, last - first);
    return some.empty() ? std::string() : sparkline(some, y.low, y.high, page.unicode());
  };
  const auto own = own_place(line);
  if (!own || shown.empty()) return part(0, shown.size());
  const auto at = static_cast<std::size_t>(std::lround(*own * static_cast<double>(shown.size() - 1)));
  return part(0, at) + (page.unicode() ? "●" : "o") + part(at + 1, shown.size());
}

}  // namespace

void what_if_section(text::Page& page, const RowPanels& panels) {
  const WhatIf picture = what_if(page.result(), panels, features_in_text);
  const auto& first = panels.items[0]->get<Curves>();
  std::string right = "as it is " + page.number(first.prediction[0]);
  if (!picture.predicted_class.empty())
    right = "predicted " + printable(picture.predicted_class, 40) + page.dot() + right;
  const std::string quantity = prediction_title(page.result(), Quantity::single, first.output);
  page.title(panels.title() + page.dot() + quantity +
                 (first.group.empty() ? std::string() : page.dot() + printable(first.group, 60)),
             right);
  text::TableColumn feature{"feature", {}, true}, own{"own value", {}, false}, curve{"curve", {}, true},
      low{"lowest", {}, false}, high{"highest", {}, false};
  std::string slack;
  std::size_t still = 0;
  for (const WhatIf::Line& line : picture.lines) {
    if (!moves(line) && line.flips.empty()) {
      ++still;
      continue;
    }
    const auto& heights = line.curves->values[line.row];
    const auto [least, most] = std::minmax_element(heights.begin(), heights.end());
    feature.cells.push_back(page.fitted(axis_title(line.curves->axis), 24));
    own.cells.push_back(own_text(line));
    curve.cells.push_back(spark(page, line));
    low.cells.push_back(page.number(*least));
    high.cells.push_back(page.number(*most));
    if (!line.flips.empty() && has_own_value(line))
      slack += (slack.empty() ? "" : "; ") + page.fitted(axis_title(line.curves->axis), 24) + " " + slack_text(line);
  }
  if (!feature.cells.empty()) page.table({feature, own, curve, low, high});
  if (!slack.empty()) page.wrapped("Before the class changes: " + slack + ".", 2);
  if (still > 0) {
    page.line(page.dim("  " + std::to_string(still) +
                       (still == 1 ? " feature does not change" : " features do not change") + " the prediction"));
  }
  if (picture.left_out > 0)
    page.line(page.dim("  " + std::to_string(picture.left_out) + " more features change it less"));
  // The class is that of all outputs: said once.
  if (outputs_of(page.result()).size() > 1 && first.output != picture.predicted_class) return;
  for (const WhatIf::Line& line : picture.lines) {
    if (!line.flips.empty())
      page.wrapped("class changes with " + axis_title(line.curves->axis) + " " + flips_text(line, flips_in_text), 2);
  }
}

std::string describe_what_if(const WhatIf& picture) {
  std::string text = capitalised(prediction_title(*picture.result, Quantity::single, picture.output)) +
                     " of this row when one value is changed.";
  for (const auto& line : picture.lines) {
    const auto& heights = line.curves->values[line.row];
    const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
    if (moves(line))
      text += " " + axis_title(line.curves->axis) + ": between " + readable(*low) + " and " + readable(*high) + ".";
  }
  if (std::none_of(picture.lines.begin(), picture.lines.end(), moves)) text += " None changes it.";
  for (const auto& line : picture.lines) {
    if (line.flips.empty()) continue;
    text += " The class changes with " + axis_title(line.curves->axis) + " " + flips_text(line, flips_in_words) +
            " (before that, it " + slack_text(line) + ").";
  }
  if (picture.left_out > 0)
    text += " " + std::to_string(picture.left_out) +
            (picture.left_out == 1 ? " more feature is" : " more features are") + " not shown.";
  return text;
}

std::string read_what_if(const WhatIf& picture) {
  std::string text =
      "Each panel changes one value of this row and leaves the others as they are: the line is what the model then "
      "predicts. The dashed line and the dot are the row's own value.";
  const bool flips = std::any_of(picture.lines.begin(), picture.lines.end(),
                                 [](const WhatIf::Line& line) { return !line.flips.empty(); });
  if (flips) text += " Where it is shaded, or a level is a diamond, the model predicts another class.";
  return text;
}

std::vector<std::string> what_if_badges(const WhatIf& picture) {
  std::vector<std::string> list;
  if (picture.lines.empty() || !picture.lines[0].curves->explains_rows()) return list;
  if (picture.lines[0].own_height) list.push_back("as it is " + readable(*picture.lines[0].own_height));
  if (picture.predicted_class.empty()) return list;
  list.push_back("class " + printable(picture.predicted_class, 40));
  const auto changing = std::count_if(picture.lines.begin(), picture.lines.end(),
                                      [](const WhatIf::Line& line) { return !line.flips.empty(); });
  // Those that flip the class come first: one that does not is followed by none that does.
  const bool some = picture.left_out > 0 && changing == std::ssize(picture.lines);
  list.push_back(changing == 0   ? "no single value changes the class"
                 : changing == 1 ? "one feature alone can change the class"
                                 : std::string(some ? "at least " : "") + std::to_string(changing) +
                                       " features can each change the class");
  return list;
}

DataTable what_if_table(const WhatIf& picture) {
  DataTable table;
  table.columns = {{"feature", false}, {"value", false}, {"prediction", true}};
  for (const auto& line : picture.lines) {
    const Curves& curves = *line.curves;
    const auto& heights = curves.values[line.row];
    const std::string title = axis_title(curves.axis);
    const auto numbers = axis_numbers(curves.axis);
    const ColumnFormat format(heights);
    const bool levels = curves.axis.is_categorical();
    ShownLevels order = choose_levels(picture.levels, curves.axis, levels_in_panel);
    // The panel has a few of many levels: the others are found here.
    if (!order.others.empty()) table.find = 1;
    order.shown.insert(order.shown.end(), order.others.begin(), order.others.end());
    const std::size_t told = std::min(order.shown.size(), most_values_of_row);
    table.left_out += order.shown.size() - told;
    order.shown.resize(told);
    for (const std::size_t i : order.shown) {
      table.rows.push_back({title, levels ? printable(curves.axis.levels[i]) : numbers[i], format(heights[i])});
    }
    if (line.row < curves.missing.size() && curves.missing[line.row])
      table.rows.push_back({title, "missing", format(*curves.missing[line.row])});
  }
  return table;
}

std::string describe_slack(const WhatIf& picture) {
  std::string told;
  for (const auto& line : picture.lines) {
    if (line.flips.empty() || !has_own_value(line)) continue;
    told += (told.empty() ? " " : "; ") + axis_title(line.curves->axis) + " " + slack_text(line);
  }
  if (told.empty()) return "The row lacks the values with which the class changes: there is nothing to move from.";
  return "While the class stays " + printable(picture.predicted_class, 40) +
         " and the other values are as they are:" + told + ".";
}

DataTable slack_table(const WhatIf& picture) {
  DataTable table;
  table.columns = {{"feature", false}, {"own value", false}, {"before the class changes", false}};
  for (const auto& line : picture.lines)
    table.rows.push_back({axis_title(line.curves->axis), own_text(line), slack_text(line)});
  return table;
}

}  // namespace sightglass
