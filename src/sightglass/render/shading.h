// Where a curve should not be trusted, as drawn behind it: grid points with few rows, and those at which rows
// are evaluated outside the data.
#pragma once

#include <string_view>
#include <vector>

#include "sightglass/render/groups.h"
#include "sightglass/result/result.h"

namespace sightglass {

struct Doubt {
  bool sparse = false, extrapolated = false;
  [[nodiscard]] bool any() const { return sparse || extrapolated; }
};
// Per grid point.
[[nodiscard]] std::vector<Doubt> doubts_of(const Curve& curve);

constexpr std::string_view sparse_words = "few rows here";
constexpr std::string_view extrapolated_words = "outside the data";

// A stretch of a numeric feature: from half way to the neighbour on the left to half way to that on the right.
struct ShadedSpan {
  double low, high;
  bool extrapolated;  // else sparse
};
[[nodiscard]] std::vector<ShadedSpan> shaded_spans(const Curve& curve);
// Behind a whole chart: groups of rows have doubts each, so none are drawn behind all of them; and methods that
// are compared share where rows are few, but not where they leave the data.
[[nodiscard]] std::vector<ShadedSpan> shaded_spans(const ItemGroup& group);

// Whether the data have no rows at a grid point of a surface. Rows of effects are counted between grid points:
// there are none at a point if nothing around it was counted.
[[nodiscard]] bool no_rows_at(const Surface& surface, std::size_t i, std::size_t j);

}  // namespace sightglass
