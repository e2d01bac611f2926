// Standard errors of a model without a penalty: the inverse of the expected curvature of the log-likelihood, times the
// dispersion (1 for counts and classes, else Pearson's statistic over the degrees of freedom), as statsmodels and R's
// glm have them. Weights count rows.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/learn/linear/proximal_newton.h"

namespace sightglass {

struct Inference {
  std::vector<double> intercept_se;     // one per output, of the features as they are
  std::vector<double> se;               // [output × columns + column], in the features' own units; 0: left out
  std::vector<std::uint32_t> left_out;  // columns that follow from those before them
  double dispersion = 1;
  double degrees_of_freedom = 0;  // that are left; 0 or less: there are no standard errors
  bool by_t = false;              // intervals by Student's distribution, else by the normal one
};

// Of a basis without groups. `total` is the sum of the weights before they were divided by it.
[[nodiscard]] Inference infer(const LinearProblem& problem, const LinearFit& fit, double total, const Context& context);

// The probability of a value at least that far from 0.
[[nodiscard]] double two_sided_p(const Inference& inference, double ratio);
// How many standard errors an interval of 95 % reaches to both sides.
[[nodiscard]] double interval_width(const Inference& inference);

}  // namespace sightglass
