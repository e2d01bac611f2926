#include <charconv>
#include <cmath>
#include <cstdint>

#include "sightglass/base/utf8.h"
#include "sightglass/result/json_writer_internal.h"

namespace sightglass {

namespace {

void append_escaped(std::string& out, std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const char c = text[0];
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";  // a column name in a legacy encoding must not make the whole file unreadable
    } else if (length > 1) {
      out += text.substr(0, length);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (static_cast<std::uint8_t>(c) < 0x20 || c == 0x7F) {
      out += "\\u00";
      out += hex[static_cast<std::uint8_t>(c) >> 4];
      out += hex[static_cast<std::uint8_t>(c) & 15];
    } else {
      out += c;
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

template <class T>
void append_number(std::string& out, T value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
  if constexpr (std::is_floating_point_v<T>) {
    // Readers take what has neither point nor exponent for a whole number, which may be beyond 64 bits.
    constexpr std::ptrdiff_t digits_of_whole_numbers = 18;
    const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
    if (end - buffer > digits_of_whole_numbers && text.find_first_of(".e") == std::string_view::npos) out += ".0";
  }
}

}  // namespace

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  ++depth_;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  --depth_;
  if ((indent_ >= 0 && !first_) || line_wanted_) new_line();
  line_wanted_ = false;
  out_ += bracket;
  first_ = false;
  return *this;
}

void JsonWriter::new_line() {
  out_ += '\n';
  if (indent_ > 0) out_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth_), ' ');
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) out_ += ',';
  if (depth_ > 0 && (indent_ >= 0 || line_wanted_)) new_line();
  line_wanted_ = false;
  first_ = false;
}

JsonWriter& JsonWriter::line() {
  line_wanted_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_escaped(out_, name);
  out_ += indent_ >= 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  separate();
  append_number(out_, value);
  return *this;
}

JsonWriter& JsonWriter::integer(std::uint64_t value) {
  separate();
  append_number(out_, value);
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  if (std::isnan(value)) return text("NaN");
  if (std::isinf(value)) return text(value > 0 ? "Infinity" : "-Infinity");
  separate();
  // "-0" would be read back as the integer 0.
  if (value == 0 && std::signbit(value)) {
    out_ += "-0.0";
  } else {
    append_number(out_, value);
  }
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  append_escaped(out_, value);
  return *this;
}

JsonWriter& JsonWriter::value(const Value& value) {
  if (value.is_null()) return null();
  if (value.is_bool()) return boolean(value.as_bool());
  if (value.is_integer()) return integer(value.as_integer());
  if (value.is_number()) return number(value.as_number());
  if (value.is_string()) return text(value.as_string());
  if (value.is_array()) {
    begin_array();
    for (const auto& item : value.as_array()) this->value(item);
    return end_array();
  }
  begin_object();
  for (const auto& [name, member] : value.as_object()) key(name).value(member);
  return end_object();
}

JsonWriter& JsonWriter::numbers(std::span<const double> values) {
  begin_array();
  for (const double value : values) number(value);
  return end_array();
}

JsonWriter& JsonWriter::texts(std::span<const std::string> values) {
  begin_array();
  for (const auto& value : values) text(value);
  return end_array();
}

JsonWriter& JsonWriter::optional_number(const std::optional<double>& value) { return value ? number(*value) : null(); }

JsonWriter& JsonWriter::optional_numbers(std::span<const std::optional<double>> values) {
  begin_array();
  for (const auto& value : values) optional_number(value);
  return end_array();
}

JsonWriter& JsonWriter::integers(std::span<const std::uint64_t> values) {
  begin_array();
  for (const auto value : values) integer(value);
  return end_array();
}

JsonWriter& JsonWriter::matrix(std::span<const std::vector<double>> rows) {
  begin_array();
  for (const auto& row : rows) numbers(row);
  return end_array();
}

}  // namespace sightglass
