// UBJSON (Draft 12), the binary form of JSON in which XGBoost saves models since 1.6, turned into JSON text.
// https://ubjson.org: every value is a byte that names its type and then the value, big endian; a list may
// state its type and length once, in front.
#pragma once

#include <string>
#include <string_view>

#include "sightglass/model/readers/json_document_internal.h"

namespace sightglass {

// Whether the content can only be UBJSON: an object whose first key starts with its length, where JSON has a
// quote.
[[nodiscard]] bool is_ubjson(std::string_view content);

// The same document as JSON. Numbers keep every bit (float32 too, in the fewest digits); NaN and infinities
// become the bare words that JsonDocument knows. The text is at most a small multiple of the content, whatever
// the bytes: each count is checked against what is left before it is believed. Throws Error of the blame's
// kind that names the byte.
[[nodiscard]] std::string ubjson_to_json(std::string_view content, const JsonBlame& blame);

}  // namespace sightglass
