#include "sightglass/methods/run/method.h"

namespace sightglass {

std::string_view to_string(Approach approach) { return approach == Approach::intrinsic ? "intrinsic" : "post hoc"; }

std::string_view to_string(Reach reach) { return reach == Reach::model_agnostic ? "model-agnostic" : "model-specific"; }

std::string_view to_string(Scope scope) {
  switch (scope) {
    case Scope::global: return "global";
    case Scope::modular: return "groups of rows";
    case Scope::local: return "single rows";
  }
  return "global";
}

std::string_view to_string(Need need) {
  switch (need) {
    case Need::required: return "required";
    case Need::optional: return "optional";
    case Need::none: return "none";
  }
  return "required";
}

void MethodInput::for_each(std::string_view work, std::size_t count,
                           const std::function<void(std::size_t)>& body) const {
  if (context == nullptr) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  const auto round = static_cast<std::size_t>(context->threads());
  for (std::size_t first = 0; first < count; first += round) {
    context->report({work, 0, 0});  // how much more there is, the caller knows
    context->parallel_for(std::min(round, count - first), [&](std::size_t i) { body(first + i); });
  }
}

}  // namespace sightglass
