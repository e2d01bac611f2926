// Cyclic Newton boosting of one bag: some rows are fitted, the others decide when to stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/additive/bins.h"
#include "sightglass/learn/additive/outcome.h"
#include "sightglass/learn/additive/pieces.h"

namespace sightglass::additive {

// A term is a table: of one feature with a value per bin, of two with a value per pair of their coarser bins (those of
// the second side by side).
struct TermBins {
  std::vector<std::size_t> features;  // one or two
  Monotone direction = Monotone::free;
};
[[nodiscard]] std::size_t table_size(const TermBins& term, const std::vector<FeatureBins>& features);

// Rows of a bag: those that are fitted, then those that are held out, both ascending.
struct Bag {
  std::vector<std::uint32_t> rows;
  std::size_t fitted = 0;
  std::uint64_t number = 0;
};
// Bag number `bag` holds out a share of the rows, of each class the same.
[[nodiscard]] Bag draw_bag(const TrainingData& data, double held_out, std::uint64_t seed, std::size_t bag);

struct BoostingRules {
  PieceRules pieces;
  std::size_t rounds = 0;          // at the most
  std::size_t smoothing = 0;       // so many first rounds with random cuts
  std::size_t early_stopping = 0;  // rounds without a lower loss on held-out rows
};

// What was boosted onto given scores.
struct Boosted {
  std::vector<std::vector<double>> tables;  // of each term, score after score
  std::size_t rounds = 0;
  double start_loss = 0, loss = 0;  // means on held-out rows, before and after the best round; nan: there are none
};

// `scores`: where each row stands (score after score, of all rows). Which rows are taken, and in which order, does not
// depend on threads.
[[nodiscard]] Boosted boost(const std::vector<FeatureBins>& features, const std::vector<TermBins>& terms,
                            const Outcome& outcome, const Bag& bag, const std::vector<float>& scores,
                            const BoostingRules& rules, const Context& context);

// The mean over bags.
[[nodiscard]] std::vector<std::vector<double>> mean_tables(const std::vector<Boosted>& bags);

// Adds the tables to the scores of all rows.
void add_tables(const std::vector<FeatureBins>& features, const std::vector<TermBins>& terms,
                const std::vector<std::vector<double>>& tables, std::size_t scores_per_row, std::vector<float>& scores);

}  // namespace sightglass::additive
