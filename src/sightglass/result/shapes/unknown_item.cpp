#include "sightglass/result/shapes/unknown_item.h"

#include "sightglass/result/fields.h"
#include "sightglass/result/json_writer_internal.h"
#include "sightglass/result/tidy.h"

namespace sightglass {

void describe_fields(UnknownItem& item, Fields& fields) {
  for (const auto& [name, value] : item.content.as_object()) {
    if (name == "type") continue;
    fields.special(name.c_str(),
                   {.schema = {}, .write = [&held = value](JsonWriter& out) { out.value(held); }, .read = {}});
  }
}

void tidy_rows(const UnknownItem& item, TidyRows& rows) {
  static const TableKind unknown_table{.priority = 100, .columns = {"type", "output", "group"}, .always = {"type"}};
  rows.row(unknown_table, item, item.type_in_file);
}

}  // namespace sightglass
