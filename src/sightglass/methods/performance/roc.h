// How well does the model put rows of a class before the others?
//   for every threshold t: the share of rows of the class with f(x) ≥ t against the share of other rows with f(x) ≥ t,
//   and the area under that curve, which is the chance that of a row of the class and another the first has the higher
//   prediction (ties count half)
// Hanley and McNeil 1982; the interval of the area by DeLong, DeLong and Clarke-Pearson 1988. Cost: each row is
// predicted once, then sorted, for each class. Knows order alone: whether probabilities are right says calibration.
#pragma once

#include <cstdint>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct RocOptions {
  std::int64_t points = 300;

  static void fields(auto&& field) {
    field("points", &RocOptions::points,
          {.help = "points of a curve that are kept, at the most; 0 = one per threshold. Points on a straight line go "
                   "first; areas are of all",
           .type = OptionType::count,
           .range = at_least(0)});
  }
};

[[nodiscard]] MethodEntry roc();

}  // namespace sightglass
