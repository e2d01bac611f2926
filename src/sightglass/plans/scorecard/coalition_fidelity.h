// How well do Shapley values follow the model? They say what it predicts on average where only some of a row's features
// are known, base + Σ over these; that can be asked. Near: all features but one are known; far: any of them.
// v(S) = mean over rows z of f(x_S, z_−S) is what SHAP explains; Bhatt, Weller & Moura 2020, Evaluating and aggregating
// feature-based model explanations. Cost per row: (features + 32) × 256 predictions.
#pragma once

#include <map>

#include "sightglass/methods/run/session.h"

namespace sightglass {

struct CoalitionFidelity {
  // 1 − Σ (v(S) − what the values say)² / Σ (v(S) − f(x))²: 1 is exact, 0 no better than to say that nothing changes.
  double near = 1, far = 1;
};

// values: a result of shap in this session. By row and output; rows that the session does not use are left out, and so
// are values of groups of features.
[[nodiscard]] std::map<std::pair<std::uint64_t, std::string>, CoalitionFidelity> coalition_fidelity(
    const RunSession& session, const Result& values);

}  // namespace sightglass
