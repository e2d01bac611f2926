// A small JSON-like value: options, evidence and metadata travel as these, so that public headers need
// nothing but the standard library. Objects keep the order in which keys were added.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sightglass {

class Value {
 public:
  using Array = std::vector<Value>;
  using Member = std::pair<std::string, Value>;
  using Object = std::vector<Member>;

  Value() = default;
  Value(bool value) : data_(value) {}
  Value(int value) : data_(static_cast<std::int64_t>(value)) {}
  Value(std::int64_t value) : data_(value) {}
  Value(std::uint64_t value) : data_(static_cast<std::int64_t>(value)) {}
  Value(double value) : data_(value) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(std::string_view value) : data_(std::string(value)) {}
  Value(Array value) : data_(std::move(value)) {}
  Value(Object value) : data_(std::move(value)) {}
  template <class T>
  Value(const std::vector<T>& items) : data_(Array(items.begin(), items.end())) {}

  static Value object(std::initializer_list<Member> members = {}) { return Value(Object(members)); }
  static Value array() { return Value(Array{}); }

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  [[nodiscard]] bool is_bool() const { return std::holds_alternative<bool>(data_); }
  [[nodiscard]] bool is_integer() const { return std::holds_alternative<std::int64_t>(data_); }
  [[nodiscard]] bool is_number() const { return is_integer() || std::holds_alternative<double>(data_); }
  [[nodiscard]] bool is_string() const { return std::holds_alternative<std::string>(data_); }
  [[nodiscard]] bool is_array() const { return std::holds_alternative<Array>(data_); }
  [[nodiscard]] bool is_object() const { return std::holds_alternative<Object>(data_); }

  // Each throws Error(usage) if the value is of another type.
  [[nodiscard]] bool as_bool() const;
  [[nodiscard]] std::int64_t as_integer() const;
  [[nodiscard]] double as_number() const;
  [[nodiscard]] const std::string& as_string() const;
  [[nodiscard]] const Array& as_array() const;
  [[nodiscard]] const Object& as_object() const;

  // The member of an object, or null if there is none (or this is not an object).
  [[nodiscard]] const Value* find(std::string_view key) const;
  // Sets or replaces a member; a null value becomes an object first.
  Value& set(std::string_view key, Value value);
  // Appends to an array; a null value becomes an array first.
  Value& push_back(Value value);

  friend bool operator==(const Value&, const Value&) = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> data_;
};

}  // namespace sightglass
