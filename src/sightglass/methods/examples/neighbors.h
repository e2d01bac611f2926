// Which rows of the data are most like this one, and what does the model say of them?
//   d(x, z) = mean over features of |x_j − z_j| / range_j, or of 1 if it is another level; features that either lacks
//   do not count
// Gower (1971), A general coefficient of similarity and some of its properties. Cost: rows × features distances, of few
// numbers far less; one prediction per neighbour. What counts as alike is settled without the model: rows that it
// treats alike for another reason are not found.
#pragma once

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct NeighborsOptions {
  std::vector<std::int64_t> rows;
  std::int64_t explain = 1;
  std::int64_t neighbors = 5;
  std::int64_t use_rows = 20'000;

  static void fields(auto&& field) {
    field("rows", &NeighborsOptions::rows, {.help = "only these rows, counted from 0", .type = OptionType::rows});
    field("explain", &NeighborsOptions::explain,
          {.help = "rows to explain where none are named, drawn at random; 0 = all", .type = OptionType::row_count});
    field("neighbors", &NeighborsOptions::neighbors,
          {.help = "rows to show for each", .type = OptionType::count, .range = between(1, 1000)});
    field("use_rows", &NeighborsOptions::use_rows,
          {.help = "rows among which they are looked for, drawn at random; 0 = all", .type = OptionType::row_count});
  }
};

[[nodiscard]] MethodEntry neighbors();

}  // namespace sightglass
