// Some of many rows, drawn so that a kind of which there are few is not lost.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sightglass {

// At most so many of the rows, chosen by the seed and by their own numbers; ascending. 0: all.
[[nodiscard]] std::vector<std::uint32_t> sampled_rows(std::span<const std::uint32_t> rows, std::size_t most,
                                                      std::uint64_t seed);

struct StratifiedSample {
  std::vector<std::uint32_t> places;  // ascending
  // How many rows each stands for, on average 1: more than 1 where its kind was drawn more rarely than others.
  std::vector<double> factors;
};
// At most so many places of a list; kinds[i] is that of place i. Kinds have their share of the sample, but none less
// than a fifth of an equal part as long as it has so many rows. 0: all.
[[nodiscard]] StratifiedSample stratified_sample(std::span<const std::uint32_t> kinds, std::size_t number_of_kinds,
                                                 std::size_t most, std::uint64_t seed);

}  // namespace sightglass
