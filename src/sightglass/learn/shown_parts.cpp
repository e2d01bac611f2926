#include "sightglass/learn/shown_parts.h"

#include <cmath>

namespace sightglass {

TermLink shown_link(const LinkFunction& link) {
  switch (link.link) {
    case Link::logistic: return TermLink::logit;
    case Link::softmax: return TermLink::softmax;
    case Link::exponential: return TermLink::log;
    default: return TermLink::identity;
  }
}

ShownCondition shown_condition(const FeatureInfo& feature, const TermCondition& condition) {
  ShownCondition shown{.feature = feature.name, .categorical = feature.categorical, .missing = condition.missing};
  shown.dates = feature.dates;
  if (std::isfinite(condition.above)) shown.above = condition.above;
  if (std::isfinite(condition.at_most)) shown.at_most = condition.at_most;
  for (const std::uint32_t level : condition.levels) shown.levels.push_back(feature.levels[level]);
  return shown;
}

}  // namespace sightglass
