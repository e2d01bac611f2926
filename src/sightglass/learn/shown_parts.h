// Parts of learned models in the words of results.
#pragma once

#include "sightglass/model/learned/structure.h"
#include "sightglass/result/shapes/shown_condition.h"
#include "sightglass/result/shapes/terms.h"

namespace sightglass {

[[nodiscard]] TermLink shown_link(const LinkFunction& link);
// feature: the one that the condition is on.
[[nodiscard]] ShownCondition shown_condition(const FeatureInfo& feature, const TermCondition& condition);

}  // namespace sightglass
