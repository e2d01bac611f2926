// Which rows stand for all others, and which do these not stand for? Prototypes are rows whose distribution is nearest
// to that of all rows, criticisms rows where the two differ most:
//   MMD² = 1/m² Σ_z Σ_z' k(z, z') − 2/(mW) Σ_z Σ_x w k(z, x) + 1/W² Σ_x Σ_x' w w' k(x, x'),   k(x, z) = exp(−γ d²)
//   witness(x) = 1/W Σ_x' w' k(x, x') − 1/m Σ_z k(x, z)
// taken greedily, one row after the other (learn/prototypes/mmd_critic.h), γ = 1/(2 median d²) unless it is given. Kim,
// Khanna & Koyejo, Examples are not enough, learn to criticize!, NIPS 2016. Cost: half the pairs of rows, 2 ns each;
// with a model, predictions of the rows shown and what their Shapley values take.
#pragma once

#include "sightglass/methods/examples/shown/prototypes_options.h"
#include "sightglass/methods/run/method.h"

namespace sightglass {

[[nodiscard]] MethodEntry prototypes();

}  // namespace sightglass
