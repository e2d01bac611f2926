// Reading JSON that trusts nothing: every length, type and spelling is checked before anyone may index by it, and a
// message names the spot.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/base/value.h"

namespace sightglass {

// A place in the document: a value and how one gets there, for messages ("results[2].grid").
class JsonNode {
 public:
  JsonNode(const Value& value, std::string path) : value_(&value), path_(std::move(path)) {}

  [[nodiscard]] const Value& value() const { return *value_; }

  [[noreturn]] void fail(const std::string& message) const { throw Error(ErrorKind::data, path_ + ": " + message); }

  [[nodiscard]] std::optional<JsonNode> find(std::string_view key) const {
    if (!value_->is_object()) fail("expected an object");
    const Value* member = value_->find(key);
    if (member == nullptr) return std::nullopt;
    return JsonNode(*member, path_ + "." + std::string(key));
  }
  // Like find(), but null counts as absent.
  [[nodiscard]] std::optional<JsonNode> find_set(std::string_view key) const {
    auto node = find(key);
    if (node && node->value().is_null()) return std::nullopt;
    return node;
  }
  [[nodiscard]] JsonNode at(std::string_view key) const {
    auto node = find(key);
    if (!node) fail("the key \"" + std::string(key) + "\" is missing");
    return *node;
  }
  // A member that is known to be there.
  [[nodiscard]] JsonNode member(const Value::Member& member) const {
    return {member.second, path_ + "." + member.first};
  }
  [[nodiscard]] std::vector<JsonNode> items() const {
    if (!value_->is_array()) fail("expected a list");
    std::vector<JsonNode> nodes;
    nodes.reserve(value_->as_array().size());
    for (const auto& item : value_->as_array()) nodes.push_back(item_node(item, nodes.size()));
    return nodes;
  }

  [[nodiscard]] const std::string& text() const {
    if (!value_->is_string()) fail("expected a text");
    return value_->as_string();
  }
  [[nodiscard]] bool boolean() const {
    if (!value_->is_bool()) fail("expected true or false");
    return value_->as_bool();
  }
  [[nodiscard]] double number() const {
    return number(*value_, [this] { fail(not_a_number); });
  }
  [[nodiscard]] std::uint64_t count() const {
    if (!value_->is_integer() || value_->as_integer() < 0) fail("expected a whole number of at least 0");
    return static_cast<std::uint64_t>(value_->as_integer());
  }
  [[nodiscard]] std::vector<double> numbers() const {
    if (!value_->is_array()) fail("expected a list of numbers");
    std::vector<double> result;
    result.reserve(value_->as_array().size());
    for (const auto& item : value_->as_array()) {
      result.push_back(number(item, [&] { item_node(item, result.size()).fail(not_a_number); }));
    }
    return result;
  }
  // Exactly `size` of them, or, where the method did not compute them, none.
  [[nodiscard]] std::vector<double> numbers(std::size_t size, bool may_be_empty = false) const {
    auto result = numbers();
    if (result.size() != size && !(may_be_empty && result.empty())) fail_length(result.size(), size);
    return result;
  }
  [[nodiscard]] std::vector<std::optional<double>> optional_numbers(std::size_t size) const {
    std::vector<std::optional<double>> result;
    for (const auto& node : items()) {
      result.push_back(node.value().is_null() ? std::nullopt : std::optional(node.number()));
    }
    if (result.size() != size && !result.empty()) fail_length(result.size(), size);
    return result;
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> result;
    for (const auto& node : items()) result.push_back(node.text());
    return result;
  }
  [[nodiscard]] std::vector<std::vector<double>> matrix(std::size_t rows, std::size_t columns) const {
    std::vector<std::vector<double>> result;
    for (const auto& node : items()) result.push_back(node.numbers(columns));
    if (result.size() != rows) fail_length(result.size(), rows);
    return result;
  }
  [[noreturn]] void fail_length(std::size_t found, std::size_t wanted) const {
    fail("has " + std::to_string(found) + " entries, " + std::to_string(wanted) + " are needed");
  }

 private:
  static constexpr const char* not_a_number = "expected a number (or \"NaN\", \"Infinity\", \"-Infinity\")";

  [[nodiscard]] JsonNode item_node(const Value& item, std::size_t index) const {
    return {item, path_ + "[" + std::to_string(index) + "]"};
  }
  template <class Fail>
  [[nodiscard]] static double number(const Value& value, Fail fail) {
    if (value.is_number()) return value.as_number();
    if (value.is_string()) {
      const auto& text = value.as_string();
      if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
      if (text == "Infinity") return std::numeric_limits<double>::infinity();
      if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    }
    fail();
    return 0;
  }

  const Value* value_;
  std::string path_;
};

}  // namespace sightglass
