// Where 256 rows at a time end in a tree: from the root down each node splits the set of rows that reach it, and the
// sets spell a number for each row, bit by bit: the place of its node in a table. Nothing in it depends on a row's
// values, so nothing is mispredicted.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sightglass/model/trees/rows/row_sets_internal.h"

namespace sightglass {

class SetPlaces {
 public:
  static constexpr std::size_t most_places = 256;  // a place is a byte
  static constexpr std::size_t place_bits = 8;

  // Adds a tree down to so many levels of splits, and says which of the ensemble's nodes is at which place: a leaf, or
  // one that the levels end at. There must be no more than most_places of them. Places at which none is hold the root;
  // a node may have several.
  [[nodiscard]] std::vector<std::uint32_t> add(const TreeEnsemble::Parts& parts, const FeatureCodes& codes,
                                               const Tree& tree, std::uint32_t levels);
  // All conditions that are asked for. From then on find() takes sets in this order.
  [[nodiscard]] std::vector<std::uint32_t> number_conditions();

  [[nodiscard]] std::size_t most_sets() const { return most_sets_; }
  // The places of set_rows rows; reached: room for most_sets() sets.
  void find(std::size_t tree, const RowSet* conditions, RowSet* reached, std::uint8_t* places) const;

 private:
  struct Split {
    std::uint32_t condition;
    std::uint32_t node;  // whose rows it divides
  };
  // Where the path to a node fits into a place it is the place, a bit for each level. Else nodes are numbered. Bushy
  // trees are filled up with splits that do not matter: what is known to be complete needs no loops, whose ends a
  // processor could not foresee.
  struct PlacedTree {
    std::uint32_t splits = 0, end = 0, marks = 0;  // where its own begin
    std::uint32_t levels = 0;                      // of a complete tree; 0: it is none
    bool by_path = false;
    // By path, and per level: splits whose children's rows are needed further down, and behind them those whose are
    // not. Else, per bit: nodes whose rows have it in their number.
    std::array<std::uint16_t, place_bits> going_on{}, ending{}, marks_of_bit{};
  };
  using Bits = std::array<RowWords, place_bits>;
  template <std::size_t levels>
  void find_complete(const PlacedTree& tree, const RowSet* conditions, Bits& bits) const;
  void find_by_path(const PlacedTree& tree, const RowSet* conditions, RowSet* reached, Bits& bits) const;
  void find_by_number(const PlacedTree& tree, const RowSet* conditions, RowSet* reached, Bits& bits) const;
  std::vector<PlacedTree> trees_;
  std::vector<Split> splits_;
  std::vector<std::uint32_t> marks_;  // of a numbered tree, bit by bit: nodes whose rows have that bit in their place
  std::size_t most_sets_ = 1;
};

}  // namespace sightglass
