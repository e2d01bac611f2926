// How often what a surrogate shows comes back when it is fitted to resampled rows.
//
// A split comes back if a refitted tree asks about the same feature at the same depth, numbers at about the same place
// (a tenth of the rows apart at the most). A term comes back if its coefficient has the same sign. A rule comes back if
// a rule of the refit holds for nearly the same rows (four fifths of those for which either holds).
#pragma once

#include <vector>

#include "sightglass/learn/learner.h"
#include "sightglass/learn/training_data.h"

namespace sightglass {

// Rows of the data drawn with replacement: those drawn, with their weights counted as often as they were.
[[nodiscard]] TrainingData resampled(const TrainingData& data, std::uint64_t seed, std::uint64_t draw);

// Writes into the items of `shown` which share of the refits has them again; returns the mean over splits, terms and
// rules, or nothing if there are none.
[[nodiscard]] std::optional<double> add_stability(std::vector<ResultItem>& shown, const std::vector<Learned>& refits,
                                                  const TrainingData& data);

}  // namespace sightglass
