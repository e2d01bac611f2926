// Words of other libraries that mean the same as an option or argument of ours and are taken for it, on the command
// line and in Python. What only resembles one is suggested (nearest_name.h); names of a single option's own are its
// aliases.
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace sightglass {

// The word and ours, as Python spells them.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> same_words();
// Ours; empty if it is none of these words.
[[nodiscard]] std::string_view same_word(std::string_view word);

}  // namespace sightglass
