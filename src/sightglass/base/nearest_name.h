// "Did you mean …" for a name that is not there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

// The nearest of `names`, or empty if none is near.
[[nodiscard]] std::string nearest_name(std::string_view name, const std::vector<std::string>& names);

}  // namespace sightglass
