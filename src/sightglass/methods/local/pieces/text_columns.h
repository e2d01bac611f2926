// Which column has the texts (or the pictures, which travel as texts)?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sightglass/methods/run/method.h"

namespace sightglass {

// By its name, else the only one that the model is given. Throws Error(usage) that refers to `option` where that does
// not settle it.
[[nodiscard]] std::uint32_t text_column(const MethodInput& input, const std::string& name, std::string_view option);

}  // namespace sightglass
