// Shapley values of any model, from its predictions alone. Features outside a coalition S take the values of
// background rows b, all of one row together:
//   v(S) = Σ_b w_b f(x_S, b_−S) / Σ_b w_b
// exact: every coalition, 2^p × background rows predictions per row. sampling: random orders of the features, each
// with its reverse (antithetic), for every background row anew; what joining features change, averaged. A round of
// orders takes background rows × 2 (p − 1) predictions and adds up to f(x) − base exactly; rounds go on until
// standard errors are small beside the row's largest value.
// Štrumbelj & Kononenko (2010), An efficient explanation of individual classifications using game theory.
#pragma once

#include <cstdint>
#include <memory>

#include "sightglass/methods/local/shapley/row_attributor.h"

namespace sightglass {

// Beyond this many features the coalitions are too many to ask for each.
inline constexpr std::size_t most_enumerated = 15;

struct CoalitionOptions {
  std::uint64_t background_rows = 100;  // 0 = all
  bool exact = true;
  bool interactions = false;  // only if exact
  // Of sampling: standard errors, as a share of the row's largest |value|, at which it stops; rounds at the most.
  double precision = 0.02;
  std::uint64_t rounds = 20;
};

// Fewer rounds have no standard errors.
inline constexpr std::uint64_t fewest_rounds = 4;

// Model rows that one row takes, where so many background rows are used; of sampling: in one round.
[[nodiscard]] double coalition_cost(std::size_t features, std::uint64_t background_rows, bool exact);

// Draws the background rows.
[[nodiscard]] Chain<AttributorPtr> draw_coalitions(const MethodInput& input, const CoalitionOptions& options);

}  // namespace sightglass
