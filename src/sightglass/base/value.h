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

  // Copying and making are in value.cpp: inline, they were a good part of the time to compile everything that makes
  // values.
  Value();
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();
  Value(bool value);
  Value(int value);
  Value(std::int64_t value);
  Value(std::uint64_t value);
  Value(double value);
  Value(const char* value);
  Value(std::string value);
  Value(std::string_view value);
  Value(Array value);
  Value(Object value);
  template <class T>
  Value(const std::vector<T>& items) : Value(Array(items.begin(), items.end())) {}

  static Value object(std::initializer_list<Member> members = {});
  static Value array();

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

  friend bool operator==(const Value& left, const Value& right);

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> data_;
};

}  // namespace sightglass

extern template class std::vector<sightglass::Value>;
extern template class std::vector<std::pair<std::string, sightglass::Value>>;
