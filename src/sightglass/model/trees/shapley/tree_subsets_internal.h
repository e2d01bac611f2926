// How many rows meet the conditions of each subset of the features on a leaf's path: all that Shapley values need to
// know of the rows that they compare with, however many these are.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/base/bytes.h"
#include "sightglass/base/context.h"
#include "sightglass/model/trees/shapley/pattern_groups_internal.h"
#include "sightglass/model/trees/shapley/tree_subset_sets_internal.h"

namespace sightglass {

// Rows, or units of their weights. What was counted of some rows and of others adds up.
struct SubsetCounts {
  explicit SubsetCounts(const TreePatterns& patterns)
      : subsets(patterns.subsets(), 0), long_paths(patterns.long_paths()) {}

  std::uint64_t total = 0;
  // Of each leaf with a short path, by the bits of its positions: rows that meet the conditions at all of them, and
  // maybe others.
  std::vector<std::uint64_t> subsets;
  // Of each leaf with a long path: all different patterns of rows in ascending order, and behind each its count. These
  // are never more than there are rows, nor than sets of positions; where they are many, nothing shorter is exact.
  std::vector<std::vector<std::uint64_t>> long_paths;

  void merge(const SubsetCounts& other, const TreePatterns& patterns);
  void save(ByteSink& sink) const;
  // What was saved of the same trees; Error(data) if it cannot have been.
  void load(ByteSource& source, const TreePatterns& patterns);
};

// Counts them for a range of trees: each tree by sets of rows or by patterns, whichever is less work.
class SubsetCounter {
 public:
  // All must stay where they are.
  SubsetCounter(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const TreePatterns& patterns);

  // What one thread needs.
  struct Workspace {
    // work: may be stopped.
    explicit Workspace(const SubsetCounter& counter, const Context* work = nullptr)
        : context(work), conditions(counter.codes_, counter.conditions_, wide_sets) {}
    const Context* context;
    ConditionSets conditions;
    SubsetSets::Workspace sets;
    std::vector<std::uint64_t> changes;
    std::vector<std::uint16_t> patterns;
    std::vector<std::uint64_t> by_pattern, by_subset;
    std::vector<std::uint64_t> long_patterns;
    std::vector<std::uint32_t> order;
    PatternGroups groups;
    std::vector<std::uint64_t> sums;  // per group
  };
  // Blocks of 256 rows.
  struct Rows {
    const std::uint16_t* codes;              // of each block, set_rows of each slot
    const RowSet* there;                     // of each block: the rows that count
    const std::uint64_t* weights = nullptr;  // units of each row; none: 1
    std::size_t blocks;
  };
  // The more blocks at a time, the better: per call, each leaf costs about 2^features operations on top of those for
  // rows.
  void add(const Rows& rows, SubsetCounts& counts, Workspace& workspace) const;

 private:
  void add_sets(const Rows& rows, std::uint64_t present, SubsetCounts& counts, Workspace& workspace) const;
  void add_short(const TreePatterns::Group& group, const Rows& rows, SubsetCounts& counts, Workspace& workspace) const;
  void add_long(const TreePatterns::Group& group, const Rows& rows, SubsetCounts& counts, Workspace& workspace) const;

  const FeatureCodes& codes_;
  const TreePatterns& patterns_;
  struct SetTree {
    SubsetSets sets;
    std::uint32_t first_group, end_group;
    std::size_t changes;  // where they begin
  };
  std::vector<SetTree> set_trees_;
  std::vector<std::uint32_t> conditions_;  // that they ask for
  std::size_t changes_ = 0;
  std::vector<std::uint32_t> other_groups_;
};

}  // namespace sightglass
