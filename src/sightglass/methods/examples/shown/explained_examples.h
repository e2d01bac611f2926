// What a model says of rows that were chosen: its predictions, and what features add to them.
#pragma once

#include <cstdint>
#include <vector>

#include "sightglass/methods/run/method.h"
#include "sightglass/result/shapes/examples.h"

namespace sightglass {

struct AnsweredRow {
  std::uint64_t row = 0;
  std::vector<double> predictions;   // of all outputs
  std::vector<double> attributions;  // [explained output × features + feature]; empty if none were asked for
};
// In ascending order of the rows; attributions are Shapley values, exact where the model shows its trees.
[[nodiscard]] Chain<std::vector<AnsweredRow>> explain_rows(const MethodInput& input, std::vector<std::uint64_t> rows,
                                                           bool attributions);

// The prediction (of classes that of the most likely one) and the `most` features that add most to it.
void add_explanations(const MethodInput& input, const std::vector<AnsweredRow>& explained, std::size_t most,
                      Examples& examples);

}  // namespace sightglass
