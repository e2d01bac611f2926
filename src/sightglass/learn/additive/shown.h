// How an additive model shows itself: a curve or a surface per term, which terms matter, how well held-out rows are
// predicted; and its steps as a structure.
#pragma once

#include <string>
#include <vector>

#include "sightglass/learn/additive/components.h"
#include "sightglass/learn/learner.h"

namespace sightglass::additive {

// All that was found.
struct Fitted {
  const TrainingData& data;
  const std::vector<FeatureBins>& features;
  const Outcome& outcome;
  std::vector<TermBins> terms;               // mains first, in the order of the features, then pairs
  std::vector<std::vector<double>> weights;  // of the rows in each bin of each term
  Averaged found;
  std::vector<Boosted> mains, pairs;  // of each bag; mains were boosted last
};

// Terms that say nothing are left out.
[[nodiscard]] StepStructure make_structure(const Fitted& fitted);

// Figures, importances, curves, surfaces: the most important terms first, class after class.
void show(const Fitted& fitted, Learned& learned);

}  // namespace sightglass::additive
