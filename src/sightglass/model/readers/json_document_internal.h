// JSON that may be hostile, read with every step checked: each error names the spot, as in
// "model.json: learner.gradient_booster.model.trees[3].left_children[7] is not a whole number".
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sightglass/base/error.h"

namespace sightglass {

// What to say when a document is not as it should be.
struct JsonBlame {
  ErrorKind kind = ErrorKind::model;
  std::string where;   // stands in front of every message
  std::string advice;  // stands behind it

  [[noreturn]] void fail(const std::string& what) const;
};

// One value and the path that leads to it. Cheap: paths are kept as a chain and spelled only for an error.
class JsonValue {
 public:
  JsonValue(const JsonBlame& blame, simdjson::dom::element element) : blame_(&blame), element_(element) {}

  [[nodiscard]] simdjson::dom::element element() const { return element_; }
  [[nodiscard]] std::string path() const;
  [[nodiscard]] const JsonBlame& blame() const { return *blame_; }
  // "where: path what".
  [[noreturn]] void fail(std::string_view what) const;

  [[nodiscard]] bool is_array() const { return element_.type() == simdjson::dom::element_type::ARRAY; }
  [[nodiscard]] bool is_object() const { return element_.type() == simdjson::dom::element_type::OBJECT; }
  [[nodiscard]] bool is_string() const { return element_.type() == simdjson::dom::element_type::STRING; }

  [[nodiscard]] std::string_view text() const;
  // A number, or a string that spells one (XGBoost writes its parameters as strings).
  [[nodiscard]] std::int64_t integer(std::int64_t least, std::int64_t most) const;
  // Finite.
  [[nodiscard]] double number() const;
  // Finite as a float32.
  [[nodiscard]] float float32() const;
  [[nodiscard]] bool boolean_or_bit() const;

  // Calls visit(JsonValue) for each item of an array.
  template <class Visit>
  void each(Visit&& visit) const {
    std::size_t index = 0;
    const simdjson::dom::array items = array();
    for (const simdjson::dom::element item : items) {
      JsonValue value(*blame_, item);
      value.parent_ = this;
      value.index_ = index++;
      visit(value);
    }
  }
  // Of a list.
  [[nodiscard]] std::size_t size() const { return array().size(); }
  [[nodiscard]] std::vector<std::int32_t> integers(std::int64_t least, std::int64_t most) const;
  [[nodiscard]] std::vector<double> numbers() const;
  [[nodiscard]] std::vector<std::string> texts() const;

 private:
  friend class JsonObject;
  [[nodiscard]] simdjson::dom::array array() const;

  const JsonBlame* blame_;
  simdjson::dom::element element_;
  const JsonValue* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

// An object whose keys have been checked to be different: readers that take the first and readers that take
// the last of two equal keys would otherwise see different models.
class JsonObject {
 public:
  // `value` must outlive the object.
  explicit JsonObject(const JsonValue& value);
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

  [[nodiscard]] std::optional<JsonValue> find(std::string_view key) const;
  [[nodiscard]] JsonValue require(std::string_view key) const;
  [[nodiscard]] const std::vector<std::pair<std::string_view, simdjson::dom::element>>& members() const {
    return members_;
  }

 private:
  const JsonValue& value_;
  std::vector<std::pair<std::string_view, simdjson::dom::element>> members_;  // sorted by key
};

// Parses a whole document. NaN and Infinity, which Python and XGBoost write although JSON has no such thing,
// become {} and [[[[]]]]: harmless where nobody looks, and a named error where somebody does.
[[nodiscard]] bool stands_for_infinity(simdjson::dom::element item);

class JsonDocument {
 public:
  // The result is valid until the next call.
  [[nodiscard]] simdjson::dom::element parse(std::string_view text, const JsonBlame& blame);

 private:
  simdjson::dom::parser parser_;
  std::string copy_;
};

}  // namespace sightglass
