// Of the rows that are predicted as a class, how many are of it, and how many of the class are found?
//   for every threshold t: precision, the share of rows with f(x) ≥ t that are of the class, against recall, the share
//   of the class with f(x) ≥ t; average precision Σ (R_n − R_{n−1}) P_n
// Davis and Goadrich 2006. Cost: each row is predicted once, then sorted, for each class. What is good depends on how
// frequent the class is: the dashed line is what guessing reaches.
#pragma once

#include <cstdint>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct PrecisionRecallOptions {
  std::int64_t points = 300;

  static void fields(auto&& field) {
    field("points", &PrecisionRecallOptions::points,
          {.help = "points of a curve that are kept, at the most; 0 = one per threshold. Average precision is of all",
           .type = OptionType::count,
           .range = at_least(0)});
  }
};

[[nodiscard]] MethodEntry precision_recall();

}  // namespace sightglass
