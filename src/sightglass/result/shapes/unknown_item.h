// An item of a saved file whose type this version does not know, because a newer one wrote it: kept as it is, so that
// saving the result again loses nothing.
#pragma once

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

void describe_fields(UnknownItem& item, Fields& fields);
void tidy_rows(const UnknownItem& item, TidyRows& rows);

}  // namespace sightglass
