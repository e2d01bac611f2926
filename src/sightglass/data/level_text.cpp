#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "sightglass/data/given_name.h"
#include "sightglass/data/level_text_internal.h"

namespace sightglass {

namespace {

constexpr double missing_level_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_level_bytes = std::size_t{64} << 20;

void two_digits(std::string& text, long number) {
  text += static_cast<char>('0' + number / 10 % 10);
  text += static_cast<char>('0' + number % 10);
}

}  // namespace

std::string_view becomes(TimeKind kind) {
  switch (kind) {
    case TimeKind::none: return {};
    case TimeKind::date: return "days since 1970-01-01";
    case TimeKind::timestamp: return "seconds since 1970-01-01";
    case TimeKind::time: return "seconds since midnight";
    case TimeKind::duration: return "seconds";
  }
  return {};
}

DateUnit date_unit(TimeKind kind) {
  if (kind == TimeKind::date) return DateUnit::days;
  return kind == TimeKind::timestamp ? DateUnit::seconds : DateUnit::none;
}

std::string print_time(TimeKind kind, double value) {
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  std::string text;
  const bool is_date = kind == TimeKind::date;
  const bool is_time = kind == TimeKind::time;
  const double days = is_date ? value : std::floor(value / 86400);
  if (!is_time) {
    const std::chrono::year_month_day day{
        std::chrono::sys_days(std::chrono::days(static_cast<std::int32_t>(std::clamp(days, -1e7, 1e7))))};
    std::string year = std::to_string(std::abs(static_cast<int>(day.year())));
    year.insert(0, year.size() < 4 ? 4 - year.size() : 0, '0');
    text = (day.year() < std::chrono::year(0) ? "-" : "") + year + "-";
    two_digits(text, static_cast<long>(static_cast<unsigned>(day.month())));
    text += '-';
    two_digits(text, static_cast<long>(static_cast<unsigned>(day.day())));
  }
  if (is_date) return text;
  if (!is_time) text += ' ';
  const double seconds = is_time ? value : value - days * 86400;
  // Doubles hold today's microseconds, not more.
  const long micros = std::lround(seconds * 1e6);
  two_digits(text, micros / 3'600'000'000);
  text += ':';
  two_digits(text, micros / 60'000'000 % 60);
  text += ':';
  two_digits(text, micros / 1'000'000 % 60);
  if (micros % 1'000'000 != 0) {
    std::string fraction = std::to_string(1'000'000 + micros % 1'000'000).substr(1);
    while (fraction.back() == '0') fraction.pop_back();
    text += '.' + fraction;
  }
  return text;
}

std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  for (const std::string_view missing : {"", "NA", "N/A", "NaN", "nan", "null", "NULL"}) {
    if (text == missing) return missing_level_number;
  }
  if (text[0] == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (failed == std::errc()) return value;
  // Out of range: too large or too small; from_chars does not say which.
  if (failed != std::errc::result_out_of_range) return std::nullopt;
  const std::size_t exponent = text.find_first_of("eE");
  const bool small = exponent == std::string_view::npos ? text.find_first_of("123456789") > text.find('.')
                                                        : exponent + 1 < text.size() && text[exponent + 1] == '-';
  if (small) return 0.0;
  return text[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

std::vector<std::string> sort_as_numbers(std::vector<std::string> levels) {
  // long double holds every double and every 64-bit integer exactly.
  std::vector<std::pair<long double, std::string>> numbers;
  numbers.reserve(levels.size());
  for (std::string& level : levels) {
    long double number = 0;
    std::from_chars(level.data(), level.data() + level.size(), number);
    numbers.emplace_back(number, std::move(level));
  }
  std::sort(numbers.begin(), numbers.end());
  levels.clear();
  for (auto& [number, level] : numbers) levels.push_back(std::move(level));
  return levels;
}

void LevelCollector::add(std::string_view text) {
  if (full_ || levels_.find(text) != levels_.end()) return;
  bytes_ += text.size();
  if (levels_.size() == most_levels || bytes_ > most_level_bytes) {
    full_ = true;
    levels_.clear();
    return;
  }
  levels_.emplace(text);
}

std::vector<std::string> LevelCollector::sorted(bool as_numbers) const {
  std::vector<std::string> levels(levels_.begin(), levels_.end());
  if (as_numbers) return sort_as_numbers(std::move(levels));
  std::sort(levels.begin(), levels.end());
  return levels;
}

}  // namespace sightglass
