// Results as JSON, schema sightglass.result/1 (docs/result.schema.json). Reading accepts what writing
// wrote, from this or an earlier version of the same major schema, and rejects everything else by name.
#pragma once

#include <string>
#include <string_view>

#include "sightglass/base/value.h"
#include "sightglass/result/result.h"

namespace sightglass {

[[nodiscard]] std::string to_json(const Result& result);
// Throws Error(data); `where` names the file.
[[nodiscard]] Result result_from_json(std::string_view text, std::string_view where);

// Plain values. Numbers that JSON cannot hold are written as "NaN", "Infinity", "-Infinity".
[[nodiscard]] std::string to_json(const Value& value, int indent = -1);
// Throws Error(usage) on anything that is not JSON, on duplicate keys, and beyond `max_depth`.
[[nodiscard]] Value value_from_json(std::string_view text, std::string_view where, int max_depth = 64);

}  // namespace sightglass
