// Subset counts of a tree that is not too deep, with sets of rows side by side: from the root down, the rows that meet
// the conditions so far of each subset of the path's features. A split on a feature changes only the subsets that have
// it, and who does not go left goes right; so only changes on the left are counted.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/model/trees/rows/wide_sets_internal.h"
#include "sightglass/model/trees/shapley/tree_patterns_internal.h"

namespace sightglass {

class SubsetSets {
 public:
  SubsetSets(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, std::uint32_t tree);

  // About how many processor cycles 256 rows take.
  [[nodiscard]] double cost() const { return cost_; }
  // The conditions it asks for, and their numbers among those that are found.
  void add_conditions(std::vector<std::uint32_t>& conditions) const;
  void number_conditions(const std::vector<std::uint32_t>& ascending);
  // Numbers that are counted.
  [[nodiscard]] std::size_t size() const { return size_; }

  // What one thread needs.
  struct Workspace {
    std::vector<RowSet> sets;            // [depth][subset][wide_sets]
    std::vector<const RowSet*> current;  // [depth][subset]: here or further up
    std::vector<std::uint64_t> numbers;  // the same, when all is counted
  };
  void prepare(Workspace& workspace) const;
  // conditions, rows: wide_sets of each.
  void add(const RowSet* conditions, const RowSet* rows, std::uint64_t* changes, Workspace& workspace) const;
  // From changes among `rows` rows to the counts of the leaves' subsets, one leaf after the other, left ones first:
  // adds to them.
  void finish(const std::uint64_t* changes, std::uint64_t rows, std::uint64_t* subsets, Workspace& workspace) const;

 private:
  // From a node to one of its children.
  struct Edge {
    std::uint32_t condition = 0;
    std::uint32_t depth = 0;     // of the node
    std::uint32_t features = 0;  // on the path to it
    std::uint32_t position = 0;  // of the split's feature among them
    bool right = false, leaf = false;
    std::size_t changes = 0;
    [[nodiscard]] bool fresh() const { return position == features; }
    [[nodiscard]] std::size_t changed() const { return std::size_t{1} << (fresh() ? features : features - 1); }
    // Subsets without the feature, in order.
    [[nodiscard]] std::size_t without(std::size_t index) const {
      const std::size_t low = (std::size_t{1} << position) - 1;
      return (index & low) | ((index & ~low) << 1);
    }
  };
  std::vector<Edge> edges_;
  std::size_t size_ = 0, levels_ = 1, most_subsets_ = 1;
  double cost_ = 0;
};

}  // namespace sightglass
