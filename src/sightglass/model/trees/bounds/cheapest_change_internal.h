// What is the cheapest change of few features of one input with which a tree ensemble says something else, and is it
// proven that none is cheaper?
//
// Fewest features first, then the least cost. For each set of so many features, the leaves that differ from the row in
// these features alone are all that counts; each tree can end in one of a few of them. Boxes of codes are halved, the
// cheapest first: the sum over trees of the best leaf that a box can reach bounds what its inputs reach (branch and
// bound), so that the first box whose cheapest input reaches the goal is the cheapest change of these features. What is
// left open when so many boxes were looked at bounds the cost from below.
// Cost: sets of features × leaves near the row, and some microseconds for each box.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/model/trees/bounds/near_leaves_internal.h"
#include "sightglass/model/trees/rows/feature_codes_internal.h"

namespace sightglass {

// What is wanted, in sums of margins that must be large.
struct LeafGoal {
  // Σ_k weights[k] · margin_k, of which more is better.
  struct Sum {
    std::vector<double> weights;  // per output
    double least = 0;             // of Rule::each
  };
  enum class Rule {
    each,       // every sum is at least its `least`
    few_rest,   // Σ exp(−sum) is at most `rest`: a large share of softmax
    much_rest,  // Σ exp(sum) is at least `rest`: a small share of softmax
  };
  std::vector<Sum> sums;
  Rule rule = Rule::each;
  double rest = 0;
  // Whether margins, summed up as the framework does, are what is wanted: decides, where the sums above may be off by
  // what that rounds.
  std::function<bool(std::span<const double> margins)> holds;
};

struct CodeChange {
  std::vector<std::uint32_t> slots;  // ascending
  std::vector<std::uint32_t> codes;  // of these
  double cost = 0;
  bool cheapest = false;  // proven: no other change of as few features costs less, or has been listed before
};

enum class RungReach { reached, unreachable, open };

// What is known of changes of exactly so many features.
struct Rung {
  std::size_t features = 0;
  RungReach reach = RungReach::open;
  double bound = 0;  // none costs less than this; infinity: there is none
  std::uint64_t explored = 0;
};

struct ChangeLimits {
  std::size_t most_features = 3;
  std::size_t count = 1;  // sets of features, none of which contains another one, of the smallest size and the next
  std::uint64_t boxes = 200'000;     // to look at, over all sizes
  std::uint64_t most_sets = 20'000;  // of features of one size
};

struct ChangesFound {
  std::vector<CodeChange> changes;  // fewest features first, then cheapest
  std::vector<Rung> ladder;         // sizes 1, 2, … as far as they were looked at
  bool impossible = false;          // proven: no change of any number of features reaches it
  std::uint64_t explored = 0;
};

class CheapestChange {
 public:
  // The parts, codes and goal must stay where they are.
  CheapestChange(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const LeafGoal& goal);

  // moves: one per slot. Safe for concurrent calls.
  [[nodiscard]] ChangesFound search(const std::vector<SlotMoves>& moves, const ChangeLimits& limits,
                                    const Context& context) const;
  // As the framework predicts, before the link.
  [[nodiscard]] std::vector<double> margins(std::span<const std::uint32_t> at) const;
  // Numbers that the search keeps of all leaves and the ways to them; infinity: trees so deep that it is not for them.
  [[nodiscard]] static double size(const TreeEnsemble::Parts& parts, const LeafGoal& goal);

 private:
  class Row;
  [[nodiscard]] bool may_hold(std::span<const double> sums) const;

  const TreeEnsemble::Parts& parts_;
  const FeatureCodes& codes_;
  const LeafGoal& goal_;
  ParentNodes parents_;
  std::size_t sums_;           // how many
  std::vector<double> gains_;  // per node and sum: what a leaf adds
  std::vector<double> base_;   // of each sum
  std::vector<double> slack_;  // what rounding may turn
};

}  // namespace sightglass
