// What the model would predict for one row if one of its values were another: curves of single rows, the row's own
// value marked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sightglass/insight/groups/row_curves.h"
#include "sightglass/result/result.h"

namespace sightglass {

// Of a row among others, and of a row that a picture is about.
constexpr std::size_t features_in_what_if = 6, features_of_one_row = 12;
// Of a panel, at the most: with the row's own, and those at which the class changes.
constexpr std::size_t levels_in_panel = 12;

struct WhatIf {
  struct Line {
    const Curves* curves = nullptr;
    std::size_t row = 0;               // its place among the curves
    std::optional<double> own_number;  // within the grid or not
    std::optional<std::size_t> own_level;
    std::optional<double> own_height;  // what is predicted for the row as it is, as far as the curve tells
    std::vector<ClassFlip> flips;      // of this row; on either side of its own value the nearest first
  };
  const Result* result = nullptr;
  std::shared_ptr<const LevelPlan> levels = nullptr;  // which panels show of many
  std::string output;
  std::vector<Line> lines;      // one per feature
  std::size_t left_out = 0;     // features that are not among them
  std::string predicted_class;  // of the row as it is; empty: unknown, or there are no classes
};

// Curves of predictions (not changes, not slopes) of this row and output: those by which the class flips first, then
// those that move the prediction most, at most so many as one picture holds. Features that do not move it are no part
// of it, unless none does. No result if there are no curves.
[[nodiscard]] WhatIf what_if(const std::vector<Result>& results, std::uint64_t row, const std::string& output,
                             const std::vector<std::string>& features);

// Of a picture's panels.
[[nodiscard]] WhatIf what_if(const Result& result, const RowPanels& panels, std::size_t most = features_of_one_row);

// "from 2.45 on: versicolor", "below 1.2: setosa", "at winter: low", "without a value: low".
[[nodiscard]] std::string flip_text(const WhatIf::Line& line, const ClassFlip& flip);
// The first of them, and how many there are besides; empty: there are none.
[[nodiscard]] std::string flips_text(const WhatIf::Line& line, std::size_t most);

// Whether the row has a value that could move.
[[nodiscard]] bool has_own_value(const WhatIf::Line& line);

// How far the row's value can move before the class is another: "can fall by 3.2 or rise by less than 0.8", "can fall
// freely or rise by less than 0.8", "can be any value"; of levels which keep it; empty where no classes are predicted.
[[nodiscard]] std::string slack_text(const WhatIf::Line& line);

// Whether the prediction changes as far as numbers on a page tell.
[[nodiscard]] bool moves(const WhatIf::Line& line);

// Whether a what-if picture can be made of it.
[[nodiscard]] bool tells_single_rows(const Curves& curves);

}  // namespace sightglass
