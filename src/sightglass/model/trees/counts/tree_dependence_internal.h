// Partial dependence of a tree ensemble's margin, read off its counts: exact over all rows that were counted. Of single
// features it is known at every code at once; of pairs at the codes that are asked for.
//
// A leaf with value v adds v × (rows that meet all conditions but that on j) / (rows) to the dependence on j at every
// code that meets its condition on j. So all leaves are passed once, each adding to where its codes begin and end, and
// sums along the codes do the rest. A pair differs from the sum of its features only at leaves that have both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/model/trees/counts/tree_counts_internal.h"

namespace sightglass {

class TreeDependence {
 public:
  // Two slots, and the codes of each at which their dependence is wanted, ascending.
  struct Pair {
    std::uint32_t first = 0, second = 0;
    std::vector<std::uint32_t> first_codes, second_codes;
  };
  // total: what all rows count. outputs: those that will be asked for; empty: all. The parts and codes must stay where
  // they are. A pair of numbers takes |first_codes| × |second_codes| × outputs × 8 bytes.
  TreeDependence(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, std::uint64_t total,
                 std::vector<Pair> pairs = {}, std::vector<std::size_t> outputs = {});

  // Adds some trees, which must come in their order: then the numbers do not depend on how trees were cut into ranges.
  // With pairs the counts must be of order 2.
  void add(const TreeCounts& counts, std::span<const std::uint64_t> counted) {
    add(counts, counted, 0, counts.leaves().size());
  }
  // The same piece by piece: of these counts the leaves [first, end), which come in their order too.
  void add(const TreeCounts& counts, std::span<const std::uint64_t> counted, std::size_t first, std::size_t end);

  // When all trees were added:
  // The mean margin of an output.
  [[nodiscard]] double mean(std::size_t output) const;
  // At every code of a feature.
  [[nodiscard]] std::vector<double> single(std::size_t slot, std::size_t output) const;
  // Of a pair by its number, at every two codes that were wanted, those of the second one after the other.
  [[nodiscard]] std::vector<double> pair(std::size_t number, std::size_t output) const;
  // What the dependence on two features has beyond the sum of those on each: pair − first − second + mean.
  [[nodiscard]] std::vector<double> interaction(std::size_t number, std::size_t output) const;
  // The same at single points of two slots, given by their codes, without a table: it takes what leaves and points
  // take. Counts: of all trees, as they were added (tree_dependence_points.cpp).
  struct Points {
    std::uint32_t first = 0, second = 0;
    std::span<const std::uint32_t> first_codes, second_codes;  // of each point
  };
  [[nodiscard]] std::vector<double> interaction_at(const TreeCounts& counts, std::span<const std::uint64_t> counted,
                                                   const Points& points, std::size_t output) const;

 private:
  // Some codes of a slot.
  struct Axis {
    Axis(const FeatureCodes& feature_codes, std::uint32_t of_slot, std::vector<std::uint32_t> wanted);
    std::uint32_t slot;
    std::vector<std::uint32_t> codes;
    std::vector<std::uint32_t> reached;  // per code: how many of them are below
    std::vector<std::uint64_t> mask;     // a bit for each of them, but for that of missing values
    std::size_t values;                  // how many of them are not that of missing values
  };
  struct PairTable {
    std::uint32_t first, second;                  // axes
    std::vector<double> both;                     // [first][second][output]: steps
    std::vector<double> only_first, only_second;  // [code][output]: steps
    std::vector<double> constant;                 // [output]
  };
  struct Step {
    std::uint32_t at;
    double sign;
  };
  struct Partner {
    std::uint32_t slot;  // the higher one
    std::size_t pair;
  };
  // The axis with these codes, one that is there already if it can be.
  std::uint32_t find_axis(std::uint32_t slot, std::vector<std::uint32_t> codes);
  // Where a number that is added to all codes that meet a condition begins and ends among some of them; for missing
  // values it just is.
  static void find_steps(const TreeCounts& counts, const PathCondition& path_condition, const Axis& axis,
                         std::vector<Step>& steps);
  static void sum_up(double* steps, std::size_t values, std::size_t stride);
  void add_pairs(const TreeCounts& counts, const TreeCounts::Leaf& leaf, std::span<const std::uint64_t> counted,
                 const double* values, std::size_t output, std::size_t outputs);
  // An output of the model among those that are wanted.
  [[nodiscard]] std::size_t position(std::size_t output) const {
    return static_cast<std::size_t>(position_of_[output]);
  }

  const TreeEnsemble::Parts& parts_;
  const FeatureCodes& codes_;
  double total_;
  std::uint32_t trees_ = 0;                  // that were added
  std::size_t next_leaf_ = 0;                // of the counts that are being added
  std::vector<std::size_t> wanted_;          // outputs
  std::vector<int> position_of_;             // [output of the model]: its position among those, or -1
  std::size_t outputs_;                      // that are wanted
  std::vector<double> picked_;               // of a leaf's values, where not all outputs are wanted
  std::vector<double> sums_;                 // [output]
  std::vector<Axis> axes_;                   // per slot: all its codes
  std::vector<std::vector<double>> steps_;   // per slot: [code][output]
  std::vector<std::vector<double>> having_;  // per slot: [output]: the sums over leaves that have it
  std::vector<PairTable> pairs_;
  std::vector<Axis> pair_axes_;
  std::vector<std::vector<std::uint32_t>> axes_of_slot_;
  std::vector<std::vector<Partner>> partners_;  // per slot: pairs in which it is the lower one, ascending
  std::vector<std::vector<Step>> axis_steps_;   // per axis: those of a leaf's condition
  std::vector<Step> single_steps_;
};

}  // namespace sightglass
