// LIME's line for a model that adds terms (linear, rules, both), without samples: what infinitely many would give. A
// term is a product of functions of one feature each, f = c + Σ_t w_t Π_k g_tk(x_k), and under the weights of samples
// features are independent, so that
//   β_j = Σ_t w_t D_tj Π_{k ≠ j} E g_tk,   D = E[g | own bin] − E[g | other bins]  (of numbers without bins: per
//   deviation).
// Of a linear model that is b_j · (mean of x_j in the row's own bin − mean over the others), or b_j · sd_j.
// Cost: the rows once for each term, then the terms for each row that is explained.
#pragma once

#include <memory>
#include <string>

#include "sightglass/methods/local/lime/leaf_lines.h"

namespace sightglass {

// Why a line cannot be read off terms; empty: it can.
[[nodiscard]] std::string why_not_by_terms(const MethodInput& input);

// All must outlive it.
[[nodiscard]] std::unique_ptr<const ExactLines> lines_of_terms(const MethodInput& input,
                                                               const Perturbation& perturbation);

}  // namespace sightglass
