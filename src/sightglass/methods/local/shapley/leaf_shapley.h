// Shapley values of tree ensembles, exactly and against all rows, off counts of rows at the leaves (model/trees): the
// cost of some tens of predictions of each row, whatever the number of rows to compare with.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/methods/local/shapley/row_attributor.h"

namespace sightglass {

// Empty, or why the trees of this run cannot say it: "the model shows no trees", …
[[nodiscard]] std::string why_not_by_leaves(const MethodInput& input);

struct LeafShapleyOptions {
  bool cover = false;  // unknown features go the way of the training rows instead of that of the data's rows
  bool interactions = false;
  // Those that are going to be explained, ascending; nothing: all.
  std::optional<std::vector<std::uint64_t>> rows;
};

// Whether the counts of an ensemble are too many to be kept together. It is then taken range by range, which takes two
// passes over the rows for each.
[[nodiscard]] bool shapley_takes_passes(const MethodInput& input, bool cover);

// What looking up the values of all rows takes, in leaves of short paths: those with more features than tables are made
// for take far more.
[[nodiscard]] double shapley_work(const MethodInput& input, bool cover);

// Counts all rows, unless it is the cover that counts. Error(usage) if the model does not record its cover.
[[nodiscard]] Chain<AttributorPtr> count_shapley(const MethodInput& input, const LeafShapleyOptions& options);

}  // namespace sightglass
