// Names of categories that a model file holds in pieces. XGBoost 3.1 and 3.2, given pandas categories with letters
// beyond ASCII, write the bytes of all names one after the other, but cut off behind as many bytes as the names have
// letters, and where each begins in letters, not in bytes. Given Arrow's dictionaries they count bytes. Which it was,
// and what was cut off, the levels of the data tell. A feature whose `levels_lost` has as its levels what the file
// makes of them: pieces that are no names, and may be no text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sightglass {

struct MendedLevels {
  std::vector<std::string> names;
  bool guessed = false;  // some are taken for what was cut off because nothing else is as long
};

// The names, by what the file makes of them and the levels of a column. Nothing where these do not tell.
[[nodiscard]] std::optional<MendedLevels> mended_levels(std::span<const std::string> pieces,
                                                        std::span<const std::string> known);

}  // namespace sightglass
