// Features as bytes: numbers by quantile bins, levels by bins of their own. What is learned about a feature is learned
// per bin, so that a pass over all rows reads one byte of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/training_data.h"

namespace sightglass::additive {

// Bins of a byte, one of which is for missing values.
inline constexpr std::size_t most_bins = 256;

struct FeatureBins {
  bool categorical = false;
  std::size_t bins = 0;                    // that hold values; the code `bins` is for what is missing
  std::vector<double> edges;               // numbers: x is in the first bin whose edge is >= x; none of the last bin
  std::vector<std::uint8_t> bin_of_level;  // categorical; levels without rows count as missing
  std::size_t grouped_levels = 0;          // that share the last bin, because there are too many levels
  std::vector<std::uint8_t> codes;         // of each row
  std::vector<double> weights;             // of the rows of each code
  std::vector<double> centers;             // numbers: weighted mean of the values of each bin
  double low = 0, high = 0;                // numbers: the range
  bool single_values = false;              // numbers: each bin holds one value
  std::vector<double> deciles;             // numbers: the nine of them (type 1)
  std::vector<std::uint8_t> pair_bin;      // of each code: the bin that it is in where features are taken in pairs
  std::size_t pair_bins = 0;               // likewise without the one for what is missing
  std::vector<double> pair_edges;          // some of the edges

  [[nodiscard]] bool is_constant() const { return bins + (weights.back() > 0 ? 1 : 0) < 2; }
};

// At most `bins` per feature and `pair_bins` where features are taken in pairs, in both cases with the one for what is
// missing. Bins hold about the same weight; few values, and levels, have a bin each; of too many levels the heaviest.
[[nodiscard]] std::vector<FeatureBins> bin_features(const TrainingData& data, std::size_t bins, std::size_t pair_bins,
                                                    const Context& context);

// Divides a list into at most `most` groups of neighbours that weigh about the same; what weighs more than its share
// stands alone. Where each group ends (one behind).
[[nodiscard]] std::vector<std::size_t> equal_groups(std::span<const double> weights, std::size_t most);

}  // namespace sightglass::additive
