// Shapley values of the game of one leaf: players are the features of its path, and a coalition S is worth b(all ∖ S)
// if the row meets all conditions of S, else nothing; b is the share of the background that meets the others'
// conditions. For one row against one other: Laberge & Pequignot (2022), Understanding interventional TreeSHAP.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sightglass {

// All that there is to know of a game with few players: for each set, sums over its subsets, once for values, once more
// for pairs. background: b of all 2^players sets.
void sum_shapley_values(std::size_t players, const std::vector<double>& background, std::vector<double>& sums);
void sum_shapley_pairs(std::size_t players, const std::vector<double>& background, std::vector<double>& sums);
// What a row that meets the conditions of a set gets from them: a number per player, or half of the interaction of each
// pair; pairs are those of player 0 with 1, 2, ..., then of 1 with 2, ...
void shapley_values(std::size_t players, const std::vector<double>& sums, std::size_t met, double* values);
void shapley_pairs(std::size_t players, const std::vector<double>& sums, std::size_t met, double* pairs);

// The same for any number of players, but for one row: met, and patterns of the background, one bit per player.
// entries: patterns of `words` numbers, each with its count behind it. Each background row is a game of its own, in
// which all that counts is how many conditions only the one row meets, and how many only the other.
void shapley_path_values(std::size_t players, const std::uint64_t* met, std::span<const std::uint64_t> entries,
                         double total, std::vector<double>& values);
void shapley_path_pairs(std::size_t players, const std::uint64_t* met, std::span<const std::uint64_t> entries,
                        double total, std::vector<double>& pairs);
// Here b is a product of shares, one per player. Worths are then a product of linear functions of the probability t
// with which a player takes part, and the values its integrals: Gauss's points find them exactly, half as many as
// players.
struct GaussPoint {
  double t, weight;
};
[[nodiscard]] std::vector<GaussPoint> gauss_points(std::size_t players);
void shapley_path_values(std::span<const GaussPoint> points, const std::uint64_t* met, std::span<const double> shares,
                         std::vector<double>& values);
void shapley_path_pairs(std::span<const GaussPoint> points, const std::uint64_t* met, std::span<const double> shares,
                        std::vector<double>& pairs);

}  // namespace sightglass
