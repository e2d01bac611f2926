// A Vega-Lite chart as SVG or PNG, by way of vl-convert, which comes as a Python package.
#pragma once

#include <string>

namespace sightglass::cli {

// Throws Error(usage) with what to install if no Python with vl-convert is at hand.
void require_exporter(const std::string& format);

// The same, and draws.
[[nodiscard]] std::string export_picture(const std::string& vega_lite, const std::string& format);

}  // namespace sightglass::cli
