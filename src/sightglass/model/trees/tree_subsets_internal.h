// How many rows meet the demands of each subset of the features on a leaf's path: all that Shapley values need to know
// of the rows that they compare with, however many these are.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/base/bytes.h"
#include "sightglass/model/trees/tree_patterns_internal.h"

namespace sightglass {

// Rows, or ticks of their weights. What was counted of some rows and of others adds up.
struct SubsetCounts {
  explicit SubsetCounts(const TreePatterns& patterns)
      : subsets(patterns.subsets(), 0), long_paths(patterns.long_paths()) {}

  std::uint64_t total = 0;
  // Of each leaf with a short path, by the bits of its positions: rows that meet the demands at all of them, and maybe
  // others.
  std::vector<std::uint64_t> subsets;
  // Of each leaf with a long path: all different patterns of rows in ascending order, and behind each its count. These
  // are never more than there are rows, nor than sets of positions; where they are many, nothing shorter is exact.
  std::vector<std::vector<std::uint64_t>> long_paths;

  void merge(const SubsetCounts& other, const TreePatterns& patterns);
  void save(ByteSink& sink) const;
  // What was saved of the same trees; Error(data) if it cannot have been.
  void load(ByteSource& source, const TreePatterns& patterns);
};

// What one thread needs to count.
struct SubsetWorkspace {
  std::vector<std::uint16_t> patterns;
  std::vector<std::uint64_t> by_pattern, by_subset;
  std::vector<std::uint64_t> long_patterns;
  std::vector<std::uint32_t> order;
};

// Adds blocks of 256 rows. codes: of each block, set_rows of each slot; of its rows those in `rows` count, each once
// or, if there are weights, as many ticks as stand at the row's place. The more blocks at a time, the better: per call,
// each leaf costs about 2^features operations on top of those for rows.
void count_subsets(const TreePatterns& patterns, const std::uint16_t* codes, const RowSet* rows,
                   const std::uint64_t* weights, std::size_t blocks, SubsetCounts& counts, SubsetWorkspace& workspace);

}  // namespace sightglass
