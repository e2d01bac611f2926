// Leaves of a tree ensemble that differ from one row in few features, and what is left of them where only some features
// move: a box of codes each, of which every input of the other features' own codes meets one per tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sightglass/model/trees/rows/feature_codes_internal.h"

namespace sightglass {

// Where one row can go along a slot.
struct SlotMoves {
  std::uint32_t own = 0;      // its code
  std::vector<double> costs;  // per code, above 0; infinity: not there. Of numbers they grow with the distance
};

// Codes from `first` to before `end`.
struct CodeRange {
  std::uint32_t first = 0, end = 0;
  [[nodiscard]] bool empty() const { return first >= end; }
  [[nodiscard]] bool has(std::uint32_t code) const { return code >= first && code < end; }
  [[nodiscard]] bool meets(const CodeRange& other) const { return first < other.end && other.first < end; }
};

class NearLeaves {
 public:
  // All must stay where they are.
  NearLeaves(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const std::vector<SlotMoves>& moves);

  // All leaves that differ in so many features at the most: there are many more of them, the more may differ.
  void find(std::size_t most);

  // Along one slot: ranges of codes without the row's own, inside each of which every split divides below and above, or
  // there is one code. None: the slot cannot move.
  [[nodiscard]] const std::vector<CodeRange>& parts(std::size_t slot) const { return slot_parts_[slot]; }
  // Leaves that differ in one slot alone: visit(slot, node).
  template <class Visit>
  void each_single(const Visit& visit) const {
    for (const Leaf& leaf : leaves_) {
      if (leaf.changed == 1) visit(changed_slots_[leaf.first_slot], leaf.node);
    }
  }

  // The leaves that the row itself ends in.
  template <class Visit>
  void each_own(const Visit& visit) const {
    for (const Leaf& leaf : leaves_) {
      if (leaf.changed == 0) visit(leaf.node);
    }
  }
  // Where one slot alone decides: visit(slot, range, node, own) for the row's own leaf of each tree, with the codes of
  // each slot on its way that keep it there, and for each leaf that differs in one slot, with the codes that lead to
  // it. Only of slots that can move and whose codes are in order (in_order).
  template <class Visit>
  void each_alone(const Visit& visit) const {
    std::vector<CodeRange> ranges(moves_.size());
    std::vector<std::uint32_t> slots;
    for (const Leaf& leaf : leaves_) {
      if (leaf.changed > 1) continue;
      slots.clear();
      for (std::uint32_t i = 0; i < leaf.steps; ++i) {
        const Step& step = steps_[leaf.first_step + i];
        if (leaf.changed == 1 && step.slot != changed_slots_[leaf.first_slot]) continue;
        if (!in_order(step.slot)) continue;
        CodeRange& range = ranges[step.slot];
        if (std::find(slots.begin(), slots.end(), step.slot) == slots.end()) {
          range = {0, codes_.missing(step.slot)};
          slots.push_back(step.slot);
        }
        if (step.right) {
          range.first = std::max(range.first, step.first_right);
        } else {
          range.end = std::min(range.end, step.first_right);
        }
      }
      for (const std::uint32_t slot : slots) {
        // A way that no value can take has no codes.
        if (!ranges[slot].empty()) visit(slot, ranges[slot], leaf.node, leaf.changed == 0);
      }
    }
  }
  // Numbers of which none counts as missing: every split divides them below and above.
  [[nodiscard]] bool in_order(std::size_t slot) const {
    return !codes_.categorical(slot) && !codes_.asks_for_zero(slot);
  }

  // From here on the others stay as they are.
  void choose(const std::vector<std::uint32_t>& slots);
  // Leaves that differ in these alone, tree by tree: visit(tree, node).
  template <class Visit>
  void each_chosen(const Visit& visit) const {
    for (const std::uint32_t at : gathered_) visit(leaves_[at].tree, leaves_[at].node);
  }

  // A leaf inside one part of the chosen slots.
  struct Cell {
    std::uint32_t node = 0;
    std::uint32_t first_range = 0;
  };
  struct Cells {
    std::vector<Cell> cells;             // tree by tree
    std::vector<CodeRange> ranges;       // one per chosen slot for each cell
    std::vector<std::uint32_t> first;    // of each tree that can end in several, and the end
    std::vector<std::uint32_t> settled;  // leaves of the trees that can end in one alone
    [[nodiscard]] const CodeRange* of(std::uint32_t cell) const { return ranges.data() + cells[cell].first_range; }
  };
  // part: a range per chosen slot, each from parts().
  void cut(const std::vector<CodeRange>& part, Cells& cells) const;

 private:
  struct Leaf {
    std::uint32_t node = 0;
    std::uint32_t tree = 0;
    std::uint32_t first_step = 0, steps = 0;    // of the way, in slots that can move
    std::uint32_t first_slot = 0, changed = 0;  // slots in which it differs
    std::uint64_t asked = 0;                    // a bit of each slot that is asked for on the way
  };
  struct Step {
    std::uint32_t slot = 0;
    std::uint32_t first_right = 0;  // of the condition, at hand
    std::uint32_t condition = 0;
    bool right = false;
  };
  // More slots than bits share them.
  static std::uint64_t bit_of(std::uint32_t slot) { return std::uint64_t{1} << (slot % 64); }
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  // Where a walk down a tree is.
  struct Way {
    std::vector<Step> steps;
    std::vector<std::uint32_t> changed;  // slots
    std::uint64_t mask = 0, asked = 0;
  };
  void walk(std::uint32_t tree, std::uint32_t index, Way& way);
  void add_cell(const Leaf& leaf, const std::vector<CodeRange>& part, Cells& cells) const;

  const TreeEnsemble::Parts& trees_;
  const FeatureCodes& codes_;
  const std::vector<SlotMoves>& moves_;
  std::size_t most_ = 0;
  std::vector<std::vector<CodeRange>> slot_parts_;
  std::vector<Leaf> leaves_;          // tree by tree
  std::vector<std::uint64_t> masks_;  // of each: a bit of each slot in which it differs
  std::vector<Step> steps_;
  std::vector<std::uint32_t> changed_slots_;
  std::vector<std::uint32_t> place_;   // of a slot among the chosen ones
  std::vector<std::uint32_t> chosen_;  // slots
  std::uint64_t chosen_mask_ = 0;
  std::vector<std::uint32_t> gathered_;  // leaves that differ in these alone
};

}  // namespace sightglass
