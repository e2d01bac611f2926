// Names of columns as people write them: in "age, region" the blank belongs to the list, not to the name.
#pragma once

#include <optional>
#include <string_view>

#include "sightglass/data/schema.h"

namespace sightglass {

// Without the blanks around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

// The column of that name, or of the name without the blanks around it.
[[nodiscard]] std::optional<std::uint32_t> find_given(const Schema& schema, std::string_view name);

}  // namespace sightglass
