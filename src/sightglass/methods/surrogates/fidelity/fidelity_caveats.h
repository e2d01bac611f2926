// When not to trust a surrogate.
#pragma once

#include <optional>
#include <vector>

#include "sightglass/result/caveat.h"
#include "sightglass/result/shapes/fidelity.h"

namespace sightglass {

// low-fidelity, uneven-fidelity, off-data-fidelity, unstable-surrogate. stability: share of what it shows that comes
// back in refits.
[[nodiscard]] std::vector<Caveat> fidelity_caveats(const Fidelity& fidelity, const std::optional<double>& stability,
                                                   bool several_outputs);

}  // namespace sightglass
