// An item of a saved file whose type this version does not know, because a newer one wrote it: kept as it is, so that
// saving the result again loses nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sightglass/base/value.h"

namespace sightglass {

class Fields;
class TidyRows;

struct UnknownItem {
  static constexpr std::string_view type = "unknown";

  std::string type_in_file;
  std::string output;
  std::string group;
  Value content = Value::object();  // the whole item as it was read
};

// All of one type are one line on a page.
[[nodiscard]] inline std::optional<std::string> item_picture_key(const UnknownItem& item) { return item.type_in_file; }
void describe_fields(UnknownItem& item, Fields& fields);
void tidy_rows(const UnknownItem& item, TidyRows& rows);

}  // namespace sightglass
