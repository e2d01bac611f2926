#include "sightglass/base/dates.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

namespace sightglass {

namespace {

constexpr double seconds_per_day = 86400;
// Calendars end somewhere; years have four digits up to here.
constexpr double first_day = -719528, last_day = 2932897;  // 0000-01-01, 10000-01-01

constexpr std::string_view months[] = {"January", "February", "March",     "April",   "May",      "June",
                                       "July",    "August",   "September", "October", "November", "December"};
constexpr std::string_view weekdays[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

std::chrono::year_month_day calendar(double days) {
  return std::chrono::sys_days(std::chrono::days(static_cast<std::int32_t>(std::floor(days))));
}

double days_of(std::chrono::year_month_day date) {
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

double days_of(int year, int month, int day) { return days_of(std::chrono::year(year) / month / day); }

std::string padded(long number, std::size_t digits) {
  std::string text = std::to_string(number);
  return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

bool in_calendar(double days) { return days >= first_day && days < last_day; }

// Doubles hold today's microseconds, not more.
double micros_of(DateUnit unit, double value) {
  return std::floor(value / units_per_day(unit) * seconds_per_day * 1e6 + 0.5);
}

double step_of(DateDetail detail) {
  switch (detail) {
    case DateDetail::day: return seconds_per_day;
    case DateDetail::minute: return 60;
    case DateDetail::second: return 1;
    default: return 0;
  }
}

// Whole numbers without signs, so many digits.
std::optional<int> digits(std::string_view& text, std::size_t count) {
  int number = 0;
  if (text.size() < count) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    number = 10 * number + (text[i] - '0');
  }
  text.remove_prefix(count);
  return number;
}

bool skip(std::string_view& text, char sign) {
  const bool here = !text.empty() && text[0] == sign;
  if (here) text.remove_prefix(1);
  return here;
}

// Seconds of 14:00, 14:00:05 or 14:00:05.25.
std::optional<double> read_time(std::string_view& text) {
  const auto hour = digits(text, 2);
  if (!hour || !skip(text, ':')) return std::nullopt;
  const auto minute = digits(text, 2);
  if (!minute || *hour > 24 || *minute > 59) return std::nullopt;
  double seconds = *hour * 3600.0 + *minute * 60.0;
  if (skip(text, ':')) {
    const auto second = digits(text, 2);
    if (!second || *second > 60) return std::nullopt;
    seconds += *second;
    if (skip(text, '.')) {
      std::size_t count = 0;
      double part = 0, scale = 1;
      for (; count < text.size() && text[count] >= '0' && text[count] <= '9'; ++count) {
        scale /= 10;
        part += scale * (text[count] - '0');
      }
      if (count == 0) return std::nullopt;
      text.remove_prefix(count);
      seconds += std::round(part * 1e6) / 1e6;
    }
  }
  return seconds > seconds_per_day ? std::nullopt : std::optional(seconds);
}

// Seconds east of Greenwich: Z, UTC, +02:00, +0200, +02.
std::optional<double> read_zone(std::string_view& text) {
  while (skip(text, ' ')) {
  }
  if (text == "Z" || text == "z" || text == "UTC") {
    text = {};
    return 0;
  }
  const double sign = text.starts_with('-') ? -1 : 1;
  if (!skip(text, '-') && !skip(text, '+')) return std::nullopt;
  const auto hours = digits(text, 2);
  skip(text, ':');
  const auto minutes = text.empty() ? std::optional(0) : digits(text, 2);
  if (!hours || !minutes) return std::nullopt;
  return sign * (*hours * 3600.0 + *minutes * 60.0);
}

bool same_letters(std::string_view text, std::string_view word) {
  return text.size() == word.size() && std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) {
           const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
           return lower(a) == lower(b);
         });
}

}  // namespace

DateKind date_kind(const Dates& dates, std::string_view feature) {
  const auto found = dates.find(feature);
  return found == dates.end() ? DateKind{} : found->second;
}

double units_per_day(DateUnit unit) { return unit == DateUnit::seconds ? seconds_per_day : 1; }

DateDetail detail_of(DateUnit unit, double value) {
  if (!std::isfinite(value)) return DateDetail::day;
  const double micros = micros_of(unit, value);
  if (std::fmod(micros, seconds_per_day * 1e6) == 0) return DateDetail::day;
  if (std::fmod(micros, 60e6) == 0) return DateDetail::minute;
  return std::fmod(micros, 1e6) == 0 ? DateDetail::second : DateDetail::fraction;
}

DateDetail detail_of(DateUnit unit, std::span<const double> values) {
  DateDetail detail = DateDetail::day;
  for (const double value : values) {
    if (detail == DateDetail::fraction) break;
    detail = std::max(detail, detail_of(unit, value));
  }
  return detail;
}

std::string date_text(DateKind kind, double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  double days = value / units_per_day(kind.unit);
  if (!in_calendar(days)) {
    char buffer[40];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 6).ptr};
  }
  const double micros = micros_of(kind.unit, value);
  days = std::floor(micros / (seconds_per_day * 1e6));
  const std::chrono::year_month_day date = calendar(days);
  std::string text = padded(static_cast<int>(date.year()), 4) + "-" + padded(static_cast<unsigned>(date.month()), 2) +
                     "-" + padded(static_cast<unsigned>(date.day()), 2);
  const bool whole_day = micros == days * seconds_per_day * 1e6;
  if (kind.detail == DateDetail::day || (kind.detail == DateDetail::unknown && whole_day)) return text;
  const auto of_day = static_cast<long>(micros - days * seconds_per_day * 1e6);
  text += " " + padded(of_day / 3'600'000'000, 2) + ":" + padded(of_day / 60'000'000 % 60, 2);
  const long second = of_day % 60'000'000;
  if (kind.detail == DateDetail::minute || (kind.detail == DateDetail::unknown && second == 0)) return text;
  text += ":" + padded(second / 1'000'000, 2);
  if (kind.detail != DateDetail::second && second % 1'000'000 != 0) {
    text += "." + padded(second % 1'000'000, 6);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

std::vector<std::string> date_texts(DateKind kind, std::span<const double> values) {
  std::vector<std::string> texts;
  for (;; kind.detail = static_cast<DateDetail>(static_cast<int>(kind.detail) + 1)) {
    texts.clear();
    bool alike = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      texts.push_back(date_text(kind, values[i]));
      alike = alike || (i > 0 && values[i] != values[i - 1] && texts[i] == texts[i - 1]);
    }
    if (!alike || kind.detail == DateDetail::fraction || kind.detail == DateDetail::unknown) return texts;
  }
}

DateBound date_bound(DateKind kind, double value) {
  const double step = step_of(kind.detail) / seconds_per_day * units_per_day(kind.unit);
  if (!(step > 0) || !std::isfinite(value) || std::abs(value) > 1e14) return {value, false};
  const double lower = std::floor(value / step) * step;
  return {lower, lower != value};
}

std::optional<DateSpan> read_date_span(DateUnit unit, std::string_view text) {
  while (skip(text, ' ')) {
  }
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const auto year = digits(text, 4);
  if (!year) return std::nullopt;
  std::optional<int> month, day;
  if (skip(text, '-')) {
    if (month = digits(text, 2); !month) return std::nullopt;
    if (skip(text, '-')) {
      if (day = digits(text, 2); !day) return std::nullopt;
    }
  }
  const std::chrono::year_month_day date = std::chrono::year(*year) / month.value_or(1) / day.value_or(1);
  if (!date.ok()) return std::nullopt;
  const double per_day = units_per_day(unit), first = days_of(date);
  if (!day) {
    if (!text.empty()) return std::nullopt;
    const double next = month ? days_of(*year + *month / 12, *month % 12 + 1, 1) : days_of(*year + 1, 1, 1);
    return DateSpan{first * per_day, next * per_day};
  }
  if (text.empty()) return DateSpan{first * per_day, (first + 1) * per_day};
  if (!skip(text, ' ') && !skip(text, 'T') && !skip(text, 't')) return std::nullopt;
  const std::string_view told = text;
  const auto time = read_time(text);
  if (!time) return std::nullopt;
  const std::size_t letters = told.size() - text.size();
  const double length = letters == 5 ? 60 : letters == 8 ? 1 : 0;
  double zone = 0;
  if (!text.empty()) {
    const auto east = read_zone(text);
    if (!east || !text.empty()) return std::nullopt;
    zone = *east;
  }
  const double scale = per_day / seconds_per_day, from = first * per_day + (*time - zone) * scale;
  return DateSpan{from, from + length * scale};
}

std::optional<double> read_date(DateUnit unit, std::string_view text) {
  const auto span = read_date_span(unit, text);
  return span ? std::optional(span->from) : std::nullopt;
}

std::optional<DatePart> date_part(std::string_view name) {
  for (std::size_t i = 0; i < std::size(date_parts); ++i) {
    if (same_letters(name, date_parts[i])) return static_cast<DatePart>(i);
  }
  return std::nullopt;
}

double part_of(DatePart part, DateUnit unit, double value) {
  const double exact = value / units_per_day(unit);
  if (!in_calendar(exact)) return std::numeric_limits<double>::quiet_NaN();
  const double days = std::floor(exact);
  const std::chrono::year_month_day date = calendar(days);
  const auto month = static_cast<unsigned>(date.month());
  switch (part) {
    case DatePart::year: return static_cast<int>(date.year());
    case DatePart::quarter: return (month - 1) / 3 + 1;
    case DatePart::month: return month;
    // 1970-01-01 was a Thursday.
    case DatePart::weekday: return days - 7 * std::floor((days + 3) / 7) + 4;
    case DatePart::hour: return std::min(23.0, std::floor((exact - days) * 24 + 1e-9));
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::string part_text(DatePart part, double number) {
  const auto whole = static_cast<long>(number);
  switch (part) {
    case DatePart::year: return padded(whole, 4);
    case DatePart::quarter: return "Q" + std::to_string(whole);
    case DatePart::month: return std::string(months[std::clamp(whole, 1L, 12L) - 1]);
    case DatePart::weekday: return std::string(weekdays[std::clamp(whole, 1L, 7L) - 1]);
    case DatePart::hour: return padded(whole, 2) + ":00";
  }
  return {};
}

std::optional<double> read_part(DatePart part, std::string_view text) {
  const auto named = [&](std::span<const std::string_view> names) -> std::optional<double> {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (same_letters(text, names[i]) || same_letters(text, names[i].substr(0, 3))) return static_cast<double>(i + 1);
    }
    return std::nullopt;
  };
  if (part == DatePart::month) {
    if (const auto found = named(months)) return found;
  }
  if (part == DatePart::weekday) {
    if (const auto found = named(weekdays)) return found;
  }
  if (part == DatePart::quarter && (skip(text, 'Q') || skip(text, 'q')) && text.empty()) return std::nullopt;
  if (part == DatePart::hour && text.ends_with(":00")) text.remove_suffix(3);
  int number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  static constexpr std::array<std::pair<int, int>, 5> ranges{{{0, 9999}, {1, 4}, {1, 12}, {1, 7}, {0, 23}}};
  const auto [least, most] = ranges[static_cast<std::size_t>(part)];
  return number < least || number > most ? std::nullopt : std::optional<double>(number);
}

DateTicks date_ticks(DateUnit unit, double low, double high, int count) {
  DateTicks ticks;
  const double per_day = units_per_day(unit);
  const double first = low / per_day, last = high / per_day, span = last - first;
  if (!in_calendar(first) || !in_calendar(last) || !(span > 0) || count < 1) {
    ticks.format = "%Y-%m-%d";
    if (in_calendar(first) && std::isfinite(low)) ticks.values.push_back(low);
    return ticks;
  }
  const double raw = span / count;
  struct Step {
    double days;
    std::string_view format;
  };
  static constexpr Step small[] = {{1.0 / 86400, "%H:%M:%S"},
                                   {5.0 / 86400, "%H:%M:%S"},
                                   {15.0 / 86400, "%H:%M:%S"},
                                   {30.0 / 86400, "%H:%M:%S"},
                                   {1.0 / 1440, "%H:%M"},
                                   {5.0 / 1440, "%H:%M"},
                                   {15.0 / 1440, "%H:%M"},
                                   {30.0 / 1440, "%H:%M"},
                                   {1.0 / 24, "%m-%d %H:%M"},
                                   {3.0 / 24, "%m-%d %H:%M"},
                                   {6.0 / 24, "%m-%d %H:%M"},
                                   {12.0 / 24, "%m-%d %H:%M"},
                                   {1, "%Y-%m-%d"},
                                   {2, "%Y-%m-%d"},
                                   {7, "%Y-%m-%d"},
                                   {14, "%Y-%m-%d"}};
  for (const Step& step : small) {
    if (step.days < raw || (unit == DateUnit::days && step.days < 1)) continue;
    ticks.format = step.format;
    // Weeks begin on Mondays.
    const double offset = step.days >= 7 ? 4 : 0;
    for (double i = std::ceil((first - offset) / step.days); i * step.days + offset <= last; ++i) {
      ticks.values.push_back(std::round((i * step.days + offset) * per_day * 1e6) / 1e6);
    }
    return ticks;
  }
  int step = 0;
  for (const int candidate : {1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 12000}) {
    step = candidate;
    if (candidate * 30.4 >= raw) break;
  }
  ticks.format = step % 12 == 0 ? "%Y" : "%Y-%m";
  const int start = static_cast<int>(calendar(first).year()) * 12 / step * step;
  for (int month = start;; month += step) {
    const double day = days_of(month / 12, month % 12 + 1, 1);
    if (day > last) break;
    if (day >= first) ticks.values.push_back(day * per_day);
  }
  return ticks;
}

}  // namespace sightglass
