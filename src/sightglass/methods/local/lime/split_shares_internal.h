// What a split of a tree does to the line of a row in the limit, for all widths at once: how much of the weight goes
// left, and what follows for the mean and for the coefficient of its feature. How a split divides depends on the row's
// bin of its feature alone, so that rows in the same bin share it, and what a split with two leaves adds; a row then
// takes one pass down a tree and one up, without a branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sightglass/methods/local/lime/leaf_lines.h"
#include "sightglass/methods/local/lime/line_splits_internal.h"

namespace sightglass {

struct ConditionShares {  // P₀ and D of a condition
  double other, difference;
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

// A cell of a slot that rows are in: what conditions share there, and q.
struct SlotCell {
  const ConditionShares* table;
  const Eight* own_share;
};

// Of features with bins or levels: [splits, each with all cells of its slot]. first_cell: of each slot among the cells,
// and the end.
void share_cells(std::span<const LineSplit> splits, const std::uint32_t* first_cell, const SlotCell* cells,
                 SplitShare* shares);

// Of any features: A and D of each condition are given for each width; one share per split.
void share_any(std::span<const LineSplit> splits, const std::uint32_t* first_condition, const Eight* met,
               const Eight* slope, SplitShare* shares);

// Rows that take a tree together, so that none waits for what it has just written.
inline constexpr std::size_t rows_together = 4;

// A tree as rows take it.
struct TreeSteps {
  // Where what is on one side of a split stands: its reach (of a leaf one that nobody reads), and its mean in the first
  // cell of a slot.
  struct Side {
    std::uint32_t reach, mean, slot;
  };
  struct Inner {
    std::uint32_t slot, share;  // share: of its first cell
    Side left, right;
  };
  // A split with two leaves.
  struct Last {
    std::uint32_t slot, turn;  // turn: of its first cell
  };
  const Inner* inner;
  std::size_t inner_count;
  const Last* last;
  std::size_t last_count;
};

// What rows share of the means: first room for those of inner splits (of each for every row that is taken at once),
// then leaves below these, then splits with two leaves in all cells, whose turns (times the difference of the leaves)
// go by themselves. first_share: of each split of the tree among the shares, and the end; inner: how many of the splits
// are.
void settle_tree(std::span<const LineSplit> splits, std::size_t inner, const double* values, const SplitShare* shares,
                 const std::uint32_t* first_share, Eight* means, Eight* turns);

// A row: of each slot, which of its cells is the row's, then 0 for what is in no cell, and the row's place among those
// that are taken at once; beta of each slot, and the mean of the trees so far.
struct RowSums {
  const std::uint32_t* own_cell;
  Eight* beta;
  Eight* mean;
};

// Adds a tree to rows. reach: room for all splits and one more, for every row that is taken at once.
void add_tree(const TreeSteps& tree, const SplitShare* shares, const Eight* turns, Eight* reach, Eight* means,
              const RowSums* sums, std::size_t count);

}  // namespace sightglass
