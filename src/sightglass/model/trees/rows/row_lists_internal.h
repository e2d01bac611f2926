// Rows as lists of small numbers, and how a split divides a list. Written for AVX2 too, by hand, as compilers find
// neither the gathering of codes nor the packing of what remains: twice as fast, with the same result.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sightglass {

// Up to so many entries behind a list are read, and behind the halves of one are written.
inline constexpr std::size_t list_margin = 8;

// Codes of a slot: that of a row is codes[row << shift], and one number behind the last may be read. All codes of a row
// should lie together: who is asked for one of them is soon asked for another.
struct ListCodes {
  const std::uint16_t* codes = nullptr;
  int shift = 0;
  [[nodiscard]] std::uint16_t of(std::uint16_t row) const { return codes[std::size_t{row} << shift]; }
};

// Rows whose code is within [first, first + size) go right, others left, in their order. Returns how many go left.
std::size_t divide_list(const std::uint16_t* rows, std::size_t count, const ListCodes& codes, std::uint32_t first,
                        std::uint32_t size, std::uint16_t* left, std::uint16_t* right);
// The same number without dividing.
std::size_t count_left(const std::uint16_t* rows, std::size_t count, const ListCodes& codes, std::uint32_t first,
                       std::uint32_t size);

}  // namespace sightglass
