// The inner loops of PieceSets: Σ weight of a word × bits that both have in it. size: a multiple of 8. All kinds of
// processors add up in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sightglass {

using CommonBits = double (*)(const std::uint32_t* a, const std::uint32_t* b, const double* weights, std::size_t size);

[[nodiscard]] std::vector<CommonBits> all_common_bits();  // that this processor can do, the quickest first
[[nodiscard]] CommonBits common_bits();                   // the quickest

// Σ of the numbers whose bit is set: 32 for each word.
[[nodiscard]] double sum_of_bits(const std::uint32_t* bits, const double* numbers, std::size_t words);

}  // namespace sightglass
