// What the model would predict for one row if one of its values were another: curves of single rows, the row's own
// value marked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

constexpr std::size_t features_in_what_if = 6;

struct WhatIf {
  struct Line {
    const Curves* curves = nullptr;
    std::size_t row = 0;               // its place among the curves
    std::optional<double> own_number;  // within the grid or not
    std::optional<std::size_t> own_level;
    std::optional<double> own_height;  // what is predicted at the own value, as far as the grid tells
  };
  const Result* result = nullptr;
  std::string output;
  std::vector<Line> lines;  // one per feature
};

// Curves of predictions (not changes, not slopes) of this row and output, in the order of the features; at most so many
// as one picture holds. Features that do not move the prediction are left out, unless none does. No result if there are
// no curves.
[[nodiscard]] WhatIf what_if(const std::vector<Result>& results, std::uint64_t row, const std::string& output,
                             const std::vector<std::string>& features);

// Whether the prediction changes as far as numbers on a page tell.
[[nodiscard]] bool moves(const WhatIf::Line& line);

// Whether a what-if picture can be made of it.
[[nodiscard]] bool tells_single_rows(const Curves& curves);

}  // namespace sightglass
