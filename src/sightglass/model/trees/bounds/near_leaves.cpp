#include <algorithm>
#include <cmath>

#include "sightglass/model/trees/bounds/near_leaves_internal.h"

namespace sightglass {

namespace {

// Along one slot, codes among which every condition divides below and above, or one code; without the row's own.
std::vector<CodeRange> parts_of(const FeatureCodes& codes, std::size_t slot, const SlotMoves& moves) {
  std::vector<CodeRange> parts;
  const std::uint32_t missing = codes.missing(slot);
  const auto add = [&](std::uint32_t first, std::uint32_t end) {
    while (first < end && !std::isfinite(moves.costs[first])) ++first;
    while (end > first && !std::isfinite(moves.costs[end - 1])) --end;
    if (first < end) parts.push_back({first, end});
  };
  if (codes.categorical(slot)) {
    for (std::uint32_t code = 0; code <= missing; ++code) {
      if (code != moves.own) add(code, code + 1);
    }
    return parts;
  }
  std::uint32_t begin = 0;
  for (std::uint32_t code = 0; code < missing; ++code) {
    const bool alone = codes.asks_for_zero(slot) && codes.is_zero(slot, code);
    if (!alone && code != moves.own) continue;
    add(begin, code);
    if (code != moves.own) add(code, code + 1);
    begin = code + 1;
  }
  add(begin, missing);
  return parts;
}

void narrow(CodeRange& range, std::uint32_t first_right, bool right) {
  if (right) {
    range.first = std::max(range.first, first_right);
  } else {
    range.end = std::min(range.end, first_right);
  }
}

}  // namespace

NearLeaves::NearLeaves(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const std::vector<SlotMoves>& moves)
    : trees_(parts), codes_(codes), moves_(moves), place_(moves.size(), nowhere) {
  for (std::size_t slot = 0; slot < moves.size(); ++slot) slot_parts_.push_back(parts_of(codes, slot, moves[slot]));
}

void NearLeaves::find(std::size_t most) {
  most_ = most;
  leaves_.clear();
  masks_.clear();
  steps_.clear();
  changed_slots_.clear();
  Way way;
  for (std::size_t tree = 0; tree < trees_.trees.size(); ++tree)
    walk(static_cast<std::uint32_t>(tree), trees_.trees[tree].root, way);
}

void NearLeaves::walk(std::uint32_t tree, std::uint32_t index, Way& way) {
  const TreeNode& node = trees_.nodes[index];
  if (node.is_leaf()) {
    leaves_.push_back({.node = index,
                       .tree = tree,
                       .first_step = static_cast<std::uint32_t>(steps_.size()),
                       .steps = static_cast<std::uint32_t>(way.steps.size()),
                       .first_slot = static_cast<std::uint32_t>(changed_slots_.size()),
                       .changed = static_cast<std::uint32_t>(way.changed.size()),
                       .asked = way.asked});
    masks_.push_back(way.mask);
    steps_.insert(steps_.end(), way.steps.begin(), way.steps.end());
    changed_slots_.insert(changed_slots_.end(), way.changed.begin(), way.changed.end());
    return;
  }
  const std::uint32_t which = codes_.condition_of(index);
  const auto& condition = codes_.conditions()[which];
  const bool own_right = codes_.goes_right(condition, moves_[condition.slot].own);
  // A slot that cannot move goes the row's own way.
  if (slot_parts_[condition.slot].empty())
    return walk(tree, static_cast<std::uint32_t>(own_right ? node.right : node.left), way);
  const bool has_changed = (way.mask & bit_of(condition.slot)) != 0 &&
                           std::find(way.changed.begin(), way.changed.end(), condition.slot) != way.changed.end();
  const std::uint64_t mask = way.mask, asked = way.asked;
  for (const bool right : {false, true}) {
    const bool changes = right != own_right && !has_changed;
    if (changes && way.changed.size() == most_) continue;
    if (changes) way.changed.push_back(condition.slot);
    if (changes) way.mask |= bit_of(condition.slot);
    way.asked |= bit_of(condition.slot);
    way.steps.push_back({condition.slot, condition.first_right, which, right});
    walk(tree, static_cast<std::uint32_t>(right ? node.right : node.left), way);
    way.steps.pop_back();
    if (changes) way.changed.pop_back();
    way.mask = mask;
    way.asked = asked;
  }
}

void NearLeaves::choose(const std::vector<std::uint32_t>& slots) {
  for (const std::uint32_t slot : chosen_) place_[slot] = nowhere;
  chosen_ = slots;
  for (std::size_t i = 0; i < slots.size(); ++i) place_[slots[i]] = static_cast<std::uint32_t>(i);
  gathered_.clear();
  chosen_mask_ = 0;
  for (const std::uint32_t slot : slots) chosen_mask_ |= bit_of(slot);
  for (std::uint32_t at = 0; at < leaves_.size(); ++at) {
    if ((masks_[at] & ~chosen_mask_) != 0) continue;
    const Leaf& leaf = leaves_[at];
    bool inside = true;
    for (std::uint32_t i = 0; i < leaf.changed && inside; ++i)
      inside = place_[changed_slots_[leaf.first_slot + i]] != nowhere;
    if (inside) gathered_.push_back(at);
  }
}

void NearLeaves::cut(const std::vector<CodeRange>& part, Cells& cells) const {
  cells.cells.clear();
  cells.ranges.clear();
  cells.first.clear();
  cells.settled.clear();
  std::size_t at = 0;
  while (at < gathered_.size()) {
    // Of a tree that asks for none of the slots, the row's own leaf is all there is.
    if ((leaves_[gathered_[at]].asked & chosen_mask_) == 0) {
      cells.settled.push_back(leaves_[gathered_[at++]].node);
      continue;
    }
    const std::uint32_t tree = leaves_[gathered_[at]].tree;
    const std::size_t first = cells.cells.size(), first_range = cells.ranges.size();
    for (; at < gathered_.size() && leaves_[gathered_[at]].tree == tree; ++at)
      add_cell(leaves_[gathered_[at]], part, cells);
    if (cells.cells.size() != first + 1) {
      cells.first.push_back(static_cast<std::uint32_t>(first));
      continue;
    }
    cells.settled.push_back(cells.cells[first].node);
    cells.cells.resize(first);
    cells.ranges.resize(first_range);
  }
  cells.first.push_back(static_cast<std::uint32_t>(cells.cells.size()));
}

void NearLeaves::add_cell(const Leaf& leaf, const std::vector<CodeRange>& part, Cells& cells) const {
  const auto first = static_cast<std::uint32_t>(cells.ranges.size());
  cells.ranges.insert(cells.ranges.end(), part.begin(), part.end());
  for (std::uint32_t i = 0; i < leaf.steps; ++i) {
    const Step& step = steps_[leaf.first_step + i];
    const std::uint32_t place = place_[step.slot];
    // Slots that were not chosen stay where they are, and the leaf does not differ there.
    if (place == nowhere) continue;
    CodeRange& range = cells.ranges[first + place];
    // Of several codes none is a category or counts as zero (parts_of).
    if (range.end - range.first > 1) {
      narrow(range, step.first_right, step.right);
    } else if (codes_.goes_right(codes_.conditions()[step.condition], range.first) != step.right) {
      range.end = range.first;
    }
    if (range.empty()) {
      cells.ranges.resize(first);
      return;
    }
  }
  cells.cells.push_back({leaf.node, first});
}

}  // namespace sightglass
