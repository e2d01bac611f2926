// Reads JSON text into a Value. The text may be hostile: depth, duplicate keys and trailing text are checked;
// memory stays proportional to the text.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sightglass/base/error.h"
#include "sightglass/result/json.h"
#include "sightglass/result/json_writer_internal.h"

namespace sightglass {

namespace {

std::string position(std::string_view text, std::size_t byte) {
  const auto before = text.substr(0, std::min(byte, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto last = before.rfind('\n');
  const std::size_t column = last == std::string_view::npos ? before.size() : before.size() - last - 1;
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(column);
}

// The parser calls these one after another; it keeps no stack of its own calls, so depth costs only memory.
class Builder {
 public:
  Builder(std::string_view text, std::string_view where, int max_depth)
      : text_(text), where_(where), max_depth_(static_cast<std::size_t>(max_depth)) {}

  bool null() { return add(Value()); }
  bool boolean(bool value) { return add(Value(value)); }
  bool number_integer(std::int64_t value) { return add(Value(value)); }
  bool number_unsigned(std::uint64_t value) {
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return add(value <= largest ? Value(value) : Value(static_cast<double>(value)));
  }
  bool number_float(double value, const std::string&) { return add(Value(value)); }
  bool string(std::string& value) { return add(Value(std::move(value))); }
  bool binary(nlohmann::json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool key(std::string& name) {
    open_.back().members.emplace_back(std::move(name), Value());
    return true;
  }
  bool end_array() {
    auto items = std::move(open_.back().items);
    open_.pop_back();
    return add(Value(std::move(items)));
  }
  bool end_object() {
    auto members = std::move(open_.back().members);
    open_.pop_back();
    // Sorting rather than hashing: no choice of names can make it slow.
    std::vector<std::string_view> names;
    names.reserve(members.size());
    for (const auto& [name, value] : members) names.push_back(name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) {
      throw Error(ErrorKind::usage, where_ + ": the key \"" + printable(*twice) + "\" stands twice in one object");
    }
    return add(Value(std::move(members)));
  }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception& error) {
    // The library's text is "[id] parse error at …: syntax error while parsing value - reason; expected …".
    std::string_view reason = error.what();
    if (const auto dash = reason.find(" - "); dash != std::string_view::npos) reason = reason.substr(dash + 3);
    reason = reason.substr(0, reason.find(';'));
    throw Error(ErrorKind::usage,
                where_ + ": not JSON at " + position(text_, byte) + " (" + printable(reason, 80) + ")");
  }

  [[nodiscard]] Value take() { return std::move(root_); }

 private:
  struct Level {
    bool is_object;
    Value::Object members;
    Value::Array items;
  };

  bool open(bool is_object) {
    if (open_.size() >= max_depth_) {
      throw Error(ErrorKind::usage, where_ + ": nested deeper than " + std::to_string(max_depth_) + " levels");
    }
    open_.push_back({is_object, {}, {}});
    return true;
  }

  bool add(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_object) {
      open_.back().members.back().second = std::move(value);
    } else {
      open_.back().items.push_back(std::move(value));
    }
    return true;
  }

  std::string_view text_;
  std::string where_;
  std::size_t max_depth_;
  std::vector<Level> open_;
  Value root_;
};

}  // namespace

std::string to_json(const Value& value, int indent) { return JsonWriter(indent).value(value).take(); }

Value value_from_json(std::string_view text, std::string_view where, int max_depth) {
  Builder builder(text, printable(where, 200), max_depth);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace sightglass
