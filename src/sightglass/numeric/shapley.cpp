#include "sightglass/numeric/shapley.h"

#include <bit>

namespace sightglass {

namespace {

// Calls visit(S) for every coalition without any of the players in `without`, ascending.
template <class Visit>
void for_each_without(std::size_t coalitions, std::size_t without, Visit visit) {
  for (std::size_t set = 0; set < coalitions; set = ((set | without) + 1) & ~without) visit(set);
}

}  // namespace

std::vector<double> coalition_weights(std::size_t others) {
  std::vector<double> weights(others + 1);
  double binomial = 1;  // others over s
  for (std::size_t s = 0; s <= others; ++s) {
    weights[s] = 1 / (static_cast<double>(others + 1) * binomial);
    binomial = binomial * static_cast<double>(others - s) / static_cast<double>(s + 1);
  }
  return weights;
}

void shapley_values(std::span<const double> game, std::size_t players, std::span<double> values) {
  if (players == 0) return;
  const auto weights = coalition_weights(players - 1);
  for (std::size_t j = 0; j < players; ++j) {
    const std::size_t bit = std::size_t{1} << j;
    double sum = 0;
    for_each_without(game.size(), bit, [&](std::size_t set) {
      sum += weights[static_cast<std::size_t>(std::popcount(set))] * (game[set | bit] - game[set]);
    });
    values[j] = sum;
  }
}

void shapley_interactions(std::span<const double> game, std::size_t players, std::span<const double> values,
                          std::span<double> matrix) {
  for (std::size_t j = 0; j < players; ++j) matrix[j * players + j] = values[j];
  if (players < 2) return;
  const auto weights = coalition_weights(players - 2);
  for (std::size_t j = 0; j < players; ++j) {
    for (std::size_t k = j + 1; k < players; ++k) {
      const std::size_t first = std::size_t{1} << j, second = std::size_t{1} << k;
      double sum = 0;
      for_each_without(game.size(), first | second, [&](std::size_t set) {
        const double together = game[set | first | second] - game[set | second];
        const double alone = game[set | first] - game[set];
        sum += weights[static_cast<std::size_t>(std::popcount(set))] * (together - alone);
      });
      matrix[j * players + k] = matrix[k * players + j] = sum / 2;
      matrix[j * players + j] -= sum / 2;
      matrix[k * players + k] -= sum / 2;
    }
  }
}

}  // namespace sightglass
