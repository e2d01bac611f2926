// Tree of panels: which pictures of two features, asked one after the other, tell the classes apart?
//
// At each node every one or two features and every kernel are tried: a support vector machine d(x) parts the rows by
// its sign. The ten that leave least Gini impurity on the training rows are compared in 5-fold cross-validation, and
// the best is the node's panel; sides that are still mixed get panels of their own. Of more than two classes a panel
// parts one from the others. A leaf predicts the shares of its rows. Beside that stands the vote of the panels on a
// row's way,
//
//   f(x) = mean over the way of 1 / (1 + exp(-d_j(x) / spread_j)),
//
// with the sign so that it speaks for the second class, and how often it disagrees with the leaf.
//
// S. Nusser, C. Otte, W. Hauptmann, Interpretable ensembles of local models for safety-related applications, ESANN
// 2008. Cost: subsets of features × kernels × a support vector machine on search_rows for each node, and 50 for the ten
// best.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sightglass/learn/learner.h"
#include "sightglass/learn/panels/panel_options.h"

namespace sightglass {

struct HierarchicalPanelsOptions {
  std::int64_t max_depth = 3;
  std::int64_t min_rows = 10;
  double min_gain = 0.05;
  std::int64_t folds = 5;
  std::int64_t dimensions = 2;
  std::string kernel = "both";
  double cost = 1;
  std::vector<std::string> veto;
  std::int64_t max_subsets = 3000;
  std::int64_t search_rows = 1000;
  std::int64_t fit_rows = 5000;
  std::int64_t seed = 0;

  static void fields(auto&& field) {
    using Self = HierarchicalPanelsOptions;
    field("max_depth", &Self::max_depth,
          {.help = "the most panels on a row's way", .type = OptionType::count, .range = between(1, 30)});
    field("min_rows", &Self::min_rows,
          {.help = "the fewest rows that are parted", .type = OptionType::count, .range = at_least(2)});
    field("min_gain", &Self::min_gain,
          {.help = "share of impurity that a panel must remove in cross-validation", .type = OptionType::share});
    field("folds", &Self::folds,
          {.help = "parts of the rows in cross-validation", .type = OptionType::count, .range = between(2, 100)});
    panel_fields<Self>(field);
  }
};

[[nodiscard]] LearnerEntry hierarchical_panels();

}  // namespace sightglass
