#include "sightglass/result/fields.h"

#include "sightglass/result/json_node_internal.h"
#include "sightglass/result/json_writer_internal.h"

namespace sightglass {

void describe_count(Fields& fields, const Key& key, std::optional<std::uint64_t>& value) {
  Fields::Special special;
  const Value whole = Value::object({{"type", "integer"}, {"minimum", 0}});
  special.schema =
      Value::object({{"anyOf", Value::array().push_back(Value::object({{"type", "null"}})).push_back(whole)}});
  special.write = [&](JsonWriter& out) {
    if (value) {
      out.integer(*value);
    } else {
      out.null();
    }
  };
  special.read = [&](const JsonNode& node) { value = node.count(); };
  fields.special(key, special);
}

void describe_row_label(Fields& fields, std::string& label) {
  fields.only_if(!label.empty(), [&] { fields.text({"row_label", "What that row is called in its table."}, label); });
}

void describe_some(Fields& fields, const Key& key, std::optional<double>& value) {
  fields.only_if(value.has_value(), [&] { fields.optional_number(key, value); });
}

}  // namespace sightglass
