#include "sightglass/base/value.h"

#include "sightglass/base/error.h"

template class std::vector<sightglass::Value>;
template class std::vector<std::pair<std::string, sightglass::Value>>;

namespace sightglass {

namespace {

[[noreturn]] void wrong_type(const char* wanted) { throw Error(ErrorKind::usage, std::string("expected ") + wanted); }

}  // namespace

Value::Value() = default;
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;
Value::Value(bool value) : data_(value) {}
Value::Value(int value) : data_(static_cast<std::int64_t>(value)) {}
Value::Value(std::int64_t value) : data_(value) {}
Value::Value(std::uint64_t value) : data_(static_cast<std::int64_t>(value)) {}
Value::Value(double value) : data_(value) {}
Value::Value(const char* value) : data_(std::string(value)) {}
Value::Value(std::string value) : data_(std::move(value)) {}
Value::Value(std::string_view value) : data_(std::string(value)) {}
Value::Value(Array value) : data_(std::move(value)) {}
Value::Value(Object value) : data_(std::move(value)) {}

Value Value::object(std::initializer_list<Member> members) { return Value(Object(members)); }
Value Value::array() { return Value(Array{}); }

bool operator==(const Value& left, const Value& right) { return left.data_ == right.data_; }

bool Value::as_bool() const {
  if (!is_bool()) wrong_type("true or false");
  return std::get<bool>(data_);
}

std::int64_t Value::as_integer() const {
  if (!is_integer()) wrong_type("a whole number");
  return std::get<std::int64_t>(data_);
}

double Value::as_number() const {
  if (is_integer()) return static_cast<double>(std::get<std::int64_t>(data_));
  if (!is_number()) wrong_type("a number");
  return std::get<double>(data_);
}

const std::string& Value::as_string() const {
  if (!is_string()) wrong_type("a text");
  return std::get<std::string>(data_);
}

const Value::Array& Value::as_array() const {
  if (!is_array()) wrong_type("a list");
  return std::get<Array>(data_);
}

const Value::Object& Value::as_object() const {
  if (!is_object()) wrong_type("an object");
  return std::get<Object>(data_);
}

const Value* Value::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const auto& [name, value] : std::get<Object>(data_)) {
    if (name == key) return &value;
  }
  return nullptr;
}

Value& Value::set(std::string_view key, Value value) {
  if (is_null()) data_ = Object{};
  if (!is_object()) wrong_type("an object");
  auto& members = std::get<Object>(data_);
  for (auto& [name, existing] : members) {
    if (name == key) {
      existing = std::move(value);
      return *this;
    }
  }
  members.emplace_back(std::string(key), std::move(value));
  return *this;
}

Value& Value::push_back(Value value) {
  if (is_null()) data_ = Array{};
  if (!is_array()) wrong_type("a list");
  std::get<Array>(data_).push_back(std::move(value));
  return *this;
}

}  // namespace sightglass
