#include <algorithm>
#include <cstring>

#include "sightglass/model/trees/set_places_internal.h"

namespace sightglass {

std::vector<std::uint32_t> SetPlaces::add(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const Tree& tree,
                                          std::uint32_t levels) {
  struct Waiting {
    std::uint32_t node;
    std::uint32_t depth, path;
  };
  struct Mark {
    std::uint32_t bit, node;
  };
  PlacedTree placed{.splits = static_cast<std::uint32_t>(splits_.size()),
                    .marks = static_cast<std::uint32_t>(marks_.size())};
  // Breadth first: a node's children get the next two numbers.
  std::vector<Waiting> nodes = {{tree.root, 0, 0}};
  std::vector<std::uint32_t> ends;
  std::uint32_t depth = 0;
  for (std::uint32_t at = 0; at < nodes.size(); ++at) {
    const Waiting waiting = nodes[at];
    const TreeNode& node = parts.nodes[waiting.node];
    depth = std::max(depth, waiting.depth);
    if (node.is_leaf() || waiting.depth >= levels) {
      ends.push_back(at);
      continue;
    }
    splits_.push_back({codes.condition_of(waiting.node), at});
    const std::uint32_t right = waiting.depth < 32 ? std::uint32_t{1} << waiting.depth : 0;
    nodes.push_back({static_cast<std::uint32_t>(node.left), waiting.depth + 1, waiting.path});
    nodes.push_back({static_cast<std::uint32_t>(node.right), waiting.depth + 1, waiting.path | right});
  }
  placed.end = static_cast<std::uint32_t>(splits_.size());
  most_nodes_ = std::max(most_nodes_, nodes.size());
  // Where the path to a node fits into a place it is the place, and a split marks its right side only. Else the nodes
  // are numbered, and each marks the bits of its number.
  const bool by_path = depth <= place_bits;
  std::vector<Mark> marks;
  if (by_path) {
    std::uint32_t child = 1;
    for (std::uint32_t split = placed.splits; split < placed.end; ++split, child += 2)
      marks.push_back({nodes[splits_[split].node].depth, child + 1});
  }
  std::vector<std::uint32_t> by_place(by_path ? std::size_t{1} << depth : ends.size(), tree.root);
  for (std::uint32_t number = 0; number < ends.size(); ++number) {
    for (std::uint32_t bit = 0; !by_path && bit < place_bits; ++bit) {
      if ((number >> bit & 1) != 0) marks.push_back({bit, ends[number]});
    }
    by_place[by_path ? nodes[ends[number]].path : number] = nodes[ends[number]].node;
  }
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.bit < b.bit; });
  for (const Mark& mark : marks) {
    marks_.push_back(mark.node);
    ++placed.marks_of_bit[mark.bit];
  }
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

SIGHTGLASS_FOR_EACH_PROCESSOR
void SetPlaces::find(std::size_t tree, const RowSet* conditions, RowSet* reached, std::uint8_t* places) const {
  const PlacedTree& placed = trees_[tree];
  reached[0].words = ~RowWords{};
  RowSet* child = reached + 1;
  for (std::uint32_t at = placed.splits; at < placed.end; ++at, child += 2) {
    const RowWords right = conditions[splits_[at].condition].words;
    const RowWords here = reached[splits_[at].node].words;
    child[0].words = here & ~right;
    child[1].words = here & right;
  }
  RowWords bits[place_bits];
  const std::uint32_t* mark = marks_.data() + placed.marks;
  for (std::size_t bit = 0; bit < place_bits; ++bit) {
    RowWords rows{};
    for (const std::uint32_t* end = mark + placed.marks_of_bit[bit]; mark != end; ++mark) rows |= reached[*mark].words;
    bits[bit] = rows;
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
  for (std::size_t word = 0; word < 4; ++word) {
    for (std::size_t rows = 0; rows < 8; ++rows) {
      const std::uint64_t bytes = bits[rows][word];
      std::memcpy(places + word * 64 + rows * 8, &bytes, sizeof bytes);
    }
  }
}

}  // namespace sightglass
