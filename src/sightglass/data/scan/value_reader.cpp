#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/data/scan/duckdb_library_internal.h"
#include "sightglass/data/scan/value_reader_internal.h"

namespace sightglass {

namespace {

constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();

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
  return !is_text() && time_kind() == TimeKind::none && column_.type != DUCKDB_TYPE_BOOLEAN;
}

TimeKind ValueReader::time_kind() const {
  switch (column_.type) {
    case DUCKDB_TYPE_DATE: return TimeKind::date;
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
    case DUCKDB_TYPE_TIMESTAMP_NS: return TimeKind::timestamp;
    case DUCKDB_TYPE_TIME:
    case DUCKDB_TYPE_TIME_NS:
    case DUCKDB_TYPE_TIME_TZ: return TimeKind::time;
    default: return TimeKind::none;
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
    case DUCKDB_TYPE_TINYINT: return print_number(buffer_, load<std::int8_t>(data, row));
    case DUCKDB_TYPE_SMALLINT: return print_number(buffer_, load<std::int16_t>(data, row));
    case DUCKDB_TYPE_INTEGER: return print_number(buffer_, load<std::int32_t>(data, row));
    case DUCKDB_TYPE_BIGINT: return print_number(buffer_, load<std::int64_t>(data, row));
    case DUCKDB_TYPE_UTINYINT: return print_number(buffer_, load<std::uint8_t>(data, row));
    case DUCKDB_TYPE_USMALLINT: return print_number(buffer_, load<std::uint16_t>(data, row));
    case DUCKDB_TYPE_UINTEGER: return print_number(buffer_, load<std::uint32_t>(data, row));
    case DUCKDB_TYPE_UBIGINT: return print_number(buffer_, load<std::uint64_t>(data, row));
    default: break;
  }
  if (column_.type == DUCKDB_TYPE_FLOAT) {
    const float value = load<float>(data, row);
    if (std::isnan(value)) return std::nullopt;
    return print_number(buffer_, value);
  }
  const double value = column_.type == DUCKDB_TYPE_DOUBLE ? load<double>(data, row) : converted(column_, data, row);
  if (std::isnan(value)) return std::nullopt;
  if (time_kind() == TimeKind::none) return print_number(buffer_, value);
  const std::string time = print_time(time_kind(), value);
  const std::size_t length = time.copy(buffer_, sizeof(buffer_));
  return std::string_view(buffer_, length);
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

}  // namespace sightglass
