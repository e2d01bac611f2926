// Trees that split derived columns, as trees that split the columns these are made of: the same predictions, to the
// last bit, without the steps in between. A condition on a derived column holds for a set of its source's values
// (preimage); of an interval it becomes one split, of levels one split by categories, of several intervals a few splits
// with the branches behind them repeated. What a path has already decided is left out.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sightglass/model/derived/derived_column.h"
#include "sightglass/model/trees/ensemble.h"

namespace sightglass {

// The parts of a checked ensemble; derived has an entry for each of its features, sources are the features of the
// result. A source with a table is categorical, and so are all columns that are derived from it by one. Values that a
// step or the model refuses are refused of the source (Parts::accepted). Throws Error(model) where that is no range of
// values, or where the result has more than most_nodes nodes (0: sixteen times as many as before, and a million).
[[nodiscard]] TreeEnsemble::Parts fold(const TreeEnsemble::Parts& parts, std::vector<FeatureInfo> sources,
                                       std::span<const DerivedColumn> derived, std::size_t most_nodes = 0);

}  // namespace sightglass
