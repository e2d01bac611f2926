// Counter-based random numbers (Philox 4x64-10): the number for (seed, stream, index) is the same whoever
// asks for it, in whatever order, so samples do not depend on threads, batches or partitions.
#pragma once

#include <array>
#include <cstdint>

namespace sightglass {

// A stream keeps different uses of one seed apart; give each method a constant of its own.
[[nodiscard]] std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);
// Four numbers for about the price of one, the first of which is random_bits().
[[nodiscard]] std::array<std::uint64_t, 4> random_block(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

}  // namespace sightglass
