// What every search for prototypes shares: the width of the kernel, how many each class gets, and for which rows each
// stands.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/prototypes/scaled_rows.h"
#include "sightglass/result/caveat.h"

namespace sightglass {

// γ of the kernel: the one that was given, or 1 / (2 median²) of the distances between different rows; 1 where all rows
// are alike. Of more than `median_points` different rows so many, drawn at random, are looked at. Throws Error(usage)
// on one under which the kernel is not defined, Error(data) where distances are no numbers.
inline constexpr std::size_t median_points = 1000;
[[nodiscard]] double kernel_gamma(const ScaledRows& rows, std::optional<double> given, std::uint64_t seed,
                                  const Context& context);

// Where γ is from, in words.
[[nodiscard]] std::string gamma_text(const ScaledRows& rows, bool given);

// How many of `all` each class gets: as equal as can be, the rest to those of the largest weight; what is more than a
// class can have (`most`) is passed on to the others.
[[nodiscard]] std::vector<std::size_t> divided(std::size_t all, std::span<const double> weights,
                                               std::span<const std::size_t> most);

// Means of the kernel over different rows below or above which nearly all are equally far from one another.
inline constexpr double least_kernel = 0.02, most_kernel = 0.98;

// There are fewer different rows than prototypes were wanted.
[[nodiscard]] Caveat few_rows_caveat(std::size_t prototypes, std::size_t wanted);

// Which prototype is nearest to each point, by squared distances to 40 binary digits; ties go to the lower row.
class NearestPrototypes {
 public:
  explicit NearestPrototypes(const ScaledRows& points);  // which must outlive it

  // One more, by its position in the columns.
  void add(std::uint32_t row, const Context& context);
  // Of each point the nearest prototype, by the order in which they were added.
  [[nodiscard]] const std::vector<std::uint32_t>& nearest() const { return nearest_; }
  // (Weighted) rows to which each prototype is the nearest.
  [[nodiscard]] std::vector<double> stand_for() const;

 private:
  const ScaledRows& points_;
  std::vector<std::uint32_t> rows_;  // of the prototypes
  std::vector<std::uint32_t> nearest_;
  std::vector<double> least_, squares_;
};

}  // namespace sightglass
