#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/base/utf8.h"
#include "sightglass/data/arrow/arrow_field_internal.h"

namespace sightglass {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::data, "Arrow column " + printable(name) + ": " + what,
              "the library that made it has a bug; convert the table with another");
}

std::optional<DType> number_type(std::string_view format) {
  if (format.size() != 1) return std::nullopt;
  switch (format[0]) {
    case 'c': return DType::int8;
    case 'C': return DType::uint8;
    case 's': return DType::int16;
    case 'S': return DType::uint16;
    case 'i': return DType::int32;
    case 'I': return DType::uint32;
    case 'l': return DType::int64;
    case 'L': return DType::uint64;
    case 'f': return DType::float32;
    case 'g': return DType::float64;
    default: return std::nullopt;
  }
}

// d:precision,scale or d:precision,scale,bits
void read_decimal(ArrowField& field, std::string_view format) {
  int numbers[3] = {0, 0, 128};
  const char* at = format.data() + 2;
  const char* end = format.data() + format.size();
  int count = 0;
  while (at < end && count < 3) {
    const auto [next, failed] = std::from_chars(at, end, numbers[count]);
    if (failed != std::errc()) refuse(field.name, "a decimal without a precision");
    ++count;
    at = next < end && *next == ',' ? next + 1 : next;
    if (next == at) break;
  }
  if (count < 2 || at != end || std::abs(numbers[1]) > 300) refuse(field.name, "a decimal that makes no sense");
  if (numbers[2] != 32 && numbers[2] != 64 && numbers[2] != 128) return;
  field.kind = ArrowKind::decimal;
  field.decimal_bytes = static_cast<std::size_t>(numbers[2]) / 8;
  field.divisor = std::pow(10.0, numbers[1]);
}

void read_time(ArrowField& field, std::string_view format) {
  const auto set = [&](TimeKind kind, DType type, double divisor) {
    field.kind = ArrowKind::time;
    field.time_kind = kind;
    field.type = type;
    field.divisor = divisor;
  };
  if (format == "tdD") return set(TimeKind::date, DType::int32, 1);
  if (format == "tdm") return set(TimeKind::date, DType::int64, 86'400'000);
  if (format.size() < 3) return;
  constexpr std::string_view units = "smun";
  const std::size_t unit = units.find(format[2]);
  if (unit == std::string_view::npos) return;
  const double divisor = std::pow(1000.0, static_cast<double>(unit));
  if (format[1] == 't' && format.size() == 3) set(TimeKind::time, unit < 2 ? DType::int32 : DType::int64, divisor);
  if (format[1] == 's' && format.size() > 3 && format[3] == ':') {
    set(TimeKind::timestamp, DType::int64, divisor);
    field.zoned = format.size() > 4;
  }
  if (format[1] == 'D' && format.size() == 3) set(TimeKind::duration, DType::int64, divisor);
}

// Metadata are counts and lengths of 32 bits with bytes between them; how long it all is, nobody says.
std::string unit_in(const char* metadata) {
  if (metadata == nullptr) return {};
  const auto take = [&] {
    std::int32_t number = 0;
    std::memcpy(&number, metadata, sizeof(number));
    metadata += sizeof(number);
    return number;
  };
  const std::int32_t count = take();
  for (std::int32_t i = 0; i < count; ++i) {
    std::string_view pair[2];
    for (std::string_view& text : pair) {
      const std::int32_t length = take();
      if (length < 0) return {};
      text = {metadata, static_cast<std::size_t>(length)};
      metadata += length;
    }
    if (pair[0] == "unit" && is_utf8(pair[1])) return std::string(pair[1]);
  }
  return {};
}

template <class T>
T load(const void* data, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + index * sizeof(T), sizeof(T));
  return value;
}

std::size_t least_buffers(const ArrowField& field) {
  if (field.kind == ArrowKind::nothing) return 0;
  return field.kind == ArrowKind::text ? 3 : 2;
}

std::string_view view_text(const ArrowField& field, const ArrowPiece& piece, std::size_t row) {
  // Length, then the text itself if it is short, else its first four bytes, a buffer and an offset in it.
  const std::byte* view = piece.data() + (piece.offset + row) * 16;
  const auto length = load<std::int32_t>(view, 0);
  if (length < 0) refuse(field.name, "text with a negative length");
  if (length <= 12) return {reinterpret_cast<const char*>(view) + 4, static_cast<std::size_t>(length)};
  const auto buffer = load<std::int32_t>(view, 2);
  const auto offset = load<std::int32_t>(view, 3);
  // Between the views and the last buffer, which holds the sizes of those between.
  const std::int64_t buffers = piece.array->n_buffers - 3;
  if (buffer < 0 || buffer >= buffers || offset < 0) refuse(field.name, "text outside its buffers");
  const void* sizes = piece.array->buffers[piece.array->n_buffers - 1];
  const void* data = piece.array->buffers[buffer + 2];
  if (sizes == nullptr || data == nullptr) refuse(field.name, "text without its buffers");
  if (std::int64_t{offset} + length > load<std::int64_t>(sizes, static_cast<std::size_t>(buffer))) {
    refuse(field.name, "text beyond the end of its buffer");
  }
  return {static_cast<const char*>(data) + offset, static_cast<std::size_t>(length)};
}

template <class Offset>
std::string_view offset_text(const ArrowField& field, const ArrowPiece& piece, std::size_t row) {
  const auto begin = load<Offset>(piece.data(), piece.offset + row);
  const auto end = load<Offset>(piece.data(), piece.offset + row + 1);
  if (begin < 0 || end < begin) refuse(field.name, "text offsets that run backwards");
  if (begin == end) return {};
  const void* text = piece.array->buffers[2];
  if (text == nullptr) refuse(field.name, "text without its buffer");
  return {static_cast<const char*>(text) + begin, static_cast<std::size_t>(end - begin)};
}

double decimal_of(const ArrowField& field, const ArrowPiece& piece, std::size_t row) {
  const std::size_t at = piece.offset + row;
  double value = 0;
  if (field.decimal_bytes == 4) value = load<std::int32_t>(piece.data(), at);
  if (field.decimal_bytes == 8) value = static_cast<double>(load<std::int64_t>(piece.data(), at));
  if (field.decimal_bytes == 16) {
    __extension__ using int128 = __int128;
    value = static_cast<double>(load<int128>(piece.data(), at));
  }
  return value / field.divisor;
}

}  // namespace

ArrowField read_field(const ArrowSchema* schema) {
  if (schema == nullptr || schema->format == nullptr) {
    throw Error(ErrorKind::data, "Arrow data without a type", "the library that made them has a bug");
  }
  ArrowField field;
  field.name = schema->name == nullptr ? "" : schema->name;
  if (!is_utf8(field.name)) refuse(field.name, "its name is not UTF-8");
  field.unit = unit_in(schema->metadata);
  const std::string_view format = schema->format;
  if (format.empty()) refuse(field.name, "no type");
  if (const auto type = number_type(format)) {
    field.kind = ArrowKind::number;
    field.type = *type;
  } else if (format == "n") {
    field.kind = ArrowKind::nothing;
  } else if (format == "b") {
    field.kind = ArrowKind::boolean;
    field.type = DType::boolean;
  } else if (format == "e") {
    field.kind = ArrowKind::half;
    field.type = DType::float32;
  } else if (format == "u" || format == "U" || format == "vu") {
    field.kind = ArrowKind::text;
    field.layout = format == "u" ? TextLayout::offsets32 : format == "U" ? TextLayout::offsets64 : TextLayout::views;
  } else if (format.substr(0, 2) == "d:") {
    read_decimal(field, format);
  } else if (format[0] == 't') {
    read_time(field, format);
  }
  if (schema->dictionary != nullptr) {
    const bool indexed =
        field.kind == ArrowKind::number && field.type != DType::float32 && field.type != DType::float64;
    if (!indexed) refuse(field.name, "a dictionary whose indices are no integers");
    if (schema->dictionary->dictionary != nullptr) refuse(field.name, "a dictionary of a dictionary");
    field.values = std::make_unique<ArrowField>(read_field(schema->dictionary));
    field.values->name = field.name;
    field.ordered = (schema->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
    const ArrowKind kind = field.values->kind;
    field.kind = kind == ArrowKind::other || kind == ArrowKind::nothing || kind == ArrowKind::half
                     ? ArrowKind::other
                     : ArrowKind::dictionary;
  }
  return field;
}

ArrowPiece check_array(const ArrowField& field, const ArrowArray* array, std::size_t first, std::size_t rows) {
  if (array == nullptr) refuse(field.name, "an array is missing");
  // Far below overflow, far above any memory.
  constexpr std::int64_t most = std::int64_t{1} << 48;
  if (array->length < 0 || array->offset < 0 || array->length > most || array->offset > most) {
    refuse(field.name, "a negative or absurd length");
  }
  if (array->null_count < -1 || array->null_count > array->length) refuse(field.name, "an impossible number of nulls");
  const auto length = static_cast<std::size_t>(array->length);
  if (first > length || rows > length - first) refuse(field.name, "fewer rows than its table");
  ArrowPiece piece{.array = array, .offset = static_cast<std::size_t>(array->offset) + first, .rows = rows};
  if (field.kind == ArrowKind::other || field.kind == ArrowKind::nothing) return piece;
  if (array->n_buffers < static_cast<std::int64_t>(least_buffers(field)) || array->n_buffers > most) {
    refuse(field.name, "too few buffers");
  }
  if (array->buffers == nullptr) refuse(field.name, "no buffers");
  if (rows > 0 && array->buffers[1] == nullptr) refuse(field.name, "no values");
  if (array->null_count != 0) {
    piece.valid = static_cast<const std::uint8_t*>(array->buffers[0]);
    if (piece.valid == nullptr && array->null_count > 0) refuse(field.name, "nulls without a bitmap");
  }
  if (field.kind == ArrowKind::dictionary && rows > 0 && array->dictionary == nullptr) {
    refuse(field.name, "a dictionary is missing");
  }
  return piece;
}

std::string_view text_of(const ArrowField& field, const ArrowPiece& piece, std::size_t row) {
  switch (field.layout) {
    case TextLayout::offsets32: return offset_text<std::int32_t>(field, piece, row);
    case TextLayout::offsets64: return offset_text<std::int64_t>(field, piece, row);
    case TextLayout::views: return view_text(field, piece, row);
  }
  return {};
}

double number_of(const ArrowField& field, const ArrowPiece& piece, std::size_t row) {
  if (field.kind == ArrowKind::decimal) return decimal_of(field, piece, row);
  if (field.kind == ArrowKind::half)
    return static_cast<double>(half_to_float(load<std::uint16_t>(piece.data(), piece.offset + row)));
  switch (field.type) {
    case DType::int32: return load<std::int32_t>(piece.data(), piece.offset + row) / field.divisor;
    case DType::int64: return static_cast<double>(load<std::int64_t>(piece.data(), piece.offset + row)) / field.divisor;
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

float half_to_float(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  float value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    value = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

}  // namespace sightglass
