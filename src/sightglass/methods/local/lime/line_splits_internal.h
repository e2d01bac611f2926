// The splits of all trees in the order in which lines are read off them, each with what the path to it asks of its
// feature already.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/model/trees/counts/path_conditions_internal.h"
#include "sightglass/model/trees/tree_rows.h"

namespace sightglass {

inline constexpr std::uint32_t no_condition = ~std::uint32_t{0};

// Each stands before those below it; those with two leaves come last in their tree.
struct LineSplit {
  std::uint32_t slot = 0;
  std::uint32_t parent = no_condition;  // condition of the path on this feature so far; none: it is the first one
  std::uint32_t left_condition = 0;     // what is left of it on the left side
  std::int32_t left = 0, right = 0;     // splits, or ~leaf
};

struct LineLeaf {
  std::uint32_t node = 0, tree = 0;
};

struct LineTree {
  std::uint32_t first = 0, inner = 0, end = 0;  // of its splits; inner: where those with two leaves begin
  std::int32_t leaf = -1;                       // of a tree without splits
};

struct LineSplits {
  std::vector<LineSplit> splits;
  std::vector<LineLeaf> leaves;
  std::vector<LineTree> trees;
  // Of each slot. Splits that share a condition share its place.
  std::vector<std::vector<PathCondition>> conditions;
};

// path_conditions: keeps what belongs to the conditions.
[[nodiscard]] LineSplits find_line_splits(const TreeRows& trees, PathConditions& path_conditions);

}  // namespace sightglass
