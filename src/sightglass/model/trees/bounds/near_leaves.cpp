#include <algorithm>
#include <array>
#include <cmath>

#include "sightglass/base/each_processor.h"
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

// Leaves are listed by the slots in which they differ while there are few such sets.
constexpr double most_buckets = 1 << 16;
// Slots of a set whose sides are bounded together.
constexpr std::size_t most_sided = 4;

// Four combinations of sides at once, wherever they stand.
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
constexpr double nothing = -std::numeric_limits<double>::infinity();
// What is taken off a leaf's gain: bits say for which of four combinations it cannot be reached.
constexpr auto taken_off = [] {
  std::array<std::array<double, 4>, 16> table{};
  for (std::size_t bits = 0; bits < 16; ++bits) {
    for (std::size_t i = 0; i < 4; ++i) table[bits][i] = ((bits >> i) & 1) != 0 ? nothing : 0;
  }
  return table;
}();

SIGHTGLASS_FOR_EACH_PROCESSOR
void take_best(const OfferedLeaf* leaves, std::size_t count, std::size_t fours, double* best) {
  for (std::size_t at = 0; at < count; ++at) {
    const OfferedLeaf& leaf = leaves[at];
    Four* of_tree = reinterpret_cast<Four*>(best) + leaf.tree * fours;
    for (std::size_t i = 0; i < fours; ++i) {
      const Four offered =
          leaf.gain + *reinterpret_cast<const Four*>(taken_off[(leaf.left_out >> (4 * i)) & 15].data());
      of_tree[i] = of_tree[i] > offered ? of_tree[i] : offered;
    }
  }
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void add_trees(const double* best, std::size_t trees, std::size_t fours, double* sums) {
  for (std::size_t i = 0; i < fours; ++i) {
    Four sum = {};
    for (std::size_t tree = 0; tree < trees; ++tree) sum += reinterpret_cast<const Four*>(best)[tree * fours + i];
    reinterpret_cast<Four*>(sums)[i] = sum;
  }
}

// A box along one chosen slot, and where its cheapest input is.
struct BoxSide {
  double first = 0, end = 0, at = 0;
};

SIGHTGLASS_FOR_EACH_PROCESSOR
void meet_cells(const double* columns, std::size_t padded, const BoxSide* box, std::size_t slots, const double* gain,
                double* met, double* held) {
  const Four none = {nothing, nothing, nothing, nothing}, zero = {};
  for (std::size_t c = 0; c < padded; c += 4) {
    auto meets = zero == zero, holds = meets;
    for (std::size_t i = 0; i < slots; ++i) {
      const Four first = *reinterpret_cast<const Four*>(columns + 2 * i * padded + c),
                 end = *reinterpret_cast<const Four*>(columns + (2 * i + 1) * padded + c);
      meets &= (first < box[i].end) & (end > box[i].first);
      holds &= (first <= box[i].at) & (end > box[i].at);
    }
    const Four gains = *reinterpret_cast<const Four*>(gain + c);
    *reinterpret_cast<Four*>(met + c) = meets ? gains : none;
    *reinterpret_cast<Four*>(held + c) = holds ? gains : zero;
  }
}

}  // namespace

ParentNodes::ParentNodes(const TreeEnsemble::Parts& parts) : above_(parts.nodes.size(), nobody) {
  for (std::uint32_t node = 0; node < parts.nodes.size(); ++node) {
    if (parts.nodes[node].is_leaf()) continue;
    above_[static_cast<std::size_t>(parts.nodes[node].left)] = 2 * node;
    above_[static_cast<std::size_t>(parts.nodes[node].right)] = 2 * node + 1;
  }
}

NearLeaves::NearLeaves(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const ParentNodes& parents,
                       const std::vector<SlotMoves>& moves)
    : trees_(parts), codes_(codes), parents_(parents), moves_(moves), place_(moves.size(), nowhere) {
  below_.resize(moves.size());
  above_.resize(moves.size());
  digit_.resize(moves.size());
  ends_.resize(moves.size());
  for (std::size_t slot = 0; slot < moves.size(); ++slot) {
    slot_parts_.push_back(parts_of(codes, slot, moves[slot]));
    if (!slot_parts_.back().empty()) digit_[slot] = digits_++;
    if (!in_order(slot)) continue;
    if (!slot_parts_.back().empty()) ends_[slot] = codes.missing(slot);
    for (const CodeRange& part : slot_parts_.back()) (part.first > moves[slot].own ? above_ : below_)[slot] = part;
  }
}

void NearLeaves::find(std::size_t most) {
  most_ = most;
  leaves_.clear();
  masks_.clear();
  changed_slots_.clear();
  key_of_leaf_.clear();
  Way way;
  for (const std::uint32_t end : ends_) way.ranges.push_back({0, end});
  for (std::size_t tree = 0; tree < trees_.trees.size(); ++tree)
    walk(static_cast<std::uint32_t>(tree), trees_.trees[tree].root, way);
  fill_buckets();
}

void NearLeaves::fill_buckets() {
  const double keys = std::pow(static_cast<double>(digits_), static_cast<double>(most_));
  bucket_.clear();
  if (moves_.size() > 64 || most_ < 2 || keys > most_buckets) return;
  key_of_leaf_.resize(leaves_.size());
  bucket_.assign(static_cast<std::size_t>(keys) + 1, 0);
  std::array<std::uint32_t, 16> digits{};  // 2^16 keys have no more
  for (std::size_t at = 0; at < leaves_.size(); ++at) {
    const Leaf& leaf = leaves_[at];
    for (std::uint32_t i = 0; i < leaf.changed; ++i) digits[i] = digit_[changed_slots_[leaf.first_slot + i]];
    std::sort(digits.begin(), digits.begin() + leaf.changed);
    std::uint32_t key = 0;
    for (std::uint32_t i = 0; i < leaf.changed; ++i) key = key * digits_ + digits[i];
    key_of_leaf_[at] = key;
    ++bucket_[key + 1];
  }
  for (std::size_t key = 1; key < bucket_.size(); ++key) bucket_[key] += bucket_[key - 1];
  in_buckets_.resize(leaves_.size());
  std::vector<std::uint32_t> next(bucket_.begin(), bucket_.end() - 1);
  for (std::uint32_t at = 0; at < leaves_.size(); ++at) in_buckets_[next[key_of_leaf_[at]]++] = at;
}

bool NearLeaves::has_sides(const std::vector<std::uint32_t>& slots) const {
  return !bucket_.empty() && slots.size() >= 2 && slots.size() <= most_sided &&
         std::all_of(slots.begin(), slots.end(), [&](std::uint32_t slot) { return in_order(slot); });
}

void NearLeaves::best_by_side(const std::vector<std::uint32_t>& slots, const std::vector<double>& gains,
                              std::size_t sums, std::vector<double>& bounds) {
  const std::size_t combinations = std::size_t{1} << slots.size();
  // For each slot, the combinations in which it is below; in the others it is above.
  static constexpr std::uint32_t below[most_sided] = {0x5555, 0x3333, 0x0f0f, 0x00ff};
  offered_.clear();
  nodes_offered_.clear();
  for (std::size_t some = 0; some < combinations; ++some) {
    std::uint32_t key = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (((some >> i) & 1) != 0) key = key * digits_ + digit_[slots[i]];
    }
    for (std::uint32_t place = bucket_[key]; place < bucket_[key + 1]; ++place) {
      const Leaf& leaf = leaves_[in_buckets_[place]];
      std::uint32_t left_out = 0;
      for (std::size_t i = 0; i < slots.size(); ++i) {
        left_out |= static_cast<std::uint32_t>((leaf.not_below >> slots[i]) & 1) * below[i];
        left_out |= static_cast<std::uint32_t>((leaf.not_above >> slots[i]) & 1) * (below[i] << (1U << i));
      }
      offered_.push_back({.tree = leaf.tree, .left_out = left_out});
      nodes_offered_.push_back(leaf.node);
    }
  }
  bounds.assign(sums * combinations, 0);
  for (std::size_t sum = 0; sum < sums; ++sum) {
    for (std::size_t at = 0; at < offered_.size(); ++at) offered_[at].gain = gains[nodes_offered_[at] * sums + sum];
    best_.assign(trees_.trees.size() * combinations, nothing);
    take_best(offered_.data(), offered_.size(), combinations / 4, best_.data());
    add_trees(best_.data(), trees_.trees.size(), combinations / 4, bounds.data() + sum * combinations);
  }
}

void NearLeaves::walk(std::uint32_t tree, std::uint32_t index, Way& way) {
  const TreeNode& node = trees_.nodes[index];
  if (node.is_leaf()) {
    leaves_.push_back({.node = index,
                       .tree = tree,
                       .first_slot = static_cast<std::uint32_t>(changed_slots_.size()),
                       .changed = static_cast<std::uint32_t>(way.changed.size()),
                       .alone = way.changed.size() == 1 ? way.ranges[way.changed[0]] : CodeRange(),
                       .asked = way.asked,
                       .not_below = way.not_below,
                       .not_above = way.not_above});
    masks_.push_back(way.mask);
    changed_slots_.insert(changed_slots_.end(), way.changed.begin(), way.changed.end());
    return;
  }
  const auto& condition = codes_.conditions()[codes_.condition_of(index)];
  const bool own_right = codes_.goes_right(condition, moves_[condition.slot].own);
  // A slot that cannot move goes the row's own way.
  if (slot_parts_[condition.slot].empty())
    return walk(tree, static_cast<std::uint32_t>(own_right ? node.right : node.left), way);
  const bool has_changed = (way.mask & bit_of(condition.slot)) != 0 &&
                           std::find(way.changed.begin(), way.changed.end(), condition.slot) != way.changed.end();
  const std::uint64_t mask = way.mask, asked = way.asked, not_below = way.not_below, not_above = way.not_above;
  const CodeRange &below = below_[condition.slot], &above = above_[condition.slot];
  const CodeRange range = way.ranges[condition.slot];
  for (const bool right : {false, true}) {
    const bool changes = right != own_right && !has_changed;
    if (changes && way.changed.size() == most_) continue;
    if (changes) way.changed.push_back(condition.slot);
    if (changes) way.mask |= bit_of(condition.slot);
    way.asked |= bit_of(condition.slot);
    const auto misses = [&](const CodeRange& side) {
      return right ? side.end <= condition.first_right : side.first >= condition.first_right;
    };
    if (misses(below)) way.not_below |= bit_of(condition.slot);
    if (misses(above)) way.not_above |= bit_of(condition.slot);
    way.ranges[condition.slot].narrow(condition.first_right, right);
    walk(tree, static_cast<std::uint32_t>(right ? node.right : node.left), way);
    way.ranges[condition.slot] = range;
    if (changes) way.changed.pop_back();
    way.mask = mask;
    way.asked = asked;
    way.not_below = not_below;
    way.not_above = not_above;
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
  find_ways();
}

// Once for all parts of the chosen slots.
void NearLeaves::find_ways() {
  ways_.clear();
  if (!std::all_of(chosen_.begin(), chosen_.end(), [&](std::uint32_t slot) { return in_order(slot); })) return;
  std::vector<CodeRange> all;
  for (const std::uint32_t slot : chosen_) all.push_back({0, codes_.missing(slot)});
  for (const std::uint32_t at : gathered_) {
    ways_.insert(ways_.end(), all.begin(), all.end());
    const Leaf& leaf = leaves_[at];
    if ((leaf.asked & chosen_mask_) == 0) continue;
    CodeRange* ways = ways_.data() + ways_.size() - all.size();
    parents_.climb(leaf.node, [&](std::uint32_t node, bool right) {
      const auto& condition = codes_.conditions()[codes_.condition_of(node)];
      const std::uint32_t place = place_[condition.slot];
      if (place != nowhere) ways[place].narrow(condition.first_right, right);
    });
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
    for (; at < gathered_.size() && leaves_[gathered_[at]].tree == tree; ++at) add_cell(at, part, cells);
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

void NearLeaves::Cells::lay_out(std::size_t slots, const std::vector<double>& gains) {
  const std::size_t padded = (cells.size() + 3) / 4 * 4;
  columns.assign(2 * slots * padded, 0);
  gain.assign(padded, 0);
  met.resize(padded);
  held.resize(padded);
  for (std::uint32_t c = 0; c < cells.size(); ++c) {
    gain[c] = gains[cells[c].node];
    for (std::size_t i = 0; i < slots; ++i) {
      columns[2 * i * padded + c] = of(c)[i].first;
      columns[(2 * i + 1) * padded + c] = of(c)[i].end;
    }
  }
}

void NearLeaves::Cells::meet(const std::vector<CodeRange>& box, const std::vector<std::uint32_t>& at) {
  std::array<BoxSide, 16> sides;
  for (std::size_t i = 0; i < box.size(); ++i)
    sides[i] = {static_cast<double>(box[i].first), static_cast<double>(box[i].end), static_cast<double>(at[i])};
  meet_cells(columns.data(), gain.size(), sides.data(), box.size(), gain.data(), met.data(), held.data());
}

void NearLeaves::add_cell(std::size_t gathered, const std::vector<CodeRange>& part, Cells& cells) const {
  const Leaf& leaf = leaves_[gathered_[gathered]];
  const auto first = static_cast<std::uint32_t>(cells.ranges.size());
  cells.ranges.insert(cells.ranges.end(), part.begin(), part.end());
  bool reached = true;
  if (!ways_.empty()) {
    const CodeRange* ways = ways_.data() + gathered * part.size();
    for (std::size_t i = 0; i < part.size(); ++i) {
      CodeRange& range = cells.ranges[first + i];
      range = {std::max(range.first, ways[i].first), std::min(range.end, ways[i].end)};
      reached = reached && !range.empty();
    }
  } else {
    parents_.climb(leaf.node, [&](std::uint32_t node, bool right) {
      const auto& condition = codes_.conditions()[codes_.condition_of(node)];
      const std::uint32_t place = place_[condition.slot];
      // Slots that were not chosen stay where they are, and the leaf does not differ there.
      if (place == nowhere) return;
      CodeRange& range = cells.ranges[first + place];
      if (range.empty()) return;
      // Of several codes none is a category or counts as zero (parts_of).
      if (range.end - range.first > 1) {
        range.narrow(condition.first_right, right);
      } else if (codes_.goes_right(condition, range.first) != right) {
        range.end = range.first;
      }
      reached = reached && !range.empty();
    });
  }
  if (!reached) {
    cells.ranges.resize(first);
    return;
  }
  cells.cells.push_back({leaf.node, first});
}

}  // namespace sightglass
