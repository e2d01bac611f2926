// A linear fit in the units of its features: the structure of its model, its table of coefficients, its path.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sightglass/learn/linear/fitter.h"
#include "sightglass/learn/linear/inference.h"
#include "sightglass/model/learned/structure.h"
#include "sightglass/result/shapes/penalty_path.h"
#include "sightglass/result/shapes/terms.h"

namespace sightglass {

// A missing number counts as the mean, so that its indicator takes up what else there is to say about it.
[[nodiscard]] TermStructure structure_of(const LinearProblem& problem, const LinearFit& fit);

// One table for each output, by the names of these.
[[nodiscard]] std::vector<Terms> terms_of(const LinearProblem& problem, const LinearFit& fit,
                                          const std::optional<Inference>& inference,
                                          const std::vector<std::string>& outputs);

[[nodiscard]] std::vector<PenaltyPath> penalty_paths(const LinearProblem& problem, const LinearPath& path,
                                                     const std::vector<std::string>& outputs);

// "temp", "season = winter", "humidity is missing"
[[nodiscard]] std::string column_name(const Design& design, std::size_t column);

}  // namespace sightglass
