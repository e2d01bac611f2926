// Shapley values of a row from random orders of the players, each with its reverse, and how far off they may be.
// Background rows are strata: each has orders of its own, equally many. A pair of an order and its reverse is one
// independent observation of what every player changes. Background rows that differ from the row in few players are no
// matter of chance: all their coalitions are asked for, which takes no more predictions than the fewest orders.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/methods/local/shapley/coalitions.h"
#include "sightglass/methods/local/shapley/mixed_rows_internal.h"

namespace sightglass {

// A game for every row: its players, and what those that have not joined are replaced by.
struct CoalitionGame {
  std::vector<std::uint32_t> features;           // columns that the model is given
  std::vector<std::vector<std::size_t>> groups;  // the players: places of features
  std::vector<std::size_t> player_of;            // per feature
  std::vector<std::size_t> explained;            // outputs
  RowSample background;
  std::vector<double> shares;  // of the background rows in the weight of all

  [[nodiscard]] std::size_t players() const { return groups.size(); }
  // Players whose values of the row (per feature) are other than those of a background row.
  [[nodiscard]] std::vector<std::uint32_t> differing(const double* own, std::size_t background_row) const;
};

// What is known of a row before anything is asked about it.
struct ShapleyRow {
  std::uint64_t id = 0;
  const double* own = nullptr;         // per feature
  const double* prediction = nullptr;  // per output
};

// alone: predictions of the background, [row × outputs + output]. values, errors: [output × players + player].
void sample_orders(const CoalitionGame& game, const CoalitionOptions& options, std::uint64_t seed,
                   const ShapleyRow& row, std::span<const double> alone, MixedRows& rows, double* values,
                   double* errors);

}  // namespace sightglass
