// From which probability on should a row be taken for the class?
//   for every threshold t: precision, recall, F1 and the share of rows that are predicted, and the cost per row
//   (c_FP · FP + c_FN · FN) / n, which is lowest at the best threshold
// Elkan 2001: with true probabilities that is c_FP / (c_FP + c_FN). Cost: each row is predicted once, then sorted, for
// each class. On rows that it was chosen on, the best threshold looks better than it is.
#pragma once

#include <cstdint>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct ThresholdOptions {
  double false_positive_cost = 1;
  double false_negative_cost = 1;
  std::int64_t points = 101;

  static void fields(auto&& field) {
    field("false_positive_cost", &ThresholdOptions::false_positive_cost,
          {.help = "what it costs to take another row for the class", .range = at_least(0)});
    field("false_negative_cost", &ThresholdOptions::false_negative_cost,
          {.help = "what it costs to miss a row of the class", .range = at_least(0)});
    field("points", &ThresholdOptions::points,
          {.help = "thresholds that are drawn, evenly from 0 to 1; the best is sought among all predictions",
           .type = OptionType::count,
           .range = between(2, 10000)});
  }
};

[[nodiscard]] MethodEntry threshold();

}  // namespace sightglass
