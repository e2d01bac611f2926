// Bytes made smaller, in the zlib format (RFC 1950 and 1951) that browsers unpack by themselves.
#pragma once

#include <string>
#include <string_view>

namespace sightglass {

[[nodiscard]] std::string deflated(std::string_view bytes);

// Three bytes as four letters (RFC 4648), for places that hold text.
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace sightglass
