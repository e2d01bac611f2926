// Where a curve should not be trusted, as drawn behind it: grid points with few rows, and those at which many rows
// would be combinations of values that the data do not contain.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/insight/groups.h"
#include "sightglass/insight/groups/curve_lines.h"
#include "sightglass/result/marked_ranges.h"
#include "sightglass/result/result.h"

namespace sightglass {

struct Doubt {
  bool sparse = false, extrapolated = false;
  [[nodiscard]] bool any() const { return sparse || extrapolated; }
};
// Per grid point.
[[nodiscard]] std::vector<Doubt> doubts_of(const Curve& curve);

constexpr std::string_view sparse_words = "few rows here";
constexpr std::string_view extrapolated_words = "unusual combinations";
// What the marks of a chart mean, a sentence; of levels, which are faded. Empty without marks.
[[nodiscard]] std::string marks_explained(const Doubt& any, bool levels);

// A stretch of a numeric feature.
struct ShadedSpan {
  MarkedRange range;
  bool extrapolated = false;  // else sparse
};
[[nodiscard]] std::vector<ShadedSpan> shaded_spans(const Curve& curve);
// Behind a whole chart: groups of rows have doubts each, so none are drawn behind all of them; and methods that
// are compared share where rows are few, but not where they leave the data.
[[nodiscard]] std::vector<ShadedSpan> shaded_spans(const CurveLines& group);

// Whether the data have no rows at a grid point of a surface. Rows of effects are counted between grid points:
// there are none at a point if nothing around it was counted.
[[nodiscard]] bool no_rows_at(const Surface& surface, std::size_t i, std::size_t j);

// Which cells of a surface of effects stand on so few rows that one should not go by their colour: fewer than 5,
// or less than one within 2.5 % of both features' ranges (a wide bin at the end of a long tail covers much of the
// picture with few rows). Where no cell has enough, none is called thin: there is nothing to set them apart.
class ThinCells {
 public:
  explicit ThinCells(const Surface& surface);
  [[nodiscard]] bool any() const { return any_; }
  // The cell between this grid point and the next in both directions.
  [[nodiscard]] bool between(std::size_t i, std::size_t j) const { return any_ && thin_[i][j]; }
  // A grid point: there are rows around it, but only in thin cells.
  [[nodiscard]] bool at(std::size_t i, std::size_t j) const;

 private:
  const Surface& surface_;
  std::vector<std::vector<bool>> thin_;
  bool any_ = false;
};

// Effects are known at the corners, rows are counted between them: such cells lie between the grid points.
[[nodiscard]] bool lies_between_points(const Surface& surface);
// What is drawn of a surface: heights at the grid points, or their mean over the four corners of a cell.
[[nodiscard]] std::vector<std::vector<double>> drawn_heights(const Surface& surface);

}  // namespace sightglass
