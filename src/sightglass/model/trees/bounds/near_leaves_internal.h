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
  // To what a split leaves on one side.
  void narrow(std::uint32_t first_right, bool right) {
    if (right) {
      first = std::max(first, first_right);
    } else {
      end = std::min(end, first_right);
    }
  }
};

// Of each node the one above it, doubled, and 1 more where it stands to the right; of roots nobody's.
class ParentNodes {
 public:
  explicit ParentNodes(const TreeEnsemble::Parts& parts);
  // From a leaf to the root: visit(node, right).
  template <class Visit>
  void climb(std::uint32_t node, const Visit& visit) const {
    for (std::uint32_t above = above_[node]; above != nobody; above = above_[above / 2])
      visit(above / 2, above % 2 == 1);
  }

 private:
  static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> above_;
};

// A leaf that may be the best of its tree.
struct OfferedLeaf {
  std::uint32_t tree = 0;
  std::uint32_t left_out = 0;  // a bit of each combination of sides that does not reach it
  double gain = 0;
};

class NearLeaves {
 public:
  // All must stay where they are.
  NearLeaves(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const ParentNodes& parents,
             const std::vector<SlotMoves>& moves);

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
    constexpr CodeRange not_yet{nowhere, 0};
    std::vector<CodeRange> ranges(moves_.size(), not_yet);
    std::vector<std::uint32_t> slots;
    for (const Leaf& leaf : leaves_) {
      // A way that no value can take has no codes.
      if (leaf.changed == 1) {
        const std::uint32_t slot = changed_slots_[leaf.first_slot];
        if (ends_[slot] > 0 && !leaf.alone.empty()) visit(slot, leaf.alone, leaf.node, false);
      }
      if (leaf.changed > 0) continue;
      slots.clear();
      parents_.climb(leaf.node, [&](std::uint32_t node, bool right) {
        const FeatureCodes::Condition& condition = codes_.conditions()[codes_.condition_of(node)];
        const std::uint32_t slot = condition.slot;
        if (ends_[slot] == 0) return;
        CodeRange& range = ranges[slot];
        if (range.first == nowhere) {
          range = {0, ends_[slot]};
          slots.push_back(slot);
        }
        range.narrow(condition.first_right, right);
      });
      for (const std::uint32_t slot : slots) {
        if (!ranges[slot].empty()) visit(slot, ranges[slot], leaf.node, true);
        ranges[slot] = not_yet;
      }
    }
  }
  // Numbers of which none counts as missing: every split divides them below and above.
  [[nodiscard]] bool in_order(std::size_t slot) const {
    return !codes_.categorical(slot) && !codes_.asks_for_zero(slot);
  }

  // Whether sides of these slots can be bounded together (best_by_side): each is in order and has a bit of its own, and
  // leaves are listed by the slots in which they differ.
  [[nodiscard]] bool has_sides(const std::vector<std::uint32_t>& slots) const;
  // Codes of a slot in order that lie below the row's own, or above; none: empty.
  [[nodiscard]] const CodeRange& side(std::size_t slot, bool above) const {
    return above ? above_[slot] : below_[slot];
  }
  // For each combination of sides of these slots, while the others stay as they are: the sum over trees of the best
  // gain among the leaves that can be reached. Bit i of a combination says whether slot i is above. gains: of each node
  // and sum; bounds: [sum × combinations + combination].
  void best_by_side(const std::vector<std::uint32_t>& slots, const std::vector<double>& gains, std::size_t sums,
                    std::vector<double>& bounds);

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

    // The same for a single sum, as columns, so that the processor takes several cells at once: first and end of each
    // chosen slot, and gains (of each node, given).
    void lay_out(std::size_t slots, const std::vector<double>& gains);
    // What each cell adds if it meets the box (minus infinity: it does not), and if the box's cheapest input lies in it
    // (0: it does not).
    void meet(const std::vector<CodeRange>& box, const std::vector<std::uint32_t>& at);
    std::vector<double> columns, gain, met, held;
  };
  // part: a range per chosen slot, each from parts().
  void cut(const std::vector<CodeRange>& part, Cells& cells) const;

 private:
  struct Leaf {
    std::uint32_t node = 0;
    std::uint32_t tree = 0;
    std::uint32_t first_step = 0, steps = 0;     // of the way, in slots that can move
    std::uint32_t first_slot = 0, changed = 0;   // slots in which it differs
    CodeRange alone;                             // of one slot in order in which alone it differs: its codes
    std::uint64_t asked = 0;                     // a bit of each slot that is asked for on the way
    std::uint64_t not_below = 0, not_above = 0;  // a bit of each slot in order of which no code there is on the way
  };
  // More slots than bits share them.
  static std::uint64_t bit_of(std::uint32_t slot) { return std::uint64_t{1} << (slot % 64); }
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  // Where a walk down a tree is.
  struct Way {
    std::vector<std::uint32_t> changed;  // slots
    std::vector<CodeRange> ranges;       // of each slot in order
    std::uint64_t mask = 0, asked = 0, not_below = 0, not_above = 0;
  };
  void fill_buckets();
  void walk(std::uint32_t tree, std::uint32_t index, Way& way);
  void find_ways();
  void add_cell(std::size_t gathered, const std::vector<CodeRange>& part, Cells& cells) const;

  const TreeEnsemble::Parts& trees_;
  const FeatureCodes& codes_;
  const ParentNodes& parents_;
  const std::vector<SlotMoves>& moves_;
  std::size_t most_ = 0;
  std::vector<std::vector<CodeRange>> slot_parts_;
  std::vector<CodeRange> below_, above_;  // of slots in order
  std::vector<std::uint32_t> ends_;       // of the codes of slots in order that can move; 0 of others
  // Leaves by the slots in which they differ, as digits of a number: 1 + place of each among those that can move.
  std::vector<std::uint32_t> digit_;  // of each slot
  std::uint32_t digits_ = 1;
  std::vector<std::uint32_t> key_of_leaf_, bucket_, in_buckets_;  // bucket_: where each key's leaves begin
  std::vector<OfferedLeaf> offered_;
  std::vector<std::uint32_t> nodes_offered_;
  std::vector<double> best_;          // of each tree and combination
  std::vector<Leaf> leaves_;          // tree by tree
  std::vector<std::uint64_t> masks_;  // of each: a bit of each slot in which it differs
  std::vector<std::uint32_t> changed_slots_;
  std::vector<std::uint32_t> place_;   // of a slot among the chosen ones
  std::vector<std::uint32_t> chosen_;  // slots
  std::uint64_t chosen_mask_ = 0;
  std::vector<std::uint32_t> gathered_;  // leaves that differ in these alone
  std::vector<CodeRange>
      ways_;  // codes of chosen slots that lead to each of these; empty: not all of them are in order
};

}  // namespace sightglass
