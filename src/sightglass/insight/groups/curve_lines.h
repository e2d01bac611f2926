// Curves of one feature as the lines of one chart: the outputs (classes), the groups of rows, or the methods that are
// compared.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/insight/groups/item_group.h"
#include "sightglass/result/result.h"

namespace sightglass {

// What the lines of one chart differ in.
enum class LinesBy { output, group, series };

struct CurveLines : AnyGroup {
  const Result* result = nullptr;   // that they are of
  std::vector<const Curve*> curve;  // same feature
  LinesBy lines = LinesBy::output;

  [[nodiscard]] std::string_view type() const override { return Curve::type; }
  [[nodiscard]] std::string output() const override;
  [[nodiscard]] std::string rows() const override;
  [[nodiscard]] std::vector<const Axis*> axes() const override { return {&curve[0]->axis}; }
  [[nodiscard]] bool is_empty() const override;
};

// At most eight lines in one chart, because colours run out.
[[nodiscard]] std::vector<PlacedGroup> group_curves(const Result& result, const std::vector<const ResultItem*>& items);

// The names of a chart's lines: outputs (a single one without a name is "prediction"), groups of rows, series.
[[nodiscard]] std::vector<std::string> line_labels(const CurveLines& group);

// Lines of one chart share an axis, so where effects (around zero) stand beside predictions, the predictions
// are drawn as differences to their own mean over the rows.
struct LineHeights {
  Measure measure = Measure::mean;
  std::vector<double> offset;  // per line: what is subtracted from its heights
  bool shifted = false;
};
[[nodiscard]] LineHeights line_heights(const CurveLines& group);

// The levels of a chart with lines that need not have the same ones (groups of rows), in order of appearance,
// and where each line's levels stand among them.
struct SharedLevels {
  std::vector<std::string> levels;
  std::vector<std::vector<std::size_t>> place;  // per line, per level of that line
};
[[nodiscard]] SharedLevels shared_levels(const CurveLines& group);

// What the heights of a chart of lines are: "effect on the prediction of rentals (bikes/hour)", "loss (rmse)".
[[nodiscard]] std::string height_title(const Result& result, const CurveLines& group, std::string_view output);

// From the lowest to the highest finite height; 0 if there is none.
[[nodiscard]] double range_of(const std::vector<double>& heights);
// Lines by how far they move, widest first.
[[nodiscard]] std::vector<std::size_t> widest_first(const CurveLines& group);

}  // namespace sightglass
