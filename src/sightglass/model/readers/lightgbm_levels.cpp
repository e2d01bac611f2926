#include <algorithm>

#include "sightglass/data/level_text_internal.h"
#include "sightglass/model/readers/lightgbm_levels_internal.h"

namespace sightglass {

namespace {

// As the levels of columns of numbers and truth values are spelled: 2, not 2.0; true, not True.
std::string level_name(const JsonValue& level) {
  using simdjson::dom::element_type;
  const simdjson::dom::element element = level.element();
  char text[number_text_bytes];
  switch (element.type()) {
    case element_type::STRING: return std::string(level.text());
    case element_type::BOOL: return element.get_bool().value_unsafe() ? "true" : "false";
    case element_type::INT64: return std::to_string(element.get_int64().value_unsafe());
    case element_type::UINT64: return std::to_string(element.get_uint64().value_unsafe());
    case element_type::DOUBLE: return std::string(print_number(text, element.get_double().value_unsafe()));
    default: level.fail("is not text, a number or true or false");
  }
}

}  // namespace

std::vector<PandasLevels> read_pandas_levels(std::string_view json, const JsonBlame& blame) {
  JsonDocument document;
  const JsonValue root(blame, document.parse(json, blame));
  std::vector<PandasLevels> lists;
  if (root.element().is_null()) return lists;
  root.each([&](const JsonValue& list) {
    PandasLevels& levels = lists.emplace_back();
    list.each([&](const JsonValue& level) {
      levels.names.push_back(level_name(level));
      levels.numbers = levels.numbers && level.element().is_number();
    });
    std::vector<std::string_view> sorted(levels.names.begin(), levels.names.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) list.fail("has the category " + printable(*twice, 40) + " twice");
  });
  return lists;
}

}  // namespace sightglass
