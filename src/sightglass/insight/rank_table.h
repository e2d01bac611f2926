// Features ranked by every measure that several results bring, side by side: permutation importance, importance from
// partial dependence, Shapley values, interaction strength. Entries about groups of rows are not in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

struct RankTable {
  struct Column {
    std::string title;                        // "Increase of rmse"
    std::string method;                       // "permutation-importance"
    std::string method_title;                 // "Permutation importance"
    std::string hint;                         // what it measures, in a sentence
    std::size_t outputs = 1;                  // whose mean it is
    std::vector<ImportanceMeasure> measures;  // that it tells: its own, and what says nearly the same
    double base = 0;                          // of a feature that does not matter: 1 of ratios
  };
  struct Cell {
    std::optional<double> value, low, high;
    std::string text;
  };
  struct Row {
    std::string name;                   // as in the results
    std::vector<std::string> features;  // that it stands for
    std::vector<Cell> cells;            // one per column
  };
  std::vector<Column> columns;
  std::vector<Row> rows;  // by the first column, then by the next

  // Whether a column shows all that the result says with this measure.
  [[nodiscard]] bool has(const std::string& method, const ImportanceMeasure& measure) const;
};

// Better known measures first, whatever the order of the results.
[[nodiscard]] RankTable rank_table(const std::vector<Result>& results);

}  // namespace sightglass
