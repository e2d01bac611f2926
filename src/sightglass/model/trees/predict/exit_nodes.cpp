#include <algorithm>
#include <cstring>

#include "sightglass/model/trees/predict/exit_nodes_internal.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(SIGHTGLASS_PLAIN_KERNELS)
#define SIGHTGLASS_EXITS_BY_HAND
#include <immintrin.h>
#endif

namespace sightglass {

namespace {

// Up to so many levels any tree is filled up, above only if at least half of its splits are there.
constexpr std::uint32_t always_complete = 4;
constexpr std::uint32_t symmetric_tree = 9;  // beside the numbers of levels

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

// Whether all nodes of a level split by the same condition, and all ends are at the same depth: then a row's exit is
// spelled by what it answers to one condition for each level, whatever way it takes.
bool ask_by_level(const FeatureCodes& codes, const std::vector<Reached>& nodes, std::uint32_t depth) {
  std::vector<std::uint32_t> condition(depth);
  std::vector<bool> known(depth);
  for (const Reached& at : nodes) {
    if (at.children == 0) {
      if (at.depth != depth) return false;
      continue;
    }
    const std::uint32_t asked = codes.condition_of(at.node);
    if (known[at.depth] && condition[at.depth] != asked) return false;
    condition[at.depth] = asked;
    known[at.depth] = true;
  }
  return true;
}

#ifdef SIGHTGLASS_EXITS_BY_HAND

// Of symmetric trees: each level's set is a mask of the bytes that get its bit, 64 rows at a time.
__attribute__((target("avx512f,avx512bw,avx512vbmi"))) void spell_in_512(const RowSet* const* levels,
                                                                         std::uint32_t count, std::uint8_t* exits) {
  constexpr __mmask64 all64 = ~__mmask64{0};
  // Bits of rows lie as row_bit() says.
  alignas(64) static constexpr auto order = [] {
    std::array<std::uint8_t, 64> found{};
    for (std::size_t row = 0; row < 64; ++row) found[row] = static_cast<std::uint8_t>(position_of_row(row));
    return found;
  }();
  const __m512i by_rows = _mm512_loadu_si512(order.data());
  for (std::size_t word = 0; word < set_rows / 64; ++word) {
    __m512i bytes = _mm512_setzero_si512();
    for (std::uint32_t level = 0; level < count; ++level) {
      const __m512i bit = _mm512_set1_epi8(static_cast<char>(1U << level));
      bytes = _mm512_mask_mov_epi8(bytes, levels[level]->words[word], _mm512_maskz_or_epi64(0xFF, bytes, bit));
    }
    _mm512_storeu_si512(exits + 64 * word, _mm512_maskz_permutexvar_epi8(all64, by_rows, bytes));
  }
}

bool can_spell_in_512() {
  static const bool can = __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512bw") != 0;
  return can;
}

#endif

}  // namespace

std::vector<std::uint32_t> ExitNodes::add(const TreeEnsemble::Parts& parts, const FeatureCodes& codes, const Tree& tree,
                                          std::uint32_t levels) {
  std::vector<Reached> nodes = first_levels(parts, tree, levels);
  const std::uint32_t depth = nodes.back().depth;
  IndexedTree indexed{.splits = static_cast<std::uint32_t>(splits_.size()),
                      .marks = static_cast<std::uint32_t>(marks_.size()),
                      .by_path = depth <= exit_bits};
  std::uint32_t sets = 1;
  const auto add_split = [&](const Reached& split, bool goes_on) {
    splits_.push_back({codes.condition_of(split.node), split.set});
    if (!goes_on) return;
    nodes[split.children].set = sets++;
    nodes[split.children + 1].set = sets++;
  };
  std::vector<std::uint32_t> by_exit;
  const std::size_t exits = std::size_t{1} << std::min<std::size_t>(depth, exit_bits);
  if (indexed.by_path && depth > 0 && (depth <= always_complete || nodes.size() >= exits)) {
    indexed.levels = depth;
    by_exit.resize(exits);
    // Left subtree first. Below a leaf any condition will do: all of its exits are the leaf's.
    const auto fill = [&](const auto& self, const Reached& at, std::uint32_t level, std::uint32_t path) -> void {
      if (level == depth) {
        by_exit[path] = at.node;
        return;
      }
      const bool splits = at.children != 0;
      splits_.push_back({codes.condition_of(splits ? at.node : tree.root), 0});
      self(self, splits ? nodes[at.children] : at, level + 1, path);
      self(self, splits ? nodes[at.children + 1] : at, level + 1, path | std::uint32_t{1} << level);
    };
    fill(fill, nodes[0], 0, 0);
    indexed.symmetric = ask_by_level(codes, nodes, depth);
    if (indexed.symmetric) {
      splits_.resize(indexed.splits);
      const Reached* at = &nodes[0];
      for (std::uint32_t level = 0; level < depth; ++level, at = &nodes[at->children])
        splits_.push_back({codes.condition_of(at->node), 0});
    }
  } else if (indexed.by_path) {
    const auto goes_on = [&](const Reached& split) {
      return nodes[split.children].children != 0 || nodes[split.children + 1].children != 0;
    };
    for (auto begin = nodes.begin(); begin != nodes.end();) {
      const auto end = std::find_if(begin, nodes.end(), [&](const Reached& at) { return at.depth > begin->depth; });
      for (const bool whether : {true, false}) {
        for (auto at = begin; at != end; ++at) {
          if (at->children == 0 || goes_on(*at) != whether) continue;
          add_split(*at, whether);
          ++(whether ? indexed.going_on : indexed.ending)[at->depth];
        }
      }
      begin = end;
    }
    by_exit.assign(exits, tree.root);
    for (const Reached& at : nodes) {
      if (at.children == 0) by_exit[at.path] = at.node;
    }
  } else {
    for (const Reached& at : nodes) {
      if (at.children != 0) add_split(at, true);
    }
    std::vector<std::uint32_t> ends;  // their sets, by number
    for (const Reached& at : nodes) {
      if (at.children != 0) continue;
      ends.push_back(at.set);
      by_exit.push_back(at.node);
    }
    for (std::size_t bit = 0; bit < exit_bits; ++bit) {
      for (std::size_t number = 0; number < ends.size(); ++number) {
        if ((number >> bit & 1) == 0) continue;
        marks_.push_back(ends[number]);
        ++indexed.marks_of_bit[bit];
      }
    }
  }
  indexed.end = static_cast<std::uint32_t>(splits_.size());
  most_sets_ = std::max<std::size_t>(most_sets_, sets);
  trees_.push_back(indexed);
  return by_exit;
}

std::vector<std::uint32_t> ExitNodes::number_conditions() {
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
inline __attribute__((always_inline)) void ExitNodes::find_complete(const IndexedTree& tree, const RowSet* conditions,
                                                                    Bits& bits) const {
  bits = {};
  Divide<levels, 0, 0>::below(splits_.data() + tree.splits, conditions, ~RowWords{}, bits);
}

// Forced inline: it must be compiled for the processor that find() is.
inline __attribute__((always_inline)) void ExitNodes::find_by_path(const IndexedTree& tree, const RowSet* conditions,
                                                                   RowSet* reached, Bits& bits) const {
  const Split* split = splits_.data() + tree.splits;
  RowSet* child = reached + 1;
  for (std::size_t level = 0; level < exit_bits; ++level) {
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

inline __attribute__((always_inline)) void ExitNodes::find_by_number(const IndexedTree& tree, const RowSet* conditions,
                                                                     RowSet* reached, Bits& bits) const {
  RowSet* child = reached + 1;
  for (std::uint32_t at = tree.splits; at < tree.end; ++at, child += 2) {
    const RowWords here = reached[splits_[at].node].words;
    const RowWords right = here & conditions[splits_[at].condition].words;
    child[0].words = here ^ right;
    child[1].words = right;
  }
  const std::uint32_t* mark = marks_.data() + tree.marks;
  for (std::size_t bit = 0; bit < exit_bits; ++bit) {
    RowWords rows{};
    for (const std::uint32_t* end = mark + tree.marks_of_bit[bit]; mark != end; ++mark) rows |= reached[*mark].words;
    bits[bit] = rows;
  }
}

void ExitNodes::find(std::size_t tree, const RowSet* conditions, RowSet* reached, std::uint8_t* exits) const {
#ifdef SIGHTGLASS_EXITS_BY_HAND
  if (const IndexedTree& indexed = trees_[tree]; indexed.symmetric && can_spell_in_512()) {
    const RowSet* levels[exit_bits];
    for (std::uint32_t level = 0; level < indexed.levels; ++level)
      levels[level] = &conditions[splits_[indexed.splits + level].condition];
    return spell_in_512(levels, indexed.levels, exits);
  }
#endif
  find_plainly(tree, conditions, reached, exits);
}

SIGHTGLASS_FOR_EACH_PROCESSOR
void ExitNodes::find_plainly(std::size_t tree, const RowSet* conditions, RowSet* reached, std::uint8_t* exits) const {
  const IndexedTree& indexed = trees_[tree];
  Bits bits;
  reached[0].words = ~RowWords{};
  switch (indexed.symmetric ? symmetric_tree : indexed.levels) {
    case symmetric_tree: {
      bits = {};
      const Split* split = splits_.data() + indexed.splits;
      for (std::uint32_t level = 0; level < indexed.levels; ++level)
        bits[level] = conditions[split[level].condition].words;
      break;
    }
    case 1: find_complete<1>(indexed, conditions, bits); break;
    case 2: find_complete<2>(indexed, conditions, bits); break;
    case 3: find_complete<3>(indexed, conditions, bits); break;
    case 4: find_complete<4>(indexed, conditions, bits); break;
    case 5: find_complete<5>(indexed, conditions, bits); break;
    case 6: find_complete<6>(indexed, conditions, bits); break;
    case 7: find_complete<7>(indexed, conditions, bits); break;
    case 8: find_complete<8>(indexed, conditions, bits); break;
    default:
      if (indexed.by_path) {
        find_by_path(indexed, conditions, reached, bits);
      } else {
        find_by_number(indexed, conditions, reached, bits);
      }
  }
  // Eight sets of bits become bytes: 8 × 8 transpositions in all bytes of all words at once.
  const auto exchange = [&](std::size_t distance, std::uint64_t mask) __attribute__((always_inline)) {
    for (std::size_t a = 0; a < exit_bits; ++a) {
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
  for (std::size_t half = 0; half < exit_bits; half += 4) {
    const RowWords* const four = bits.data() + half;
    const RowWords even_a = __builtin_shufflevector(four[0], four[1], 0, 4, 2, 6);
    const RowWords even_b = __builtin_shufflevector(four[2], four[3], 0, 4, 2, 6);
    const RowWords odd_a = __builtin_shufflevector(four[0], four[1], 1, 5, 3, 7);
    const RowWords odd_b = __builtin_shufflevector(four[2], four[3], 1, 5, 3, 7);
    const RowWords words[4] = {
        __builtin_shufflevector(even_a, even_b, 0, 1, 4, 5), __builtin_shufflevector(odd_a, odd_b, 0, 1, 4, 5),
        __builtin_shufflevector(even_a, even_b, 2, 3, 6, 7), __builtin_shufflevector(odd_a, odd_b, 2, 3, 6, 7)};
    for (std::size_t word = 0; word < 4; ++word)
      std::memcpy(exits + word * 64 + half * 8, &words[word], sizeof words[word]);
  }
}

}  // namespace sightglass
