// Other trees that follow the model nearly as well: which of them is shown is then a matter of taste, and the one that
// is easiest to read may be chosen (Semenova, Rudin & Parr, On the existence of simpler machine learning models, 2022).
// Tried are trees of the same kind without one feature that the tree uses, smaller ones, and those left when features
// are taken away one by one as long as it costs little.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sightglass/methods/surrogates/fitting/fitted_surrogate.h"
#include "sightglass/result/shapes/scorecard.h"

namespace sightglass {

// How well a tree follows the model on the judged rows, and how sure that is.
struct TreeFidelity {
  double value = 0, low = 0, high = 0;
};

// The tree itself first. Nothing if no other is within `tolerance` of it.
[[nodiscard]] std::optional<Scorecard> other_trees(const FittedSurrogate& tree, const SurrogateTask& task,
                                                   std::uint64_t size, double tolerance, std::uint64_t seed,
                                                   const Context& context,
                                                   const std::function<TreeFidelity(const FittedSurrogate&)>& fidelity);

}  // namespace sightglass
