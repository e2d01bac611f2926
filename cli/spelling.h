// How the command line spells what the library refers to: options are flags.
#pragma once

#include <string>

#include "sightglass/base/options.h"
#include "sightglass/base/text.h"
#include "sightglass/result/result.h"

namespace sightglass::cli {

// "--pair-grid" of pair_grid.
[[nodiscard]] std::string flag_name(const OptionSpec& option);

// "set --sample to 500, or use ale".
[[nodiscard]] std::string with_flags(const Text& text);
// The same for what the caveats of a result say.
[[nodiscard]] Result with_flags(Result result);

}  // namespace sightglass::cli
