// What a file says that this version does not understand, so that saving it again loses nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "sightglass/base/value.h"

namespace sightglass {

struct Unread {
  Value keys = Value::object();                       // with what they hold
  Value words = Value::object();                      // of keys that may have none of the words that are known
  std::map<std::string, Unread, std::less<>> groups;  // by their key, or their place in a list

  [[nodiscard]] bool empty() const { return keys.as_object().empty() && words.as_object().empty() && groups.empty(); }
};

// Of a record in a list.
[[nodiscard]] inline std::string place_of(std::string_view list, std::size_t index) {
  return std::string(list) + "/" + std::to_string(index);
}

}  // namespace sightglass
