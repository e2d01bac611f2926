// A typed look at one column's memory, wherever it lives: our own table, NumPy, Arrow.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "sightglass/data/schema.h"

namespace sightglass {

// A single feature value: a number (NaN = missing), or the code of a level (negative = missing).
struct Scalar {
  double number = std::numeric_limits<double>::quiet_NaN();

  static Scalar missing() { return {}; }
  static Scalar of(double number) { return {number}; }
  static Scalar level(std::int32_t code) { return code < 0 ? missing() : Scalar{static_cast<double>(code)}; }
  [[nodiscard]] bool is_missing() const { return std::isnan(number); }
};

struct ColumnView {
  DType type = DType::float64;
  const void* data = nullptr;
  const std::uint8_t* valid = nullptr;  // bit i (least significant first) = row i is present; null = all are
  std::size_t valid_offset = 0;         // in bits: Arrow slices start anywhere
  std::size_t size = 0;
  std::size_t stride = 0;  // in bytes, from one row to the next
  const Dictionary* dictionary = nullptr;

  [[nodiscard]] ColumnView slice(std::size_t first, std::size_t count) const {
    ColumnView view = *this;
    view.data = static_cast<const std::byte*>(data) + first * stride;
    view.valid_offset = valid_offset + first;
    view.size = count;
    return view;
  }
  [[nodiscard]] bool present(std::size_t row) const {
    const std::size_t bit = valid_offset + row;
    return valid == nullptr || ((valid[bit / 8] >> (bit % 8)) & 1) != 0;
  }
  // The value as a number: NaN if missing; levels are their codes, booleans 0 or 1. Integers beyond 2^53
  // are rounded. For loops over many rows use read_numbers.
  [[nodiscard]] double number(std::size_t row) const;
};

// A column over contiguous memory without missing-value bits.
template <class T>
[[nodiscard]] ColumnView view_of(std::span<const T> values, DType type) {
  return {.type = type, .data = values.data(), .size = values.size(), .stride = sizeof(T)};
}
[[nodiscard]] inline ColumnView view_of(std::span<const double> values) { return view_of(values, DType::float64); }

// Copies all rows as numbers (see ColumnView::number) into out, which has column.size elements.
void read_numbers(const ColumnView& column, std::span<double> out);

// A column that owns its memory.
struct Column {
  ColumnView view;
  std::shared_ptr<const void> owner;
};

// Copies of the given rows of a column.
[[nodiscard]] Column gather(const ColumnView& column, std::span<const std::uint64_t> rows);
[[nodiscard]] Column column_of(std::vector<double> values);
[[nodiscard]] Column column_of(std::vector<std::int32_t> codes, const Dictionary* dictionary);

}  // namespace sightglass
