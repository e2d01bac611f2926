// What can mislead about a linear fit.
#pragma once

#include <optional>
#include <vector>

#include "sightglass/learn/linear/fitter.h"
#include "sightglass/learn/linear/inference.h"
#include "sightglass/result/caveat.h"

namespace sightglass {

// Whether the outcome is the same in all rows, so that there is nothing to learn.
[[nodiscard]] bool is_constant(const LinearProblem& problem);

struct JudgedFit {
  const LinearProblem& problem;
  const FoundFit& found;
  const LinearPath& path;
  std::size_t path_length = 0;  // that was asked for
  const std::optional<Inference>& inference;
  bool selected = false;  // terms were chosen by the same rows that they are fitted to
};

[[nodiscard]] std::vector<Caveat> linear_caveats(const JudgedFit& fit, const Context& context);

}  // namespace sightglass
