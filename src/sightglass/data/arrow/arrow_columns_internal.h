// Columns made of the pieces of an Arrow column: borrowed, copied, or turned into something that we have.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/data/arrow/arrow_field_internal.h"
#include "sightglass/data/column.h"

namespace sightglass {

using Pieces = std::vector<ArrowPiece>;

// Zero copy: the piece itself, missing values in its own bits.
[[nodiscard]] Column borrow_numbers(const ArrowField& field, const ArrowPiece& piece,
                                    std::shared_ptr<const void> owner);
[[nodiscard]] Column copy_numbers(const ArrowField& field, const Pieces& pieces);
[[nodiscard]] Column copy_bits(const Pieces& pieces);
[[nodiscard]] Column convert_halves(const Pieces& pieces);
// Times and decimals; a missing one is NaN.
[[nodiscard]] Column convert_numbers(const ArrowField& field, const Pieces& pieces);

// Codes together with the levels they stand for.
struct Coded {
  std::vector<std::string> levels;
  bool ordered = false;
  Column column;
};

// Each gives nothing if there are more than most_levels levels.
// Levels from text, sorted bytewise.
[[nodiscard]] std::optional<Coded> code_text(const ArrowField& field, const Pieces& pieces);
// The levels of a dictionary in its own order. Each chunk may bring a dictionary of its own; their levels are
// joined in the order of appearance. `copied` says whether the codes had to be.
[[nodiscard]] std::optional<Coded> code_dictionary(const ArrowField& field, const Pieces& pieces,
                                                   const std::shared_ptr<const void>& owner, bool& copied);
// Numbers as levels, in the order of the numbers; times as text.
[[nodiscard]] std::optional<Coded> levels_of_numbers(const Column& source, TimeKind time_kind);

// Levels that are numbers, as numbers. Throws Error(data) that names the row of one that is not.
[[nodiscard]] Column numbers_of_levels(const Coded& coded, const std::string& name);

}  // namespace sightglass
