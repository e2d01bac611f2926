// An ensemble in codes and what is made of them, each part when it is first needed: who only looks at a model does not
// wait for it.
#pragma once

#include <mutex>
#include <optional>

#include "sightglass/model/trees/predict/deep_trees_internal.h"
#include "sightglass/model/trees/predict/set_trees_internal.h"
#include "sightglass/model/trees/variants/tree_variants_internal.h"

namespace sightglass {

class CodedTrees {
 public:
  explicit CodedTrees(const TreeEnsemble::Parts& parts) : parts_(parts) {}
  // Null where a feature has too many split points.
  [[nodiscard]] const FeatureCodes* codes() const;
  // Null also where trees have too many leaves.
  [[nodiscard]] const SetTrees* sets() const;
  // Null where sets() does, or where there are too many features or leaves.
  [[nodiscard]] const DeepTrees* deep() const;
  // Both there, or none: null also where leaves are of too different sizes.
  [[nodiscard]] const TreeEdges* edges() const;
  [[nodiscard]] const LeafAmounts* amounts() const;

 private:
  void find_edges() const;

  const TreeEnsemble::Parts& parts_;
  mutable std::once_flag coding_, dividing_, packing_, walking_;
  mutable std::optional<FeatureCodes> codes_;
  mutable std::optional<SetTrees> sets_;
  mutable std::optional<DeepTrees> deep_;
  mutable std::optional<TreeEdges> edges_;
  mutable std::optional<LeafAmounts> amounts_;
};

}  // namespace sightglass
