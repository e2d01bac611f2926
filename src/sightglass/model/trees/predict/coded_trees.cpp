#include <utility>

#include "sightglass/model/trees/predict/coded_trees_internal.h"

namespace sightglass {

const FeatureCodes* CodedTrees::codes() const {
  std::call_once(coding_, [&] {
    if (auto made = FeatureCodes::of(parts_)) codes_.emplace(std::move(*made));
  });
  return codes_ ? &*codes_ : nullptr;
}

const SetTrees* CodedTrees::sets() const {
  std::call_once(dividing_, [&] {
    if (SetTrees::suits(parts_) && codes() != nullptr) sets_.emplace(parts_, *codes());
  });
  return sets_ ? &*sets_ : nullptr;
}

const DeepTrees* CodedTrees::deep() const {
  std::call_once(packing_, [&] {
    if (sets() == nullptr && codes() != nullptr && DeepTrees::suits(parts_, *codes())) deep_.emplace(parts_, *codes());
  });
  return deep_ ? &*deep_ : nullptr;
}

const TreeEdges* CodedTrees::edges() const {
  find_edges();
  return amounts_ ? &*edges_ : nullptr;
}

const LeafAmounts* CodedTrees::amounts() const {
  find_edges();
  return amounts_ ? &*amounts_ : nullptr;
}

void CodedTrees::find_edges() const {
  std::call_once(walking_, [&] {
    if (codes() == nullptr) return;
    edges_.emplace(parts_, *codes());
    amounts_ = LeafAmounts::of(parts_, *edges_);
  });
}

}  // namespace sightglass
