// Between numbers and text: the levels of numbers that are read as categories, the numbers in text that is read
// as numbers, and the text of dates. Independent of the locale.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "sightglass/data/schema.h"

namespace sightglass {

// Long enough for any number that print_number writes.
inline constexpr std::size_t number_text_bytes = 64;

// The shortest text that reads back as the same number, but 100000 rather than 1e+05. The text is in the buffer.
template <class T>
[[nodiscard]] std::string_view print_number(char* buffer, T value) {
  std::to_chars_result result{};
  char* end = buffer + number_text_bytes;
  if constexpr (std::is_floating_point_v<T>) {
    if (std::trunc(value) == value && std::abs(static_cast<double>(value)) < 1e15) {
      result = std::to_chars(buffer, end, static_cast<std::int64_t>(value));
    } else {
      result = std::to_chars(buffer, end, value);
    }
  } else {
    result = std::to_chars(buffer, end, value);
  }
  return {buffer, static_cast<std::size_t>(result.ptr - buffer)};
}

enum class TimeKind { none, date, timestamp, time, duration };

// "days since 1970-01-01": the number that a date or time becomes. Empty for none.
[[nodiscard]] std::string_view becomes(TimeKind kind);

// What the numbers of a date or a timestamp are; a time of day and a duration are no dates.
[[nodiscard]] DateUnit date_unit(TimeKind kind);

// 2020-01-31, 2020-01-31 13:14:15.5 or 13:14:15, for that number: text whose bytes sort as the times do.
[[nodiscard]] std::string print_time(TimeKind kind, double value);

// NaN for the ways to write a missing value, nothing for text that is no number.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

[[nodiscard]] std::vector<std::string> sort_as_numbers(std::vector<std::string> levels);

// The levels of a column, as a first pass over its rows finds them.
class LevelCollector {
 public:
  void add(std::string_view text);
  // More levels, or more text in them, than we are willing to hold.
  [[nodiscard]] bool is_full() const { return full_; }
  // Sorted bytewise, or as numbers.
  [[nodiscard]] std::vector<std::string> sorted(bool as_numbers) const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_set<std::string, TextHash, std::equal_to<>> levels_;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace sightglass
