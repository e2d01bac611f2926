// The JSON Schema of saved results, made from the descriptions that reading and writing follow. docs/result.schema.json
// is this text; json_schema_test.cpp says when that file is out of date, and writes it anew.
#pragma once

#include "sightglass/base/value.h"

namespace sightglass {

[[nodiscard]] Value result_schema();

}  // namespace sightglass
