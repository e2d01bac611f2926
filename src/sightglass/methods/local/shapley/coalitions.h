// Shapley values of any model, from its predictions alone. Features outside a coalition S take the values of
// background rows b, all of one row together:
//   v(S) = Σ_b w_b f(x_S, b_−S) / Σ_b w_b
// exact: every coalition, 2^p × background rows predictions per row. sampling: random orders of the features, each
// with its reverse (antithetic), for every background row anew; what joining features change, averaged. A round of
// orders takes background rows × 2 (p − 1) predictions and adds up to f(x) − base exactly; rounds go on until
// standard errors are small beside the row's largest value. Nothing is asked twice: where the row and a background row
// have the same values, whether they are known or not makes no difference.
// Features may join in groups; then p counts groups, each of which is known as a whole or not at all.
// Štrumbelj & Kononenko (2010), An efficient explanation of individual classifications using game theory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

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
  // Which of the model's features (by their places) join together; each belongs to one group. Empty: each is its own.
  std::vector<std::vector<std::size_t>> groups = {};
};

// Fewer rounds have no standard errors.
inline constexpr std::uint64_t fewest_rounds = 4;

// Model rows that one row takes at the most, where so many background rows are used; of sampling: in one round.
// players: features, or groups of them.
[[nodiscard]] double coalition_cost(std::size_t players, std::uint64_t background_rows, bool exact);

// Draws the background rows.
[[nodiscard]] Chain<AttributorPtr> draw_coalitions(const MethodInput& input, const CoalitionOptions& options);

}  // namespace sightglass
