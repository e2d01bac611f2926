// Yes-or-no questions about single features, of which an optimal tree is made; and rows coded by their answers.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/learn/tree/grow.h"
#include "sightglass/result/shapes/shown_condition.h"

namespace sightglass {

struct Cut {
  std::uint32_t feature = 0;
  double threshold = 0;                    // yes: numbers <= threshold (-infinity: none)
  std::vector<std::uint32_t> levels = {};  // yes: these levels, ascending
  bool missing = false;                    // whether a missing value means yes

  friend auto operator<=>(const Cut&, const Cut&) = default;
};
[[nodiscard]] bool meets(const Cut& cut, bool categorical, double value);
[[nodiscard]] ShownCondition shown_cut(const Cut& cut, const TrainingData& data);

struct ChosenCuts {
  std::vector<Cut> cuts;  // by feature
  bool all = false;       // every threshold between two values is there, and every group of levels
};

// All cuts where these are at most max_cuts: thresholds, with missing values on either side, and groups of levels. Of
// up to four levels these are all groups; of more, which is not exhaustive, levels one by one and in the order of their
// mean outcome (of more than two classes: of the first principal component of their shares). Otherwise those that gain
// most in small trees that are boosted on at most 64 quantiles of each feature, as in McTavish et al. 2022 (Fast Sparse
// Decision Tree Optimization via Reference Ensembles). At most 20,000 rows, evenly spread, are boosted.
[[nodiscard]] ChosenCuts choose_cuts(const TrainingData& data, std::size_t max_cuts, const Context& context,
                                     std::size_t min_leaf_rows = 2);

// Rows by bins: the rows that answer all cuts of a feature alike are a bin. The most frequent bin of a feature is left
// out: cuts are turned so that no is the answer there, and sums over it are never needed.
struct RowsByCuts {
  std::size_t rows = 0, cuts = 0, bins = 0;
  std::vector<std::size_t> starts;  // of each row's bins, and the end
  std::vector<std::uint32_t> row_bins;
  std::vector<bool> turned;                     // per cut: yes and no are exchanged
  std::vector<std::vector<std::uint64_t>> yes;  // per cut, a bit per row, as turned
  // From the cut before it, of the same feature, to this one: bins that come and that go. The first of a feature starts
  // from nothing.
  struct Change {
    std::uint32_t bin = 0;
    bool comes = true;
  };
  std::vector<std::vector<Change>> changes;
  std::vector<bool> starts_feature;

  RowsByCuts(const TrainingData& data, const std::vector<Cut>& cuts_by_feature);
  [[nodiscard]] bool is_yes(std::size_t cut, std::uint32_t row) const {
    return ((yes[cut][row / 64] >> (row % 64)) & 1) != 0;
  }
};

}  // namespace sightglass
