// What is proven about rules that speak of a tree ensemble (the leaves of a surrogate tree, the rules of a rule model):
// between which values the model's predictions lie for all inputs within the ranges of the data, whatever combination
// of them, that meet a rule's conditions, and inputs that come near. With it the claim of each rule, "where it holds,
// the prediction is above (below) the average", is proven or refuted by an input.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/learn/training_data.h"
#include "sightglass/methods/rows/labelled_rows.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/result/shapes/rules.h"

namespace sightglass {

// Writes its range into every rule that some input within the ranges meets. Nothing where the model is no tree ensemble
// that is explained by its structure, or its outputs depend on one another (several classes behind one link). boxes:
// effort, per rule and side. named: columns that may be spoken of. Returns whether anything was proven.
bool certify_rules(const MethodInput& input, const LabelledRows& rows, const TrainingData& features,
                   const std::vector<std::uint32_t>& named, std::size_t output, std::uint64_t boxes, Rules& rules);

}  // namespace sightglass
