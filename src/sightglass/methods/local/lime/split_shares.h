// What a split of a tree does to the line of a row in the limit, for all widths at once: how much of the weight goes
// left, and what follows for the mean and for the coefficient of its feature. How a split divides depends on the row's
// bin of its feature alone, so that rows in the same bin share it; a row then takes one pass down a tree and one up.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sightglass/methods/local/lime/leaf_lines.h"

namespace sightglass {

struct ConditionShares {  // P₀ and D of a condition
  double other, difference;
};
inline constexpr std::uint32_t no_condition = ~std::uint32_t{0};
// A split. Trees are taken one after the other, and each split before those below it; those with two leaves come last.
struct LineSplit {
  std::uint32_t slot = 0;
  std::uint32_t parent = no_condition;  // condition of the path on this feature so far; none: it is the first one
  std::uint32_t left_condition = 0;     // what is left of it on the left side
  std::int32_t left = 0, right = 0;     // splits, or ~leaf
};

// All lanes as one number for the processor, wherever they stand: compilers do not see by themselves that lists of them
// do not overlap.
typedef double Eight __attribute__((vector_size(64), aligned(8), may_alias));
static_assert(sizeof(Eight) == swept_widths * sizeof(double));

// Of each split, for all widths: the share of what gets there that goes left, and by how much the share of all that
// goes left changes with the feature's term, for each that gets there.
struct SplitShare {
  Eight left, turn;
};

// The splits of a tree, from the first; inner: where those with two leaves begin.
struct TreeSplits {
  const LineSplit* splits;
  std::size_t first, inner, end;
};

// A cell of a slot that rows are in: what conditions share there, and q.
struct SlotCell {
  const ConditionShares* table;
  const Eight* own_share;
};

// Of features with bins or levels: [splits of the tree, each with all cells of its slot]. first_cell: of each slot
// among the cells, and the end.
void share_cells(TreeSplits tree, const std::uint32_t* first_cell, const SlotCell* cells, SplitShare* shares);

// Of any features: A and D of each condition are given for each width; one share per split.
void share_any(TreeSplits tree, const std::uint32_t* first_condition, const Eight* met, const Eight* slope,
               SplitShare* shares);

// Sums that take turns, so that splits on the same feature need not wait for one another.
inline constexpr std::size_t turns_at_once = 2;

// A tree for a row: adds to beta (turns_at_once per slot) and leaves the mean in mean[0]. first_share: of each split;
// own_cell: of each slot, which of its shares is the row's. reach and mean: room for all splits.
void add_tree(TreeSplits tree, const double* values, const SplitShare* shares, const std::uint32_t* first_share,
              const std::uint32_t* own_cell, Eight* reach, Eight* mean, Eight* beta);

}  // namespace sightglass
