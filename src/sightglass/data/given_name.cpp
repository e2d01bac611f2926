#include "sightglass/data/given_name.h"

namespace sightglass {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::optional<std::uint32_t> find_given(const Schema& schema, std::string_view name) {
  const auto column = schema.find(name);
  return column ? column : schema.find(trimmed(name));
}

}  // namespace sightglass
