// The tree on given cuts than which none is better: a dynamic programme over sets of rows.
//
//   best(S, d, l) = max over cuts c, a + b = l of  best(S ∩ c, d-1, a) + best(S \ c, d-1, b)
//
// for every number of leaves l at once, where a leaf's score is s²/w of numbers, Σ w_k²/w (Gini) or max w_k
// (misclassification) of classes: what the tree's impurity is lower by. The last two levels are solved together from
// the sums over the rows that answer yes to two cuts, for all pairs of cuts (Demirović et al. 2022, MurTree). These
// sums are counted by bins of features, so that a row costs a step per pair of features, not of cuts; of the two sides
// of a cut the smaller one is counted, the other is the difference.
//
// Cost: cuts · (rows · features² + cuts²) for three levels, and a factor `cuts` for each level more.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/tree/cuts.h"

namespace sightglass {

enum class LeafScore { mean, gini, most_frequent };

inline constexpr std::size_t most_optimal_depth = 4;
inline constexpr std::size_t most_optimal_leaves = std::size_t{1} << most_optimal_depth;

// By the number of leaves, at most: the best score that was found, and one that none exceeds.
struct BestScores {
  std::array<double, most_optimal_leaves + 1> found, limit;  // [0] is not used
};

struct OptimalOptions {
  LeafScore score = LeafScore::mean;
  std::size_t max_depth = 3;
  double min_leaf_weight = 0;   // above 0
  std::uint64_t max_nodes = 0;  // pairs of cuts are solved for so many sets of rows; then depth 4 stays unproven
  std::optional<double> seconds = std::nullopt;
};

// A node of the tree that was found; leaves have no cut.
struct PlannedNode {
  static constexpr std::uint32_t no_cut = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t cut = no_cut;
  std::uint32_t yes = 0, no = 0;  // children
  std::vector<std::uint32_t> rows;
};

class OptimalSearch {
 public:
  // values: centred numbers, or classes.
  OptimalSearch(const RowsByCuts& coded, std::span<const double> values, std::span<const double> weights,
                std::size_t classes, const OptimalOptions& options, const Context& context);

  // For any number of leaves that the depth allows.
  [[nodiscard]] BestScores solve();
  // The best tree of so many leaves at most, after solve(): the root first, children behind their parents.
  [[nodiscard]] std::vector<PlannedNode> plan(std::size_t leaves);
  // Sets of rows for which all pairs of cuts were solved.
  [[nodiscard]] std::uint64_t explored() const { return explored_; }
  [[nodiscard]] bool stopped_by_time() const { return stopped_by_time_; }

 private:
  using Rows = std::vector<std::uint32_t>;
  // Sums over the rows that answer yes to both of two cuts, or to one (the diagonal), and over all rows.
  struct PairSums {
    std::vector<double> both;   // [plane][cut][cut]
    std::vector<double> total;  // [plane]
  };
  struct Sides {
    BestScores yes, no;
    bool possible = false;  // both have enough rows
  };
  // Room that is used again and again.
  struct Scratch {
    std::vector<double> bins, by_cut, row;
    PairSums smaller, larger;
    Rows yes, no;
  };
  struct SetKey {
    std::uint64_t first = 0, second = 0;
    bool operator==(const SetKey&) const = default;
  };
  struct SetHash {
    std::size_t operator()(const SetKey& key) const { return key.first; }
  };

  [[nodiscard]] BestScores best(const Rows& rows, const std::vector<Sides>& sides) const;
  // For each cut, the best below it in depth - 1.
  [[nodiscard]] std::vector<Sides> solve_sides(const Rows& rows, std::size_t depth);
  [[nodiscard]] std::vector<Sides> sides_by_pairs(const PairSums& sums, std::size_t depth, Scratch& scratch) const;
  [[nodiscard]] std::vector<Sides> sides_by_subtraction(const Rows& rows);
  void deepen(const Rows& rows, std::size_t depth, std::vector<Sides>& sides);

  void count_pairs(const Rows& rows, PairSums& sums, Scratch& scratch) const;
  void split(const Rows& rows, std::size_t cut, Rows& yes, Rows& no) const;
  [[nodiscard]] double score_of(std::span<const double> planes) const;
  [[nodiscard]] double score_of(const Rows& rows) const;
  [[nodiscard]] double perfect_score(const Rows& rows) const;
  [[nodiscard]] SetKey key_of(const Rows& rows) const;
  [[nodiscard]] bool out_of_budget();
  [[nodiscard]] std::array<double, 4> scores_of_two_levels(const PairSums& sums, Scratch& scratch) const;

  const RowsByCuts& coded_;
  std::span<const double> values_, weights_;
  std::size_t planes_;
  OptimalOptions options_;
  const Context& context_;
  double started_ = 0;
  std::uint64_t explored_ = 0;
  bool stopped_by_time_ = false;
  Rows all_;
  std::vector<Sides> below_root_;
  std::vector<SetKey> row_keys_;  // random; the key of a set is the sum of its rows'
  std::unordered_map<SetKey, std::array<double, 4>, SetHash> known_;  // two levels, of sets that came before
};

}  // namespace sightglass
