// A result in the format that was asked for.
#pragma once

#include <string>
#include <vector>

#include "sightglass/result/result.h"

namespace sightglass::cli {

inline constexpr const char* result_formats = "table, json, csv, vega, html, svg, png";

[[nodiscard]] std::string render_results(const std::vector<Result>& results, const std::string& format,
                                         const std::string& title);

// One chart of the page that the results make, as vega, svg or png.
struct ChartChoice {
  std::string name, output;
  std::vector<std::string> show;
};
[[nodiscard]] std::string render_chart(const std::vector<Result>& results, const std::string& format,
                                       const ChartChoice& choice);
// The names that `render_chart` knows, one per line, with what can be chosen.
[[nodiscard]] std::string list_charts(const std::vector<Result>& results);

}  // namespace sightglass::cli
