// The scorecard of surrogates: how good each is as an explanation, one number per quality. Fidelity near and far,
// accuracy, stability, comprehensibility, certainty, representativeness, consistency: Robnik-Šikonja & Bohanec,
// Perturbation-based explanations of prediction models, 2018.
#pragma once

#include <vector>

#include "sightglass/methods/surrogates/fitting/fitted_surrogate.h"
#include "sightglass/result/shapes/fidelity.h"
#include "sightglass/result/shapes/scorecard.h"

namespace sightglass {

// How much there is to read.
struct Complexity {
  std::uint64_t deepest = 0;          // conditions that one row is asked about, at the most
  std::uint64_t conditions = 0;       // in all
  std::vector<std::string> features;  // in the order in which they come up
};
[[nodiscard]] Complexity complexity_of(const FittedSurrogate& surrogate);

// fidelities: one per surrogate, in the same order. available: rows that there were to draw from.
[[nodiscard]] Scorecard scorecard_of(const std::vector<FittedSurrogate>& surrogates,
                                     const std::vector<Fidelity>& fidelities, const RowDivision& division,
                                     std::uint64_t available, const std::string& output);

}  // namespace sightglass
