// A result in the format that was asked for.
#pragma once

#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass::cli {

inline constexpr const char* result_formats = "table, json, csv, vega, html, svg, png";

[[nodiscard]] std::string render_results(const std::vector<Result>& results, const std::string& format,
                                         const std::string& title);

}  // namespace sightglass::cli
