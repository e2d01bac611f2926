#pragma once

#include <string_view>

namespace sightglass {

[[nodiscard]] std::string_view version();

}  // namespace sightglass
