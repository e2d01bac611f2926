// Whether a model answers the same when it is asked again.
#pragma once

#include <optional>

#include "sightglass/methods/run/session.h"

namespace sightglass {

// Asks about a few rows twice; a caveat if the answers differ by more than the last digits of a float32. A model whose
// trees are known is not asked.
[[nodiscard]] std::optional<Caveat> changing_answers(const RunSession& session);

}  // namespace sightglass
