// The list of all methods. How they are run: run/session.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/methods/run/method.h"

namespace sightglass {

[[nodiscard]] const std::vector<MethodEntry>& methods();
// By name or alias; throws Error(usage) with the nearest name.
[[nodiscard]] const MethodEntry& find_entry(const std::vector<MethodEntry>& entries, std::string_view name);
[[nodiscard]] const MethodEntry& find_method(std::string_view name);

// Options of other methods that lead there when they are given (MethodEntry::leads), as these describe them.
[[nodiscard]] std::vector<OptionSpec> leading_options(const MethodEntry& entry);
// Its own options and those, and those about other tables (run/other_tables.h).
[[nodiscard]] std::vector<OptionSpec> all_options(const MethodEntry& entry);

// The catalogue's entry of a method: what the command line and Python show.
[[nodiscard]] Value describe(const MethodEntry& entry);
// "post hoc, model-agnostic"; "global and single rows".
[[nodiscard]] std::string kind_of(const MethodEntry& entry);
[[nodiscard]] std::string scope_of(const MethodEntry& entry);

}  // namespace sightglass
