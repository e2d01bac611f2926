#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "sightglass/model/readers/json_document_internal.h"

namespace sightglass {

namespace {

using simdjson::dom::element_type;

// Replaces the bare words NaN, Infinity and -Infinity, length kept; false if there were none.
bool replace_bare_words(std::string& text) {
  bool replaced = false;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (text[i] == 'N' || text[i] == 'I')) {
      const std::string_view rest = std::string_view(text).substr(i);
      if (rest.starts_with("NaN")) {
        text.replace(i, 3, "{ }");
        i += 2;
        replaced = true;
      } else if (rest.starts_with("Infinity")) {
        const bool negative = i > 0 && text[i - 1] == '-';
        if (negative) text[i - 1] = ' ';
        text.replace(i, 8, "[[[[]]]]");
        i += 7;
        replaced = true;
      }
    }
  }
  return replaced;
}

}  // namespace

bool stands_for_infinity(simdjson::dom::element item) {
  for (int depth = 0; depth < 4; ++depth) {
    simdjson::dom::array list;
    if (item.get(list) != simdjson::SUCCESS || list.size() != (depth < 3 ? 1U : 0U)) return false;
    if (depth < 3) item = *list.begin();
  }
  return true;
}

namespace {

// What a reader of doubles makes of a float in its fewest digits.
double read_as_double(float number) {
  char text[32];
  const char* end = std::to_chars(text, text + sizeof text, number).ptr;
  double value = 0;
  std::from_chars(text, end, value);
  return value;
}

// A float that was written in its fewest digits and read as a double. Rounded twice, 7.038531e-26 and a few others
// would become their neighbours: the double lies half way between two floats, but the text did not.
float to_float32(double value) {
  const auto rounded = static_cast<float>(value);
  if (static_cast<double>(rounded) == value) return rounded;
  const float infinity = std::numeric_limits<float>::infinity();
  const float other = std::nextafter(rounded, static_cast<double>(rounded) < value ? infinity : -infinity);
  if (static_cast<double>(rounded) + static_cast<double>(other) != 2 * value) return rounded;
  return read_as_double(other) == value && read_as_double(rounded) != value ? other : rounded;
}

std::string_view name_of(element_type type) {
  switch (type) {
    case element_type::ARRAY: return "a list";
    case element_type::OBJECT: return "an object";
    case element_type::INT64:
    case element_type::UINT64:
    case element_type::DOUBLE: return "a number";
    case element_type::STRING: return "text";
    case element_type::BOOL: return "true or false";
    case element_type::NULL_VALUE: return "null";
  }
  return "something else";
}

}  // namespace

void JsonBlame::fail(const std::string& what) const { throw Error(kind, printable(where) + ": " + what, advice); }

std::string JsonValue::path() const {
  if (parent_ == nullptr) return std::string(key_.empty() ? "the document" : printable(key_, 60));
  const std::string above = parent_->parent_ == nullptr && parent_->key_.empty() ? "" : parent_->path();
  if (key_.empty()) return above + "[" + std::to_string(index_) + "]";
  return above.empty() ? printable(key_, 60) : above + "." + printable(key_, 60);
}

void JsonValue::fail(std::string_view what) const { blame_->fail(path() + " " + std::string(what)); }

std::string_view JsonValue::text() const {
  if (!is_string()) fail("should be text but is " + std::string(name_of(element_.type())));
  std::string_view value;
  if (element_.get(value) != simdjson::SUCCESS) fail("is not text");
  return value;
}

std::int64_t JsonValue::integer(std::int64_t least, std::int64_t most) const {
  std::int64_t value = 0;
  if (is_string()) {
    const std::string_view spelled = text();
    const auto [end, failure] = std::from_chars(spelled.data(), spelled.data() + spelled.size(), value);
    if (failure != std::errc() || end != spelled.data() + spelled.size()) {
      fail("is not a whole number: " + printable(spelled, 40));
    }
  } else if (element_.get(value) != simdjson::SUCCESS) {
    fail("is not a whole number");
  }
  if (most < least) fail("is " + std::to_string(value) + ", but there is nothing that it could stand for");
  if (value < least || value > most) {
    fail("is " + std::to_string(value) + ", expected " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

double JsonValue::number() const {
  double value = 0;
  // get<double> also takes integers.
  if (element_.get(value) != simdjson::SUCCESS) fail("is not a finite number");
  return value;
}

float JsonValue::float32() const {
  const double value = number();
  if (std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) fail("is beyond float32");
  return to_float32(value);
}

bool JsonValue::boolean_or_bit() const {
  bool value = false;
  if (element_.get(value) == simdjson::SUCCESS) return value;
  return integer(0, 1) != 0;
}

simdjson::dom::array JsonValue::array() const {
  if (!is_array()) fail("should be a list but is " + std::string(name_of(element_.type())));
  simdjson::dom::array items;
  if (element_.get(items) != simdjson::SUCCESS) fail("is not a list");
  return items;
}

std::vector<std::int32_t> JsonValue::integers(std::int64_t least, std::int64_t most) const {
  std::vector<std::int32_t> values;
  each([&](const JsonValue& item) { values.push_back(static_cast<std::int32_t>(item.integer(least, most))); });
  return values;
}

std::vector<double> JsonValue::numbers() const {
  std::vector<double> values;
  values.reserve(size());
  each([&](const JsonValue& item) { values.push_back(item.number()); });
  return values;
}

std::vector<std::string> JsonValue::texts() const {
  std::vector<std::string> values;
  each([&](const JsonValue& item) { values.emplace_back(item.text()); });
  return values;
}

JsonObject::JsonObject(const JsonValue& value) : value_(value) {
  if (!value.is_object()) value.fail("should be an object but is " + std::string(name_of(value.element().type())));
  simdjson::dom::object object;
  if (value.element().get(object) != simdjson::SUCCESS) value.fail("is not an object");
  for (const auto field : object) members_.emplace_back(field.key, field.value);
  const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::sort(members_.begin(), members_.end(), by_key);
  const auto twice = std::adjacent_find(members_.begin(), members_.end(),
                                        [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != members_.end()) value.fail("has the key " + printable(twice->first, 60) + " twice");
}

std::optional<JsonValue> JsonObject::find(std::string_view key) const {
  const auto at = std::lower_bound(members_.begin(), members_.end(), key,
                                   [](const auto& member, std::string_view wanted) { return member.first < wanted; });
  if (at == members_.end() || at->first != key) return std::nullopt;
  JsonValue value(value_.blame(), at->second);
  value.parent_ = &value_;
  value.key_ = at->first;
  return value;
}

JsonValue JsonObject::require(std::string_view key) const {
  const auto value = find(key);
  if (!value) value_.fail("lacks " + std::string(key));
  return *value;
}

simdjson::dom::element JsonDocument::parse(std::string_view text, const JsonBlame& blame) {
  simdjson::dom::element root;
  auto failure = parser_.parse(text.data(), text.size()).get(root);
  if (failure != simdjson::SUCCESS && failure != simdjson::MEMALLOC && failure != simdjson::CAPACITY) {
    copy_ = text;
    if (replace_bare_words(copy_)) failure = parser_.parse(copy_).get(root);
  }
  if (failure == simdjson::MEMALLOC) blame.fail("not enough memory to read it");
  if (failure == simdjson::CAPACITY) blame.fail("larger than 4 GB");
  if (failure == simdjson::DEPTH_ERROR) blame.fail("lists and objects are nested too deeply");
  if (failure != simdjson::SUCCESS) {
    blame.fail("not valid JSON, cut off or damaged (" + std::string(simdjson::error_message(failure)) + ")");
  }
  return root;
}

}  // namespace sightglass
