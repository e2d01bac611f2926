// The list of all learners: a new one is its header and its name here.
#pragma once

#include <vector>

#include "sightglass/learn/covering_panels.h"
#include "sightglass/learn/decision_tree.h"
#include "sightglass/learn/gam.h"
#include "sightglass/learn/hierarchical_panels.h"
#include "sightglass/learn/knn.h"
#include "sightglass/learn/learner.h"
#include "sightglass/learn/nearest_prototype.h"
#include "sightglass/learn/optimal_tree.h"
#include "sightglass/learn/rulefit.h"
#include "sightglass/learn/sparse_linear.h"

namespace sightglass {

[[nodiscard]] inline std::vector<LearnerEntry> all_learners() {
  return {sparse_linear(),       decision_tree(),   optimal_tree(), rulefit(),          gam(),
          hierarchical_panels(), covering_panels(), knn(),          nearest_prototype()};
}

}  // namespace sightglass
