// Names of columns as people write them: in "age, region" the blank belongs to the list, not to the name, and in
// '"price, net",region' the first comma belongs to a name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/data/schema.h"

namespace sightglass {

// Without the blanks around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

// The column of that name, or of the name without the blanks around it.
[[nodiscard]] std::optional<std::uint32_t> find_given(const Schema& schema, std::string_view name);

// The entries of a list: cut at commas, but not between quotes (single or double, from the beginning of an entry or of
// a part of it behind : or =) nor behind a backslash. Quotes and backslashes that do so are left out (quotes unless
// they shall be kept), all others stay.
enum class Quotes : std::uint8_t { dropped, kept };
[[nodiscard]] std::vector<std::string> split_list(std::string_view text, Quotes quotes = Quotes::dropped);
// Entries that are a name only with those behind them become one again: whoever wrote the commas of a name without
// quotes.
[[nodiscard]] std::vector<std::string> joined_to_names(std::vector<std::string> entries,
                                                       const std::function<bool(std::string_view)>& is_name);

}  // namespace sightglass
