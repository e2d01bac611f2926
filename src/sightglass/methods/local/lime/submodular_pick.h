// Which few rows show most of what a model does: their explanations together cover the terms that matter.
//   I_j = √Σ_i |W_ij|,   c(V) = Σ_j 1[∃ i ∈ V: |W_ij| > 0] · I_j
// The greedy choice is within 1 − 1/e of the best (Ribeiro, Singh, Guestrin 2016, "Why should I trust you?", SP-LIME).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sightglass {

// What a row's explanation gives to a component (a term of an output).
struct Covered {
  std::size_t component = 0;
  double weight = 0;
};

struct Pick {
  std::vector<std::size_t> rows;   // in the order in which they were chosen
  std::vector<double> gains;       // of each: importance that it covers and those before do not
  double total = 0;                // importance of all components
  std::vector<double> importance;  // of each component
  std::vector<bool> covered;       // by any of the rows
};

// Rows that cover nothing more are not picked. counts: how much each row counts.
[[nodiscard]] Pick pick_rows(const std::vector<std::vector<Covered>>& rows, std::span<const double> counts,
                             std::size_t components, std::size_t budget);

}  // namespace sightglass
