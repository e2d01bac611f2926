// What the page's script gets to see: everything already chosen, worded and formatted, so that the script
// only has to lay it out. One section per feature or pair of features, over all results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

[[nodiscard]] Value page_payload(const std::vector<Result>& results, std::string_view title);
// The page with a payload in it (html_renderer.cpp).
[[nodiscard]] std::string page_of(const Value& payload);

}  // namespace sightglass
