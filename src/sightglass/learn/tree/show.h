// What a grown tree is handed back as: the structure of a model, a drawn tree, a rule per leaf, figures.
#pragma once

#include <string>
#include <vector>

#include "sightglass/learn/learner.h"
#include "sightglass/learn/tree/grow.h"
#include "sightglass/result/shapes/rules.h"
#include "sightglass/result/shapes/tree.h"

namespace sightglass {

// A leaf predicts its mean, the share of the second of two classes, or the share of every class.
[[nodiscard]] TreeStructure tree_structure(const GrownTree& tree, const TrainingData& data);
[[nodiscard]] ShownTree shown_tree(const GrownTree& tree, const TrainingData& data);
// One per leaf, that of most rows first; what its path says about a feature is one condition.
[[nodiscard]] Rules leaf_rules(const GrownTree& tree, const TrainingData& data);

// All of it.
[[nodiscard]] Learned learned_tree(const GrownTree& tree, const TrainingData& data);

}  // namespace sightglass
