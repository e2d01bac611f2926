#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/data/scan/duckdb_library_internal.h"
#include "sightglass/data/scan/scan.h"
#include "sightglass/data/scan/value_reader_internal.h"

namespace sightglass {

namespace {

constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_level_bytes = std::size_t{64} << 20;

template <class T>
T load(const void* data, std::size_t row) {
  return static_cast<const T*>(data)[row];
}

// The largest and smallest dates and times stand for infinity.
template <class T>
double scaled(const void* data, std::size_t row, double divisor) {
  const T value = load<T>(data, row);
  if (value == std::numeric_limits<T>::max()) return std::numeric_limits<double>::infinity();
  if (value == -std::numeric_limits<T>::max()) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(value) / divisor;
}

double decimal(const ResultColumn& column, const void* data, std::size_t row) {
  duckdb_hugeint value{};
  const auto small = [&](std::int64_t number) {
    value.lower = static_cast<std::uint64_t>(number);
    value.upper = number < 0 ? -1 : 0;
  };
  switch (column.stored) {
    case DUCKDB_TYPE_SMALLINT: small(load<std::int16_t>(data, row)); break;
    case DUCKDB_TYPE_INTEGER: small(load<std::int32_t>(data, row)); break;
    case DUCKDB_TYPE_BIGINT: small(load<std::int64_t>(data, row)); break;
    default: value = load<duckdb_hugeint>(data, row); break;
  }
  return duckdb().decimal_to_double({.width = column.width, .scale = column.scale, .value = value});
}

// A value of the types that become float64 without being float64.
double converted(const ResultColumn& column, const void* data, std::size_t row) {
  switch (column.type) {
    case DUCKDB_TYPE_HUGEINT: return duckdb().hugeint_to_double(load<duckdb_hugeint>(data, row));
    case DUCKDB_TYPE_UHUGEINT: return duckdb().uhugeint_to_double(load<duckdb_uhugeint>(data, row));
    case DUCKDB_TYPE_DECIMAL: return decimal(column, data, row);
    case DUCKDB_TYPE_DATE: return scaled<std::int32_t>(data, row, 1);
    case DUCKDB_TYPE_TIMESTAMP_S: return scaled<std::int64_t>(data, row, 1);
    case DUCKDB_TYPE_TIMESTAMP_MS: return scaled<std::int64_t>(data, row, 1e3);
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ: return scaled<std::int64_t>(data, row, 1e6);
    case DUCKDB_TYPE_TIMESTAMP_NS: return scaled<std::int64_t>(data, row, 1e9);
    case DUCKDB_TYPE_TIME: return static_cast<double>(load<std::int64_t>(data, row)) / 1e6;
    case DUCKDB_TYPE_TIME_NS: return static_cast<double>(load<std::int64_t>(data, row)) / 1e9;
    // The lower 24 bits are the zone.
    case DUCKDB_TYPE_TIME_TZ: return static_cast<double>(load<std::uint64_t>(data, row) >> 24) / 1e6;
    default: return missing_number;
  }
}

// DuckDB's type as ours, for the types that are copied as they are.
std::optional<DType> same_type(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN: return DType::boolean;
    case DUCKDB_TYPE_TINYINT: return DType::int8;
    case DUCKDB_TYPE_SMALLINT: return DType::int16;
    case DUCKDB_TYPE_INTEGER: return DType::int32;
    case DUCKDB_TYPE_BIGINT: return DType::int64;
    case DUCKDB_TYPE_UTINYINT: return DType::uint8;
    case DUCKDB_TYPE_USMALLINT: return DType::uint16;
    case DUCKDB_TYPE_UINTEGER: return DType::uint32;
    case DUCKDB_TYPE_UBIGINT: return DType::uint64;
    case DUCKDB_TYPE_FLOAT: return DType::float32;
    case DUCKDB_TYPE_DOUBLE: return DType::float64;
    default: return std::nullopt;
  }
}

bool is_converted(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UHUGEINT:
    case DUCKDB_TYPE_DECIMAL:
    case DUCKDB_TYPE_DATE:
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
    case DUCKDB_TYPE_TIMESTAMP_NS:
    case DUCKDB_TYPE_TIME:
    case DUCKDB_TYPE_TIME_NS:
    case DUCKDB_TYPE_TIME_TZ: return true;
    default: return false;
  }
}

template <class T>
std::string_view print(char* buffer, std::size_t size, T value) {
  const auto result = std::to_chars(buffer, buffer + size, value);
  return {buffer, static_cast<std::size_t>(result.ptr - buffer)};
}

// The shortest text that reads back as the same number, but 100000 rather than 1e+05.
template <class T>
std::string_view print_real(char* buffer, std::size_t size, T value) {
  if (std::trunc(value) == value && std::abs(static_cast<double>(value)) < 1e15) {
    return print(buffer, size, static_cast<std::int64_t>(value));
  }
  return print(buffer, size, value);
}

void two_digits(std::string& text, long number) {
  text += static_cast<char>('0' + number / 10 % 10);
  text += static_cast<char>('0' + number % 10);
}

// 2020-01-31, 2020-01-31 13:14:15.5 or 13:14:15: text whose bytes sort as the times do.
std::string print_time(duckdb_type type, double value) {
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  std::string text;
  const bool is_date = type == DUCKDB_TYPE_DATE;
  const bool is_time = type == DUCKDB_TYPE_TIME || type == DUCKDB_TYPE_TIME_NS || type == DUCKDB_TYPE_TIME_TZ;
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

std::string_view print_uuid(char* buffer, duckdb_hugeint value) {
  // DuckDB flips the first bit so that UUIDs sort as numbers do.
  const std::uint64_t parts[2] = {static_cast<std::uint64_t>(value.upper) ^ (std::uint64_t{1} << 63), value.lower};
  std::size_t at = 0;
  for (std::size_t digit = 0; digit < 32; ++digit) {
    if (digit == 8 || digit == 12 || digit == 16 || digit == 20) buffer[at++] = '-';
    buffer[at++] = "0123456789abcdef"[parts[digit / 16] >> (60 - digit % 16 * 4) & 15];
  }
  return {buffer, at};
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// NaN for the ways to write a missing value, nothing for text that is no number.
std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  for (const std::string_view missing : {"", "NA", "N/A", "NaN", "nan", "null", "NULL"}) {
    if (text == missing) return missing_number;
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

template <class T>
void copy_values(const void* data, std::size_t first, std::size_t count, std::byte* out) {
  std::memcpy(out, static_cast<const T*>(data) + first, count * sizeof(T));
}

}  // namespace

ValueReader::ValueReader(ResultColumn column) : column_(std::move(column)) {
  if (const auto type = same_type(column_.type)) {
    type_ = *type;
  } else if (is_converted(column_.type)) {
    type_ = DType::float64;
  } else if (column_.type == DUCKDB_TYPE_ENUM) {
    reading_ = Reading::enum_codes;
    type_ = DType::categorical;
    dictionary_ = std::make_shared<Dictionary>(column_.levels, true);
  } else if (is_text()) {
    reading_ = Reading::levels;
    type_ = DType::categorical;
  } else if (column_.type == DUCKDB_TYPE_SQLNULL) {
    reading_ = Reading::missing;
  } else {
    reading_ = Reading::left_out;
  }
}

bool ValueReader::is_text() const { return column_.type == DUCKDB_TYPE_VARCHAR || column_.type == DUCKDB_TYPE_UUID; }

bool ValueReader::has_numeric_levels() const {
  return !is_text() && becomes().empty() && column_.type != DUCKDB_TYPE_BOOLEAN;
}

std::string_view ValueReader::becomes() const {
  switch (column_.type) {
    case DUCKDB_TYPE_DATE: return "days since 1970-01-01";
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
    case DUCKDB_TYPE_TIMESTAMP_NS: return "seconds since 1970-01-01";
    case DUCKDB_TYPE_TIME:
    case DUCKDB_TYPE_TIME_NS:
    case DUCKDB_TYPE_TIME_TZ: return "seconds since midnight";
    default: return {};
  }
}

void ValueReader::force_levels() {
  if (reading_ != Reading::number) return;
  reading_ = Reading::levels;
  type_ = DType::categorical;
}

void ValueReader::force_numbers() {
  if (reading_ == Reading::levels || reading_ == Reading::enum_codes) {
    reading_ = Reading::text_number;
    type_ = DType::float64;
    dictionary_.reset();
  } else if (type_ == DType::boolean) {
    type_ = DType::uint8;
  }
}

void ValueReader::set_missing() {
  reading_ = Reading::missing;
  type_ = DType::float64;
  dictionary_.reset();
}

void ValueReader::set_levels(std::vector<std::string> levels) {
  dictionary_ = std::make_shared<Dictionary>(std::move(levels));
}

std::optional<std::string_view> ValueReader::text(const void* data, const std::uint64_t* validity, std::size_t row) {
  if (!is_valid(validity, row)) return std::nullopt;
  constexpr std::size_t size = sizeof(buffer_);
  switch (column_.type) {
    case DUCKDB_TYPE_VARCHAR: return text_at(data, row);
    case DUCKDB_TYPE_UUID: return print_uuid(buffer_, load<duckdb_hugeint>(data, row));
    case DUCKDB_TYPE_ENUM: {
      std::uint32_t code = 0;
      if (column_.stored == DUCKDB_TYPE_UTINYINT) code = load<std::uint8_t>(data, row);
      if (column_.stored == DUCKDB_TYPE_USMALLINT) code = load<std::uint16_t>(data, row);
      if (column_.stored == DUCKDB_TYPE_UINTEGER) code = load<std::uint32_t>(data, row);
      return column_.levels.at(code);
    }
    case DUCKDB_TYPE_BOOLEAN: return load<std::uint8_t>(data, row) != 0 ? "true" : "false";
    case DUCKDB_TYPE_TINYINT: return print(buffer_, size, load<std::int8_t>(data, row));
    case DUCKDB_TYPE_SMALLINT: return print(buffer_, size, load<std::int16_t>(data, row));
    case DUCKDB_TYPE_INTEGER: return print(buffer_, size, load<std::int32_t>(data, row));
    case DUCKDB_TYPE_BIGINT: return print(buffer_, size, load<std::int64_t>(data, row));
    case DUCKDB_TYPE_UTINYINT: return print(buffer_, size, load<std::uint8_t>(data, row));
    case DUCKDB_TYPE_USMALLINT: return print(buffer_, size, load<std::uint16_t>(data, row));
    case DUCKDB_TYPE_UINTEGER: return print(buffer_, size, load<std::uint32_t>(data, row));
    case DUCKDB_TYPE_UBIGINT: return print(buffer_, size, load<std::uint64_t>(data, row));
    default: break;
  }
  if (column_.type == DUCKDB_TYPE_FLOAT) {
    const float value = load<float>(data, row);
    if (std::isnan(value)) return std::nullopt;
    return print_real(buffer_, size, value);
  }
  const double value = column_.type == DUCKDB_TYPE_DOUBLE ? load<double>(data, row) : converted(column_, data, row);
  if (std::isnan(value)) return std::nullopt;
  if (becomes().empty()) return print_real(buffer_, size, value);
  const std::string time = print_time(column_.type, value);
  std::memcpy(buffer_, time.data(), std::min(time.size(), size));
  return std::string_view(buffer_, std::min(time.size(), size));
}

void ValueReader::read(const void* data, const std::uint64_t* validity, std::size_t first, std::size_t count,
                       std::byte* out, std::uint8_t* present, std::uint64_t row) {
  auto* numbers = reinterpret_cast<double*>(out);
  auto* codes = reinterpret_cast<std::int32_t*>(out);
  const std::string name = printable(column_.name);
  switch (reading_) {
    case Reading::missing:
      for (std::size_t i = 0; i < count; ++i) numbers[i] = missing_number;
      return;
    case Reading::text_number:
      for (std::size_t i = 0; i < count; ++i) {
        const auto value = text(data, validity, first + i);
        const auto number = value ? parse_number(*value) : missing_number;
        if (!number) {
          throw Error(
              ErrorKind::data,
              "column " + name + ", row " + std::to_string(row + i) + ": " + printable(*value, 40) + " is no number",
              "correct the value, or read the column as categories");
        }
        numbers[i] = *number;
      }
      return;
    case Reading::levels:
      for (std::size_t i = 0; i < count; ++i) {
        const auto value = text(data, validity, first + i);
        codes[i] = -1;
        if (!value) continue;
        const auto code = dictionary_->find(*value);
        if (!code) {
          throw Error(ErrorKind::data,
                      "column " + name + ", row " + std::to_string(row + i) + ": " + printable(*value, 40) +
                          " was not there when the data were read before",
                      "the data must not change while they are explained");
        }
        codes[i] = *code;
      }
      return;
    case Reading::enum_codes:
      for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t code = 0;
        if (column_.stored == DUCKDB_TYPE_UTINYINT) code = load<std::uint8_t>(data, first + i);
        if (column_.stored == DUCKDB_TYPE_USMALLINT) code = load<std::uint16_t>(data, first + i);
        if (column_.stored == DUCKDB_TYPE_UINTEGER) code = load<std::uint32_t>(data, first + i);
        codes[i] = is_valid(validity, first + i) ? static_cast<std::int32_t>(code) : -1;
      }
      return;
    case Reading::left_out: return;
    case Reading::number: break;
  }
  if (!same_type(column_.type)) {
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i] = is_valid(validity, first + i) ? converted(column_, data, first + i) : missing_number;
    }
    return;
  }
  switch (size_of(type_)) {
    case 8: copy_values<std::uint64_t>(data, first, count, out); break;
    case 4: copy_values<std::uint32_t>(data, first, count, out); break;
    case 2: copy_values<std::uint16_t>(data, first, count, out); break;
    default: copy_values<std::uint8_t>(data, first, count, out); break;
  }
  if (validity == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (is_valid(validity, first + i)) continue;
    if (type_ == DType::float64) {
      numbers[i] = missing_number;
    } else if (type_ == DType::float32) {
      reinterpret_cast<float*>(out)[i] = std::numeric_limits<float>::quiet_NaN();
    } else {
      // Under a missing value lies whatever DuckDB left there; make it the same each time.
      std::memset(out + i * size_of(type_), 0, size_of(type_));
      present[i] = 0;
    }
  }
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
  if (!as_numbers) {
    std::sort(levels.begin(), levels.end());
    return levels;
  }
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

}  // namespace sightglass
