#include "sightglass/plans/method_advice.h"

#include <algorithm>

namespace sightglass {

Text advice_within(const std::vector<OptionSpec>& at_hand, const Text& advice, const MethodEntry& method) {
  const auto is_missing = [&](const Reference& reference) {
    if (reference.kind != Reference::Kind::option || !reference.method.empty()) return false;
    const OptionSpec *here = find_option(at_hand, reference.name),
                     *of_method = find_option(method.options, reference.name);
    return here == nullptr || (of_method != nullptr && of_method->type != here->type);
  };
  const std::vector<Reference> references = advice.references();
  if (std::none_of(references.begin(), references.end(), is_missing)) return advice;
  return marked("with {method:" + method.name + "} by itself: ") + advice;
}

}  // namespace sightglass
