// Where 256 rows at a time end in a tree: from the root down each node splits the set of rows that reach it, and the
// sets spell a number for each row, bit by bit: the index of its exit node in a table. Nothing in it depends on a row's
// values, so nothing is mispredicted. Bit vectors of conditions instead of walks: Lucchese et al. (2015), QuickScorer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sightglass/model/trees/rows/row_sets_internal.h"

namespace sightglass {

class ExitNodes {
 public:
  static constexpr std::size_t most_exits = 256;  // a exit is a byte
  static constexpr std::size_t exit_bits = 8;

  // Adds a tree down to so many levels of splits, and says which of the ensemble's nodes is at which exit: a leaf, or
  // one that the levels end at. There must be no more than most_exits of them. Exits at which none is hold the root;
  // a node may have several.
  [[nodiscard]] std::vector<std::uint32_t> add(const TreeEnsemble::Parts& parts, const FeatureCodes& codes,
                                               const Tree& tree, std::uint32_t levels);
  // All conditions that are asked for. From then on find() takes sets in this order.
  [[nodiscard]] std::vector<std::uint32_t> number_conditions();

  [[nodiscard]] std::size_t most_sets() const { return most_sets_; }
  // The exits of set_rows rows; reached: room for most_sets() sets.
  void find(std::size_t tree, const RowSet* conditions, RowSet* reached, std::uint8_t* exits) const;

 private:
  void find_plainly(std::size_t tree, const RowSet* conditions, RowSet* reached, std::uint8_t* exits) const;
  struct Split {
    std::uint32_t condition;
    std::uint32_t node;  // whose rows it divides
  };
  // Where the path to a node fits into a exit it is the exit, a bit for each level. Else nodes are numbered. Bushy
  // trees are filled up with splits that do not matter: what is known to be complete needs no loops, whose ends a
  // processor could not foresee.
  struct IndexedTree {
    std::uint32_t splits = 0, end = 0, marks = 0;  // where its own begin
    std::uint32_t levels = 0;                      // of a complete tree; 0: it is none
    bool by_path = false;
    bool symmetric = false;  // complete, and each level asks one question (CatBoost): a split for each level
    // By path, and per level: splits whose children's rows are needed further down, and behind them those whose are
    // not. Else, per bit: nodes whose rows have it in their number.
    std::array<std::uint16_t, exit_bits> going_on{}, ending{}, marks_of_bit{};
  };
  using Bits = std::array<RowWords, exit_bits>;
  template <std::size_t levels>
  void find_complete(const IndexedTree& tree, const RowSet* conditions, Bits& bits) const;
  void find_by_path(const IndexedTree& tree, const RowSet* conditions, RowSet* reached, Bits& bits) const;
  void find_by_number(const IndexedTree& tree, const RowSet* conditions, RowSet* reached, Bits& bits) const;
  std::vector<IndexedTree> trees_;
  std::vector<Split> splits_;
  std::vector<std::uint32_t> marks_;  // of a numbered tree, bit by bit: nodes whose rows have that bit in their exit
  std::size_t most_sets_ = 1;
};

}  // namespace sightglass
