// Cost-complexity pruning (Breiman et al. 1984, chapter 3): of all subtrees, the one that minimises
// impurity + alpha · leaves, for every alpha.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/learn/tree/grow.h"

namespace sightglass {

struct PruningStep {
  double alpha = 0;          // from which on the tree is this small
  std::uint64_t leaves = 0;  //
  double impurity = 0;       // of all leaves, each by its share of the weight
};

struct PruningPath {
  std::vector<PruningStep> steps;  // from the whole tree, alpha 0, to the root alone: one more node is a leaf in each
  std::vector<double> alphas;      // per node: from which on it is a leaf (or gone with one above it); of leaves 0
};

// Weakest links first, found by a heap: O(nodes · (log nodes + depth)).
[[nodiscard]] PruningPath pruning_path(const GrownTree& tree);
// The smallest subtree that minimises impurity + alpha · leaves.
[[nodiscard]] GrownTree prune(const GrownTree& tree, const PruningPath& path, double alpha);

enum class PruningRule { minimum, one_standard_error };

// The error of new rows by alpha: squared error of numbers, Brier score of classes.
struct PruningChoice {
  double alpha = 0;                     // chosen
  std::vector<double> alphas;           // that were tried, ascending
  std::vector<double> errors;           // mean over the folds
  std::vector<double> standard_errors;  // of that mean
};

// By cross-validation: between two steps of the path the geometric mean of their alphas stands for both.
[[nodiscard]] PruningChoice choose_alpha(const TrainingData& data, const SortedFeatures& sorted,
                                         const TreeOutcome& outcome, const PruningPath& path,
                                         const GrowOptions& options, PruningRule rule, std::uint32_t folds,
                                         std::uint64_t seed, const Context& context);

}  // namespace sightglass
