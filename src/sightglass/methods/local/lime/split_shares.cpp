#include "sightglass/methods/local/lime/split_shares.h"

#include "sightglass/base/each_processor.h"

namespace sightglass {

SIGHTGLASS_FOR_EACH_WIDTH
void share_cells(TreeSplits tree, const std::uint32_t* first_cell, const SlotCell* cells, SplitShare* shares) {
  const Eight zero = {}, one = zero + 1;
  for (std::size_t at = tree.first; at < tree.end; ++at) {
    const LineSplit& split = tree.splits[at];
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
void share_any(TreeSplits tree, const std::uint32_t* first_condition, const Eight* met, const Eight* slope,
               SplitShare* shares) {
  const Eight zero = {}, one = zero + 1;
  for (std::size_t at = tree.first; at < tree.end; ++at, ++shares) {
    const LineSplit& split = tree.splits[at];
    const std::size_t to_left = first_condition[split.slot] + split.left_condition;
    if (split.parent == no_condition) {
      shares->left = met[to_left];
      shares->turn = slope[to_left];
      continue;
    }
    const std::size_t before = first_condition[split.slot] + split.parent;
    const Eight all = met[before], inverse = one / (all > zero ? all : one);
    shares->left = met[to_left] * inverse;
    shares->turn = inverse * (slope[to_left] - shares->left * slope[before]);
  }
}

SIGHTGLASS_FOR_EACH_WIDTH
void add_tree(TreeSplits tree, const double* values, const SplitShare* shares, const std::uint32_t* first_share,
              const std::uint32_t* own_cell, Eight* reach, Eight* mean, Eight* beta) {
  const LineSplit* splits = tree.splits;
  const std::size_t first = tree.first;
  const Eight zero = {};
  reach[0] = zero + 1;
  for (std::size_t at = first; at < tree.inner; ++at) {
    const LineSplit& split = splits[at];
    const SplitShare& share = shares[first_share[at - first] + own_cell[split.slot]];
    const Eight all = reach[at - first], left = all * share.left;
    if (split.left >= 0) reach[static_cast<std::size_t>(split.left) - first] = left;
    if (split.right >= 0) reach[static_cast<std::size_t>(split.right) - first] = all - left;
  }
  for (std::size_t at = tree.inner; at < tree.end; ++at) {
    const LineSplit& split = splits[at];
    const SplitShare& share = shares[first_share[at - first] + own_cell[split.slot]];
    const double right = values[~split.right], difference = values[~split.left] - right;
    mean[at - first] = right + share.left * difference;
    beta[turns_at_once * split.slot + at % turns_at_once] += reach[at - first] * share.turn * difference;
  }
  for (std::size_t at = tree.inner; at-- > first;) {
    const LineSplit& split = splits[at];
    const SplitShare& share = shares[first_share[at - first] + own_cell[split.slot]];
    Eight left, right;
    if (split.left >= 0) {
      left = mean[static_cast<std::size_t>(split.left) - first];
    } else {
      const double value = values[~split.left];
      left = Eight{value, value, value, value, value, value, value, value};
    }
    if (split.right >= 0) {
      right = mean[static_cast<std::size_t>(split.right) - first];
    } else {
      const double value = values[~split.right];
      right = Eight{value, value, value, value, value, value, value, value};
    }
    const Eight difference = left - right;
    mean[at - first] = right + share.left * difference;
    beta[turns_at_once * split.slot + at % turns_at_once] += reach[at - first] * share.turn * difference;
  }
}

}  // namespace sightglass
