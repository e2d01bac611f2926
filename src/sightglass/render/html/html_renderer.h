// Results as one HTML file that needs nothing else: no network, no fonts, no scripts but its own, whose
// hashes are all that its Content-Security-Policy lets run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass {

// An empty title becomes one made from the results.
[[nodiscard]] std::string render_html(const std::vector<Result>& results, std::string_view title = {});

}  // namespace sightglass
