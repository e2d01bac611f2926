// The inner loop of PieceSets: Σ weight of a word × bits that both have in it. size: a multiple of 8. All kinds of
// processors add up in the same order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sightglass {

using CommonBits = double (*)(const std::uint32_t* a, const std::uint32_t* b, const double* weights, std::size_t size);

[[nodiscard]] CommonBits plain_common_bits();
[[nodiscard]] CommonBits common_bits();  // for this processor

}  // namespace sightglass
