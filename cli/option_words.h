// The library names options as its callers in C++ and Python do; on the command line they are flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/methods/run/options.h"
#include "sightglass/result/result.h"

namespace sightglass::cli {

// "pair_grid" -> "--pair-grid".
[[nodiscard]] std::string flag_name(const std::string& option);

// All that a command of the catalogue can be told; nothing for other commands.
[[nodiscard]] std::vector<OptionSpec> options_of(std::string_view command);

// "set sample_rows to 500, or raise budget" -> "set --sample-rows to 500, or raise --budget". An option whose name is
// also an English word is one only where the words around it say so. any_place: else only an option at the head of the
// text is one, "sample_rows: …", because the rest may name files, columns and levels.
[[nodiscard]] std::string with_flags(std::string_view text, const std::vector<OptionSpec>& options, bool any_place);
// The same for the advice of a result's caveats.
[[nodiscard]] Result with_flags(Result result);

}  // namespace sightglass::cli
