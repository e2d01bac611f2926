// A whole file from the user, read with care: only regular files, only up to a size.
#pragma once

#include <cstdint>
#include <string>

#include "sightglass/base/error.h"

namespace sightglass {

// Throws Error(kind) that names the path, what is wrong with it, and the advice.
[[nodiscard]] std::string read_input_file(const std::string& path, std::uint64_t largest, ErrorKind kind,
                                          const std::string& advice);

}  // namespace sightglass
