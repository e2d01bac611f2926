// Which items of a result belong into one picture, and how that picture is called: the classes of one feature
// share a chart, so do groups of rows and methods that are compared, and all entries of a ranking; everything
// else stands alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

// What the lines of one chart differ in.
enum class LinesBy { output, group, series };

// What a picture of attributions shows: one row on its way from base to prediction, all rows, or the values of one
// feature against its own values.
enum class AttributionView { row, rows, feature };
// Up to so many rows have a picture each.
constexpr std::size_t rows_one_by_one = 6;

struct ItemGroup {
  // One of these is filled.
  std::vector<const Curve*> curve;  // the lines of one chart, same feature
  const Curves* curves = nullptr;
  const Surface* surface = nullptr;
  std::vector<const Importance*> importance;
  std::vector<const Interaction*> interaction;  // equally many features each
  const Attributions* attributions = nullptr;
  std::vector<const Figure*> figure;
  const ResultItem* item = nullptr;  // of any other shape: it has a picture of its own

  AttributionView view = AttributionView::rows;  // of `attributions`
  std::size_t shown = 0;                         // the row or the feature that is shown, by its place in them
  LinesBy lines = LinesBy::output;               // of `curve`

  // The shape's name, as in JSON.
  [[nodiscard]] std::string_view type() const;
  // None for rankings, figures and shapes that have no axis.
  [[nodiscard]] std::vector<const Axis*> axes() const;
  // An axis without a single point: there is nothing to draw.
  [[nodiscard]] bool is_empty() const;
};

// In order of first appearance; at most eight lines in one chart, because colours run out.
[[nodiscard]] std::vector<ItemGroup> group_items(const Result& result);

// Vega keeps labels and titles as properties of plain objects, where "constructor" means something else: an invisible
// word joiner makes it an ordinary name.
[[nodiscard]] std::string ordinary_name(std::string name);
// Names to show: hostile characters replaced, long ones cut, and still all different.
[[nodiscard]] std::vector<std::string> unique_labels(const std::vector<std::string>& names);
// The names of a chart's lines: outputs (a single one without a name is "prediction"), groups of rows, series.
[[nodiscard]] std::vector<std::string> line_labels(const ItemGroup& group);
// "species = Adelie"; all rows have no name of their own.
[[nodiscard]] std::string rows_label(const std::string& group);
// "hour × temp".
[[nodiscard]] std::string joined_names(const std::vector<std::string>& features, std::size_t limit = 80);

// "temp (°C)", "temp (°C) × humidity (%)", "Interactions".
[[nodiscard]] std::string group_title(const ItemGroup& group);
// What sets this picture apart from others with the same title: "Adelie · island = Dream". Often empty.
[[nodiscard]] std::string group_qualifier(const Result& result, const ItemGroup& group, bool with_output = true);
// The output that a picture is about, where the result has several and the picture one of them; else nothing.
[[nodiscard]] std::string group_output(const Result& result, const ItemGroup& group);

// Lines of one chart share an axis, so where effects (around zero) stand beside predictions, the predictions
// are drawn as differences to their own mean over the rows.
struct LineHeights {
  Measure measure = Measure::mean;
  std::vector<double> offset;  // per line: what is subtracted from its heights
  bool shifted = false;
};
[[nodiscard]] LineHeights line_heights(const ItemGroup& group);

// The levels of a chart with lines that need not have the same ones (groups of rows), in order of appearance,
// and where each line's levels stand among them.
struct SharedLevels {
  std::vector<std::string> levels;
  std::vector<std::vector<std::size_t>> place;  // per line, per level of that line
};
[[nodiscard]] SharedLevels shared_levels(const ItemGroup& group);

// What the heights of a chart of lines are: "effect on the prediction of rentals (bikes/hour)", "loss (rmse)".
[[nodiscard]] std::string height_title(const Result& result, const ItemGroup& group, std::string_view output);

// From the lowest to the highest finite height; 0 if there is none.
[[nodiscard]] double range_of(const std::vector<double>& heights);
// Lines by how far they move, widest first.
[[nodiscard]] std::vector<std::size_t> widest_first(const ItemGroup& group);

}  // namespace sightglass
