// Numbers that are dates: models see numbers, people see 2021-05-03. In UTC, by the Gregorian calendar, independent of
// the locale.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sightglass {

// What the numbers count from 1970-01-01 on.
enum class DateUnit : std::uint8_t { none, days, seconds };
inline constexpr std::string_view date_units[] = {"none", "days", "seconds"};

// How finely the values of a column tell time: the coarsest of these of which all are whole multiples.
enum class DateDetail : std::uint8_t { unknown, day, minute, second, fraction };
inline constexpr std::string_view date_details[] = {"unknown", "day", "minute", "second", "fraction"};

struct DateKind {
  DateUnit unit = DateUnit::none;  // none: the numbers are no dates
  DateDetail detail = DateDetail::unknown;

  explicit operator bool() const { return unit != DateUnit::none; }
  friend auto operator<=>(const DateKind&, const DateKind&) = default;
};

// Of each feature that has dates.
using Dates = std::map<std::string, DateKind, std::less<>>;
[[nodiscard]] DateKind date_kind(const Dates& dates, std::string_view feature);

// How many of the unit are a day.
[[nodiscard]] double units_per_day(DateUnit unit);
// The detail that tells all of them; numbers that are not finite tell nothing.
[[nodiscard]] DateDetail detail_of(DateUnit unit, std::span<const double> values);
[[nodiscard]] DateDetail detail_of(DateUnit unit, double value);

// "2021-05-03", "2021-05-03 14:00", "2021-05-03 14:00:05.25": as finely as the kind says, rounded down. What no
// calendar has stays a number.
[[nodiscard]] std::string date_text(DateKind kind, double value);
// The same, finer where values that differ would read the same.
[[nodiscard]] std::vector<std::string> date_texts(DateKind kind, std::span<const double> values);

// A bound between two values that a column may have, at the lower one of them: x <= 2020-01-14 12:00 is
// x <= 2020-01-14 where x is a day.
struct DateBound {
  double value = 0;
  bool moved = false;  // the bound was not a value that the column may have
};
[[nodiscard]] DateBound date_bound(DateKind kind, double value);

// What a date in text stands for, from one number up to another that is not part of it: a day, a month, a year, a
// minute, a second; of parts of a second both are the same.
struct DateSpan {
  double from = 0, to = 0;

  [[nodiscard]] bool has(double value) const { return value >= from && (value < to || value == from); }
};
// Reads 2021-05-03, 2021-05 or 2021, with a time behind a space or T (14:00, 14:00:05.25), with Z or +02:00 for where
// the time is told. Nothing for anything else.
[[nodiscard]] std::optional<DateSpan> read_date_span(DateUnit unit, std::string_view text);
// Its first number.
[[nodiscard]] std::optional<double> read_date(DateUnit unit, std::string_view text);

// Parts of a date that come again: what they are called, and which a number has.
enum class DatePart : std::uint8_t { year, quarter, month, weekday, hour };
inline constexpr std::string_view date_parts[] = {"year", "quarter", "month", "weekday", "hour"};
[[nodiscard]] std::optional<DatePart> date_part(std::string_view name);
// 2021; 1 to 4; 1 to 12; 1 (Monday) to 7; 0 to 23. NaN for what has none.
[[nodiscard]] double part_of(DatePart part, DateUnit unit, double value);
// "2021", "Q1", "January", "Monday", "14:00".
[[nodiscard]] std::string part_text(DatePart part, double number);
// The number of a part by its name, also by three letters or as a number; nothing for anything else.
[[nodiscard]] std::optional<double> read_part(DatePart part, std::string_view text);

// Round dates within [low, high], about `count` of them, and how they are best written (as strftime does).
struct DateTicks {
  std::vector<double> values;
  std::string_view format;
};
[[nodiscard]] DateTicks date_ticks(DateUnit unit, double low, double high, int count);

}  // namespace sightglass
