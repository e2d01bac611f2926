// Writes JSON text straight into a string: a saved result can hold millions of numbers, and a tree of
// values in between would take many times their size.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/value.h"

namespace sightglass {

class JsonWriter {
 public:
  // indent < 0: everything on one line.
  explicit JsonWriter(int indent = -1) : indent_(indent) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& null();
  JsonWriter& boolean(bool value);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& integer(std::uint64_t value);
  // Shortest text that reads back as the same double; what JSON cannot hold becomes a string.
  JsonWriter& number(double value);
  JsonWriter& text(std::string_view value);
  JsonWriter& value(const Value& value);

  JsonWriter& numbers(std::span<const double> values);
  JsonWriter& texts(std::span<const std::string> values);
  // Null where there is none.
  JsonWriter& optional_number(const std::optional<double>& value);
  JsonWriter& optional_numbers(std::span<const std::optional<double>> values);
  JsonWriter& integers(std::span<const std::uint64_t> values);
  JsonWriter& matrix(std::span<const std::vector<double>> rows);

  // The next item starts on a new line, whatever the indent: keeps large files readable and diffs small.
  JsonWriter& line();

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();
  void new_line();

  int indent_;
  int depth_ = 0;
  bool first_ = true;  // nothing written yet at this level
  bool after_key_ = false;
  bool line_wanted_ = false;
  std::string out_;
};

}  // namespace sightglass
