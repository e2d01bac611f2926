#include <algorithm>
#include <cstring>

#include "sightglass/model/trees/predict/set_places_internal.h"

namespace sightglass {

namespace {

// Up to so many levels any tree is filled up, above only if at least half of its splits are there.
constexpr std::uint32_t always_complete = 4;

struct Reached {
  std::uint32_t node;
  std::uint32_t depth = 0, path = 0;
  std::size_t children = 0;  // where the left one is, and the right one behind it; 0: an end
  std::uint32_t set = 0;     // where its rows are kept
};

// A tree's nodes down to so many levels of splits, level by level.
std::vector<Reached> first_levels(const TreeEnsemble::Parts& parts, const Tree& tree, std::uint32_t levels) {
  std::vector<Reached> nodes = {{.node = tree.root}};
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    const Reached here = nodes[at];
    const TreeNode& node = parts.nodes[here.node];
    if (node.is_leaf() || here.depth >= levels) continue;
    nodes[at].children = nodes.size();
    const std::uint32_t right = here.depth < 32 ? std::uint32_t{1} << here.depth : 0;
    nodes.push_back({.node = static_cast<std::uint32_t>(node.left), .depth = here.depth + 1, .path = here.path});
    nodes.push_back(
        {.node = static_cast<std::uint32_t>(node.right), .depth = here.depth + 1, .path = here.path | right});
  }
  return nodes;
}

}  // namespace

std::vector<std::uint32_t> SetPlaces::add(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const Tree& tree,
                                          std::uint32_t levels) {
  std::vector<Reached> nodes = first_levels(parts, tree, levels);
  const std::uint32_t depth = nodes.back().depth;
  PlacedTree placed{.splits = static_cast<std::uint32_t>(splits_.size()),
                    .marks = static_cast<std::uint32_t>(marks_.size()),
                    .by_path = depth <= place_bits};
  std::uint32_t sets = 1;
  const auto add_split = [&](const Reached& split, bool goes_on) {
    splits_.push_back({codes.condition_of(split.node), split.set});
    if (!goes_on) return;
    nodes[split.children].set = sets++;
    nodes[split.children + 1].set = sets++;
  };
  std::vector<std::uint32_t> by_place;
  const std::size_t places = std::size_t{1} << std::min<std::size_t>(depth, place_bits);
  if (placed.by_path && depth > 0 && (depth <= always_complete || nodes.size() >= places)) {
    placed.levels = depth;
    by_place.resize(places);
    // Left subtree first. Below a leaf any condition will do: all of its places are the leaf's.
    const auto fill = [&](const auto& self, const Reached& at, std::uint32_t level, std::uint32_t path) -> void {
      if (level == depth) {
        by_place[path] = at.node;
        return;
      }
      const bool splits = at.children != 0;
      splits_.push_back({codes.condition_of(splits ? at.node : tree.root), 0});
      self(self, splits ? nodes[at.children] : at, level + 1, path);
      self(self, splits ? nodes[at.children + 1] : at, level + 1, path | std::uint32_t{1} << level);
    };
    fill(fill, nodes[0], 0, 0);
  } else if (placed.by_path) {
    const auto goes_on = [&](const Reached& split) {
      return nodes[split.children].children != 0 || nodes[split.children + 1].children != 0;
    };
    for (auto begin = nodes.begin(); begin != nodes.end();) {
      const auto end = std::find_if(begin, nodes.end(), [&](const Reached& at) { return at.depth > begin->depth; });
      for (const bool whether : {true, false}) {
        for (auto at = begin; at != end; ++at) {
          if (at->children == 0 || goes_on(*at) != whether) continue;
          add_split(*at, whether);
          ++(whether ? placed.going_on : placed.ending)[at->depth];
        }
      }
      begin = end;
    }
    by_place.assign(places, tree.root);
    for (const Reached& at : nodes) {
      if (at.children == 0) by_place[at.path] = at.node;
    }
  } else {
    for (const Reached& at : nodes) {
      if (at.children != 0) add_split(at, true);
    }
    std::vector<std::uint32_t> ends;  // their sets, by number
    for (const Reached& at : nodes) {
      if (at.children != 0) continue;
      ends.push_back(at.set);
      by_place.push_back(at.node);
    }
    for (std::size_t bit = 0; bit < place_bits; ++bit) {
      for (std::size_t number = 0; number < ends.size(); ++number) {
        if ((number >> bit & 1) == 0) continue;
        marks_.push_back(ends[number]);
        ++placed.marks_of_bit[bit];
      }
    }
  }
  placed.end = static_cast<std::uint32_t>(splits_.size());
  most_sets_ = std::max<std::size_t>(most_sets_, sets);
  trees_.push_back(placed);
  return by_place;
}

std::vector<std::uint32_t> SetPlaces::number_conditions() {
  std::vector<std::uint32_t> conditions;
  for (const Split& split : splits_) conditions.push_back(split.condition);
  std::sort(conditions.begin(), conditions.end());
  conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
  for (Split& split : splits_) {
    const auto at = std::lower_bound(conditions.begin(), conditions.end(), split.condition);
    split.condition = static_cast<std::uint32_t>(at - conditions.begin());
  }
  return conditions;
}

namespace {

// Divides the rows at a split of a complete tree, and all below. Split: its number, a left subtree's before the right
// one's. A structure, since a function cannot be specialised in part; forced inline, as it must be compiled for the
// processor that find() is.
template <std::size_t levels, std::size_t level, std::size_t split>
struct Divide {
  template <class Split, class Bits>
  static inline __attribute__((always_inline)) void below(const Split* splits, const RowSet* conditions,
                                                          const RowWords& here, Bits& bits) {
    const RowWords right = here & conditions[splits[split].condition].words;
    bits[level] |= right;
    if constexpr (level + 1 < levels) {
      Divide<levels, level + 1, split + 1>::below(splits, conditions, here ^ right, bits);
      Divide<levels, level + 1, split + (std::size_t{1} << (levels - level - 1))>::below(splits, conditions, right,
                                                                                         bits);
    }
  }
};

}  // namespace

template <std::size_t levels>
inline __attribute__((always_inline)) void SetPlaces::find_complete(const PlacedTree& tree, const RowSet* conditions,
                                                                    Bits& bits) const {
  bits = {};
  Divide<levels, 0, 0>::below(splits_.data() + tree.splits, conditions, ~RowWords{}, bits);
}

// Forced inline: it must be compiled for the processor that find() is.
inline __attribute__((always_inline)) void SetPlaces::find_by_path(const PlacedTree& tree, const RowSet* conditions,
                                                                   RowSet* reached, Bits& bits) const {
  const Split* split = splits_.data() + tree.splits;
  RowSet* child = reached + 1;
  for (std::size_t level = 0; level < place_bits; ++level) {
    RowWords rows{};
    for (const Split* end = split + tree.going_on[level]; split != end; ++split, child += 2) {
      const RowWords here = reached[split->node].words;
      const RowWords right = here & conditions[split->condition].words;
      child[0].words = here ^ right;
      child[1].words = right;
      rows |= right;
    }
    for (const Split* end = split + tree.ending[level]; split != end; ++split)
      rows |= reached[split->node].words & conditions[split->condition].words;
    bits[level] = rows;
  }
}

inline __attribute__((always_inline)) void SetPlaces::find_by_number(const PlacedTree& tree, const RowSet* conditions,
                                                                     RowSet* reached, Bits& bits) const {
  RowSet* child = reached + 1;
  for (std::uint32_t at = tree.splits; at < tree.end; ++at, child += 2) {
    const RowWords here = reached[splits_[at].node].words;
    const RowWords right = here & conditions[splits_[at].condition].words;
    child[0].words = here ^ right;
    child[1].words = right;
  }
  const std::uint32_t* mark = marks_.data() + tree.marks;
  for (std::size_t bit = 0; bit < place_bits; ++bit) {
    RowWords rows{};
    for (const std::uint32_t* end = mark + tree.marks_of_bit[bit]; mark != end; ++mark) rows |= reached[*mark].words;
    bits[bit] = rows;
  }
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void SetPlaces::find(std::size_t tree, const RowSet* conditions, RowSet* reached, std::uint8_t* places) const {
  const PlacedTree& placed = trees_[tree];
  Bits bits;
  reached[0].words = ~RowWords{};
  switch (placed.levels) {
    case 1: find_complete<1>(placed, conditions, bits); break;
    case 2: find_complete<2>(placed, conditions, bits); break;
    case 3: find_complete<3>(placed, conditions, bits); break;
    case 4: find_complete<4>(placed, conditions, bits); break;
    case 5: find_complete<5>(placed, conditions, bits); break;
    case 6: find_complete<6>(placed, conditions, bits); break;
    case 7: find_complete<7>(placed, conditions, bits); break;
    case 8: find_complete<8>(placed, conditions, bits); break;
    default:
      if (placed.by_path) {
        find_by_path(placed, conditions, reached, bits);
      } else {
        find_by_number(placed, conditions, reached, bits);
      }
  }
  // Eight sets of bits become bytes: 8 × 8 transpositions in all bytes of all words at once.
  const auto exchange = [&](std::size_t distance, std::uint64_t mask) __attribute__((always_inline)) {
    for (std::size_t a = 0; a < place_bits; ++a) {
      if ((a & distance) != 0) continue;
      const RowWords moved = ((bits[a] >> distance) ^ bits[a + distance]) & mask;
      bits[a + distance] ^= moved;
      bits[a] ^= moved << distance;
    }
  };
  exchange(1, 0x5555555555555555);
  exchange(2, 0x3333333333333333);
  exchange(4, 0x0F0F0F0F0F0F0F0F);
  // Then word by word.
  for (std::size_t half = 0; half < place_bits; half += 4) {
    const RowWords* const four = bits.data() + half;
    const RowWords even_a = __builtin_shufflevector(four[0], four[1], 0, 4, 2, 6);
    const RowWords even_b = __builtin_shufflevector(four[2], four[3], 0, 4, 2, 6);
    const RowWords odd_a = __builtin_shufflevector(four[0], four[1], 1, 5, 3, 7);
    const RowWords odd_b = __builtin_shufflevector(four[2], four[3], 1, 5, 3, 7);
    const RowWords words[4] = {
        __builtin_shufflevector(even_a, even_b, 0, 1, 4, 5), __builtin_shufflevector(odd_a, odd_b, 0, 1, 4, 5),
        __builtin_shufflevector(even_a, even_b, 2, 3, 6, 7), __builtin_shufflevector(odd_a, odd_b, 2, 3, 6, 7)};
    for (std::size_t word = 0; word < 4; ++word)
      std::memcpy(places + word * 64 + half * 8, &words[word], sizeof words[word]);
  }
}

}  // namespace sightglass
