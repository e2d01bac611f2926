// Why does the model predict what it does for this row? Everything that is known about one row, on one page: what each
// feature adds, what would be predicted if one value were another, which rule holds it, what would have to change for
// another outcome, and the rows that are most like it. All on one scale, so that the numbers can be compared.
#pragma once

#include <optional>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct ExplainRowOptions {
  std::vector<std::int64_t> rows;
  std::int64_t neighbors = 5;
  std::int64_t grid = 64;
  std::int64_t background_rows = 100;
  std::string want;
  std::optional<double> at_least;
  std::optional<double> at_most;
  std::optional<double> change;

  static void fields(auto&& field) {
    field("rows", &ExplainRowOptions::rows,
          {.help = "the row to explain, counted from 0, or a few of them", .type = OptionType::rows});
    field("neighbors", &ExplainRowOptions::neighbors,
          {.help = "most similar rows to show", .type = OptionType::count, .range = between(1, 1000)});
    field("grid", &ExplainRowOptions::grid,
          {.help = "points of a numeric feature at which its value is changed, at the most",
           .type = OptionType::count,
           .range = between(1, 100000, "points")});
    field("background_rows", &ExplainRowOptions::background_rows,
          {.help = "rows with which the row is compared to see what features add, drawn at random; 0 = all. Trees are "
                   "compared with all rows",
           .type = OptionType::row_count});
    field("want", &ExplainRowOptions::want,
          {.help = "the class for which the smallest change is looked for; default: the most likely other one"});
    field("at_least", &ExplainRowOptions::at_least,
          {.help = "the smallest change with which the prediction is this or more"});
    field("at_most", &ExplainRowOptions::at_most,
          {.help = "the smallest change with which the prediction is this or less"});
    field("change", &ExplainRowOptions::change,
          {.help = "the smallest change with which the prediction rises by this or more; below 0: falls"});
  }
};

[[nodiscard]] MethodEntry explain_row();

}  // namespace sightglass
