// Which features a panel may show together, and which of too many are worth a support vector machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/training_data.h"

namespace sightglass {

struct PanelLimits {
  std::size_t dimensions = 2;
  bool linear = true, radial = true;  // kernels to try
  double cost = 1;                    // C of a row of average weight
  std::size_t search_rows = 1000;     // on which subsets are ranked
  std::size_t fit_rows = 5000;        // on which panels are trained
  std::size_t max_subsets = 3000;
  std::vector<std::string> veto;  // "a:b" or "a"
  std::uint64_t seed = 0;
};

// Features of a panel by their places in the training data: one or two.
using PanelSubset = std::vector<std::uint32_t>;

struct PanelSubsets {
  std::vector<PanelSubset> list;           // single ones first, each by index
  std::uint64_t possible = 0;              // features and pairs of them that a panel can show and none vetoed
  std::uint64_t pairs = 0;                 // of these
  std::uint64_t screened = 0;              // pairs of which the list has the best; 0: there was no cap
  std::vector<std::string> left_out = {};  // features that no panel can show, with the reason
};
// What there is to try. Constant features and those with more levels than an axis can show are left out. Beyond
// max_subsets, features that say most about the classes by themselves are taken, a tenth of max_subsets alone, and of
// their pairs those that part the classes best in 5 × 5 cells of equally many rows; at most 200,000 pairs are looked at
// so. Throws Error(usage) on a veto of features that there are not.
[[nodiscard]] PanelSubsets panel_subsets(const TrainingData& data, const PanelLimits& limits, const Context& context);

// Gini impurity of rows with these weights of the classes, times their weight.
[[nodiscard]] double gini_impurity(std::span<const double> weights);

}  // namespace sightglass
