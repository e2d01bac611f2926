// Coefficients of a few terms without a penalty (weighted least squares, maximum likelihood), to the last digits, by
// the linear models' own search (linear/fitter.h).
//
// Memory: 8 bytes per row and term.
#pragma once

#include <cstdint>
#include <span>

#include "sightglass/base/context.h"
#include "sightglass/learn/rules/rule_gram.h"
#include "sightglass/learn/rules/rule_lasso.h"
#include "sightglass/model/model.h"

namespace sightglass {

struct Refit {
  RuleSolution solution;  // a term that follows from others is not in it
  bool settled = true;    // the search ended where it should
  double ridge =
      0;  // ½ ridge Σ (coefficient · sd)² was added, since some rows are told apart without any error; 0: none
};

// `outcome` is per position: numbers, or the number of the class. Coefficients of several classes have the mean 0.
[[nodiscard]] Refit refit_terms(const RuleTerms& terms, std::span<const double> outcome, Task task, std::size_t classes,
                                std::span<const std::uint32_t> chosen, const Context& context);

}  // namespace sightglass
