#include "sightglass/base/each_processor.h"
#include "sightglass/methods/local/lime/split_shares_internal.h"

namespace sightglass {

SIGHTGLASS_FOR_EACH_WIDTH
void share_cells(std::span<const LineSplit> splits, const std::uint32_t* first_cell, const SlotCell* cells,
                 SplitShare* shares) {
  const Eight zero = {}, one = zero + 1;
  for (const LineSplit& split : splits) {
    for (std::uint32_t cell = first_cell[split.slot]; cell < first_cell[split.slot + 1]; ++cell, ++shares) {
      const ConditionShares* table = cells[cell].table;
      const ConditionShares to_left = table[split.left_condition];
      const Eight q = *cells[cell].own_share;
      const Eight left = to_left.other + q * to_left.difference;
      if (split.parent == no_condition) {
        shares->left = left;
        shares->turn = zero + to_left.difference;
        continue;
      }
      const ConditionShares before = table[split.parent];
      // Where nothing gets, nothing divides: whatever stands there counts for nothing.
      const Eight all = before.other + q * before.difference, inverse = one / (all > zero ? all : one);
      shares->left = left * inverse;
      shares->turn = inverse * (to_left.difference - shares->left * before.difference);
    }
  }
}

SIGHTGLASS_FOR_EACH_WIDTH
void share_any(std::span<const LineSplit> splits, const std::uint32_t* first_condition, const Eight* met,
               const Eight* slope, SplitShare* shares) {
  const Eight zero = {}, one = zero + 1;
  for (const LineSplit& split : splits) {
    const std::size_t to_left = first_condition[split.slot] + split.left_condition;
    if (split.parent == no_condition) {
      shares->left = met[to_left];
      shares->turn = slope[to_left];
    } else {
      const std::size_t before = first_condition[split.slot] + split.parent;
      const Eight all = met[before], inverse = one / (all > zero ? all : one);
      shares->left = met[to_left] * inverse;
      shares->turn = inverse * (slope[to_left] - shares->left * slope[before]);
    }
    ++shares;
  }
}

SIGHTGLASS_FOR_EACH_WIDTH
void settle_tree(std::span<const LineSplit> splits, std::size_t inner, const double* values, const SplitShare* shares,
                 const std::uint32_t* first_share, Eight* means, Eight* turns) {
  const Eight zero = {};
  means += inner * rows_together;
  for (std::size_t at = 0; at < inner; ++at) {
    if (splits[at].left < 0) *means++ = zero + values[~splits[at].left];
    if (splits[at].right < 0) *means++ = zero + values[~splits[at].right];
  }
  for (std::size_t at = inner; at < splits.size(); ++at) {
    const double right = values[~splits[at].right], difference = values[~splits[at].left] - right;
    for (std::uint32_t share = first_share[at]; share < first_share[at + 1]; ++share) {
      *means++ = right + shares[share].left * difference;
      *turns++ = shares[share].turn * difference;
    }
  }
}

namespace {

template <std::size_t rows>
[[gnu::always_inline]] inline void add_rows(const TreeSteps& tree, const SplitShare* shares, const Eight* turns,
                                            Eight* reach, Eight* means, const RowSums* sums) {
  const Eight zero = {};
  for (std::size_t r = 0; r < rows; ++r) reach[r] = zero + 1;
  for (std::size_t at = 0; at < tree.inner_count; ++at) {
    const TreeSteps::Inner& split = tree.inner[at];
    for (std::size_t r = 0; r < rows; ++r) {
      const Eight all = reach[at * rows_together + r];
      const Eight left = all * shares[split.share + sums[r].own_cell[split.slot]].left;
      reach[split.left.reach + r] = left;
      reach[split.right.reach + r] = all - left;
    }
  }
  for (std::size_t at = 0; at < tree.last_count; ++at) {
    const TreeSteps::Last& split = tree.last[at];
    for (std::size_t r = 0; r < rows; ++r) {
      sums[r].beta[split.slot] +=
          reach[(tree.inner_count + at) * rows_together + r] * turns[split.turn + sums[r].own_cell[split.slot]];
    }
  }
  for (std::size_t at = tree.inner_count; at-- > 0;) {
    const TreeSteps::Inner& split = tree.inner[at];
    for (std::size_t r = 0; r < rows; ++r) {
      const SplitShare& share = shares[split.share + sums[r].own_cell[split.slot]];
      const Eight right = means[split.right.mean + sums[r].own_cell[split.right.slot]];
      const Eight difference = means[split.left.mean + sums[r].own_cell[split.left.slot]] - right;
      means[at * rows_together + r] = right + share.left * difference;
      sums[r].beta[split.slot] += reach[at * rows_together + r] * share.turn * difference;
    }
  }
  // Of a tree with one split, what its cell has.
  for (std::size_t r = 0; r < rows; ++r)
    *sums[r].mean += means[tree.inner_count > 0 ? r : sums[r].own_cell[tree.last[0].slot]];
}

}  // namespace

SIGHTGLASS_FOR_EACH_WIDTH
void add_tree(const TreeSteps& tree, const SplitShare* shares, const Eight* turns, Eight* reach, Eight* means,
              const RowSums* sums, std::size_t count) {
  for (; count >= rows_together; count -= rows_together, sums += rows_together)
    add_rows<rows_together>(tree, shares, turns, reach, means, sums);
  for (; count > 0; --count, ++sums) add_rows<1>(tree, shares, turns, reach, means, sums);
}

}  // namespace sightglass
