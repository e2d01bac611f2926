// How does a model that explains itself arrive at the prediction of a row? What is in the model is read, nothing is
// estimated: of models that add terms (linear, RuleFit, additive),
//   base + Σ w_j (t_j(x) − mean t_j) = the margin,   base = intercept + Σ w_j mean t_j;
// |w_j| |t_j(x) − mean t_j| is the importance of a term for the row (Friedman & Popescu 2008). Of a tree the splits
// that the row passes, and by how much the mean of the rows changes at each (Saabas 2014); all of them together are the
// rule of the leaf. Cost: one prediction per row.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

struct IntrinsicOptions {
  std::vector<std::int64_t> rows;
  std::int64_t explain = 3;

  static void fields(auto&& field) {
    field("rows", &IntrinsicOptions::rows, {.help = "these rows, counted from 0", .type = OptionType::rows});
    field("explain", &IntrinsicOptions::explain,
          {.help = "rows to explain where none are named, drawn at random; 0 = all", .type = OptionType::row_count});
  }
};

[[nodiscard]] MethodEntry intrinsic();

}  // namespace sightglass
