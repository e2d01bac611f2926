// Nearest neighbours. Question: which known rows are most like this one, and what came of them?
//   f(x) = mean outcome of the k training rows nearest to x, or the shares of their classes; weights count as so many
//   rows
// by Gower's distance: the mean over features of |a − b| / range, 0 or 1 of levels, pairs with a missing value left
// out. Cover & Hart, Nearest neighbor pattern classification, IEEE Trans. Information Theory 1967; Gower, A general
// coefficient of similarity and some of its properties, Biometrics 1971. Exact. Cost: to fit, at most 2,000 rows
// against all, to see with how many neighbours rows are predicted best by the others; of a prediction rows × features.
#pragma once

#include <cstdint>

#include "sightglass/learn/learner.h"

namespace sightglass {

struct KnnOptions {
  std::int64_t neighbors = 0;
  std::int64_t most = 50;
  std::int64_t seed = 0;

  static void fields(auto&& field) {
    field("neighbors", &KnnOptions::neighbors,
          {.help = "how many of them; 0 = as many as predict best, each row by the others",
           .type = OptionType::count,
           .aliases = {"k", "n_neighbors"}});
    field("most", &KnnOptions::most,
          {.help = "neighbours at the most where the best number is looked for",
           .type = OptionType::count,
           .range = at_least(1)});
    field("seed", &KnnOptions::seed,
          {.help = "of the rows that are predicted by the others", .type = OptionType::seed});
  }
};

[[nodiscard]] LearnerEntry knn();

}  // namespace sightglass
