#include <algorithm>

#include "sightglass/plans/report/method_advice_internal.h"
#include "sightglass/plans/report/report.h"

namespace sightglass {

Text advice_within_report(const Text& advice, const MethodEntry& method) {
  const std::vector<OptionSpec> own = report_options();
  const auto is_missing = [&](const Reference& reference) {
    if (reference.kind != Reference::Kind::option || !reference.method.empty()) return false;
    const OptionSpec *of_report = find_option(own, reference.name),
                     *of_method = find_option(method.options, reference.name);
    return of_report == nullptr || (of_method != nullptr && of_method->type != of_report->type);
  };
  const std::vector<Reference> references = advice.references();
  if (std::none_of(references.begin(), references.end(), is_missing)) return advice;
  return marked("with {method:" + method.name + "} by itself: ") + advice;
}

}  // namespace sightglass
