// Shapley values of tree ensembles, exactly and against all rows, off counts of rows at the leaves (model/trees): the
// cost of some tens of predictions of each row, whatever the number of rows to compare with.
#pragma once

#include <memory>
#include <string>

#include "sightglass/methods/row_attributor.h"

namespace sightglass {

// Empty, or why the trees of this run cannot say it: "the model shows no trees", …
[[nodiscard]] std::string why_not_by_leaves(const MethodInput& input);

struct LeafShapleyOptions {
  bool cover = false;  // unknown features go the way of the training rows instead of that of the data's rows
  bool interactions = false;
};

// Counts all rows, unless it is the cover that counts; then asks what follows. Error(usage) if the model does not
// record its cover.
[[nodiscard]] Next count_shapley(const MethodInput& input, const LeafShapleyOptions& options, AttributorReady then);

}  // namespace sightglass
