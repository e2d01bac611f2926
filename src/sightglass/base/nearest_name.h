// "Did you mean …" for a name that is not there: of a column, a level, an option, a method, a command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

// The nearest of `names`, or empty if none is near: the same but for case and separators, a slip, what other libraries
// call it, the beginning (area: area_m2; temp: temperature), more slips, a word of it.
[[nodiscard]] std::string nearest_name(std::string_view name, const std::vector<std::string>& names);

}  // namespace sightglass
