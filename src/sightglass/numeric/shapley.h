// Shapley values of a game that is known for every coalition of its players:
//   φ_j = Σ_{S ∌ j} |S|! (p − |S| − 1)! / p! · [v(S ∪ j) − v(S)]
// and what pairs of players add together (Shapley interaction index, Grabisch & Roubens 1999; Fujimoto et al. 2006).
// Cost: p · 2^p, with interactions p² · 2^p.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sightglass {

// s! (others − s)! / (others + 1)! for every size s of a coalition of others: the share of orders in which just these
// come before a player.
[[nodiscard]] std::vector<double> coalition_weights(std::size_t others);

// game: v(S) for every S as a set of bits, 2^players of them. values: one per player.
void shapley_values(std::span<const double> game, std::size_t players, std::span<double> values);

// matrix: players × players, symmetric; half of a pair's interaction on each side of the diagonal, and there what is
// left of the player's own value, so that rows add up to `values` (which shapley_values gave).
void shapley_interactions(std::span<const double> game, std::size_t players, std::span<const double> values,
                          std::span<double> matrix);

}  // namespace sightglass
