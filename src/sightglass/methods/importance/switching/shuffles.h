// Random exchanges of values between rows: in each repeat every row gets the values of another one, its donor.
// The exchange depends on the seed, the repeat and the rows alone, not on how the work is divided. Without
// weights it is a permutation, and all are equally likely. With weights each row lies on a line of the
// length of its weight, once in the order of the data and once in a random order that is turned by a random
// amount; a random point of the first interval finds the second. So a donor is drawn with a probability by
// weight, exactly, and equal weights give permutations again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sightglass {

class Shuffles {
 public:
  // weights of the rows, all above 0.
  Shuffles(std::span<const double> weights, std::uint64_t seed);
  // The donor of each row, by position.
  [[nodiscard]] std::vector<std::uint32_t> donors(std::uint64_t repeat) const;

 private:
  std::size_t rows_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> units_;  // empty: all the same
  std::uint64_t total_ = 0;
  std::uint64_t divisor_ = 1;  // the largest that divides all units
};

// Random numbers for (seed, use, repeat, row): uniform in [0, 1), and standard normal. `use` is a small number
// that keeps uses apart, such as the index of a column.
[[nodiscard]] double random_uniform(std::uint64_t seed, std::uint64_t use, std::uint64_t repeat, std::uint64_t row);
[[nodiscard]] double random_normal(std::uint64_t seed, std::uint64_t use, std::uint64_t repeat, std::uint64_t row);

}  // namespace sightglass
