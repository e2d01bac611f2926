// An ensemble whose features are columns of the data: what predicts rows, and rows under many variants.
#pragma once

#include <memory>

#include "sightglass/model/feature_columns_internal.h"
#include "sightglass/model/trees/predict/coded_trees_internal.h"
#include "sightglass/model/trees/predict/packed_trees_internal.h"

namespace sightglass {

// T: the type in which values are compared. Parts and trees outlive what is returned.
template <class T>
[[nodiscard]] std::unique_ptr<BoundModel> bind_trees(const TreeEnsemble::Parts& parts, const PackedTrees<T>& trees,
                                                     std::shared_ptr<const CodedTrees> coded, FeatureColumns columns);

}  // namespace sightglass
