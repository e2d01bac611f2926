// What an Arrow field holds, and its arrays after they were checked: nothing behind this file meets a negative
// length, a missing buffer or text that runs backwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sightglass/data/arrow/arrow_abi_internal.h"
#include "sightglass/data/level_text_internal.h"
#include "sightglass/data/schema.h"

namespace sightglass {

enum class ArrowKind {
  nothing,     // the null type: every row is missing
  number,      // of a type that we have too
  half,        // 16-bit floating point
  boolean,     // bits
  decimal,     // an integer and a power of ten
  time,        // an integer and a unit of time
  text,        // offsets of 32 bits, of 64 bits, or views
  dictionary,  // indices into another array
  other,       // nested, bytes, intervals: left out
};

enum class TextLayout { offsets32, offsets64, views };

struct ArrowField {
  std::string name;
  std::string unit;  // from the metadata
  ArrowKind kind = ArrowKind::other;
  DType type = DType::float64;          // number; the index of a dictionary; how decimals and times are stored
  TimeKind time_kind = TimeKind::none;  // time
  bool zoned = false;                   // a timestamp of some time zone, counted in UTC
  double divisor = 1;                   // time, decimal
  std::size_t decimal_bytes = 16;       // decimal
  TextLayout layout = TextLayout::offsets32;
  std::unique_ptr<ArrowField> values;  // dictionary
  bool ordered = false;
};

// Throws Error(data) on a field whose description makes no sense.
[[nodiscard]] ArrowField read_field(const ArrowSchema* schema);

// Rows [offset, offset + rows) of one array.
struct ArrowPiece {
  const ArrowArray* array = nullptr;
  std::size_t offset = 0;
  std::size_t rows = 0;
  const std::uint8_t* valid = nullptr;  // null = all rows are present

  [[nodiscard]] bool present(std::size_t row) const {
    const std::size_t bit = offset + row;
    return valid == nullptr || ((valid[bit / 8] >> (bit % 8)) & 1) != 0;
  }
  // The buffer of values or offsets.
  [[nodiscard]] const std::byte* data() const { return static_cast<const std::byte*>(array->buffers[1]); }
};

// Rows [first, first + rows) of an array (counted from its own offset). Throws Error(data) on what is inconsistent.
[[nodiscard]] ArrowPiece check_array(const ArrowField& field, const ArrowArray* array, std::size_t first,
                                     std::size_t rows);

// Text of a row that is present. Throws Error(data) if its offsets are wrong.
[[nodiscard]] std::string_view text_of(const ArrowField& field, const ArrowPiece& piece, std::size_t row);

// A number, time or decimal of a row that is present.
[[nodiscard]] double number_of(const ArrowField& field, const ArrowPiece& piece, std::size_t row);

[[nodiscard]] float half_to_float(std::uint16_t bits);

}  // namespace sightglass
