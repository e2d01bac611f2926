// Is this text UTF-8? Names and levels reach JSON and HTML, which have no other encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sightglass {

// Length of the valid UTF-8 sequence at the start of `text` (which is not empty), or 0. Its character is
// written to `code` where one is given.
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::uint32_t* code = nullptr);

// Where the first invalid byte is; text.size() if all are valid.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text);

[[nodiscard]] inline bool is_utf8(std::string_view text) { return find_invalid_utf8(text) == text.size(); }

}  // namespace sightglass
