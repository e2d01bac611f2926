// A result as one long tidy table: one line per grid point (curves), per row and grid point (ICE), or per
// cell (surfaces); every item shares the same columns. RFC 4180 quoting, CRLF not needed: lines end in \n.
//
// Names and levels are written as they are. A spreadsheet may take a level such as "=1+2" for a formula:
// import such files as text.
#pragma once

#include <string>

#include "sightglass/result/result.h"

namespace sightglass {

[[nodiscard]] std::string render_csv(const Result& result);

}  // namespace sightglass
