#include "sightglass/data/column_like.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "sightglass/data/with_type_internal.h"

namespace sightglass {

namespace {

// Whether a column of whole numbers can hold it.
bool fits(DType type, double number) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    // The largest integers themselves have no double: the next power of two is the first number beyond.
    const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
    return number == std::trunc(number) && number < beyond &&
           number >= (std::numeric_limits<T>::is_signed ? -beyond : 0.0);
  });
}

}  // namespace

Column column_like(const ColumnView& column, std::span<const double> numbers) {
  const bool levels = column.type == DType::categorical;
  const bool floats = column.type == DType::float64 || column.type == DType::float32;
  const bool whole = !levels && !floats;
  bool missing = false;
  for (const double number : numbers) {
    missing = missing || std::isnan(number);
    if (whole && !std::isnan(number) && !fits(column.type, number)) {
      return column_of(std::vector<double>(numbers.begin(), numbers.end()));
    }
  }
  if (whole && missing && column.valid == nullptr) {
    return column_of(std::vector<double>(numbers.begin(), numbers.end()));
  }
  const std::size_t width = size_of(column.type);
  const std::size_t bitmap_bytes = whole && column.valid != nullptr ? (numbers.size() + 7) / 8 : 0;
  auto memory = std::make_shared<std::vector<std::byte>>(numbers.size() * width + bitmap_bytes);
  auto* bits = reinterpret_cast<std::uint8_t*>(memory->data() + numbers.size() * width);
  with_type(column.type, [&](auto zero) {
    using T = decltype(zero);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      T value{};
      if (!std::isnan(numbers[i])) {
        value = static_cast<T>(numbers[i]);
      } else if (floats) {
        value = std::numeric_limits<T>::quiet_NaN();
      } else if (levels) {
        value = static_cast<T>(-1);
      }
      std::memcpy(memory->data() + i * width, &value, sizeof(T));
      if (bitmap_bytes > 0 && !std::isnan(numbers[i])) bits[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
    }
  });
  return {.view = {.type = column.type,
                   .data = memory->data(),
                   .valid = bitmap_bytes > 0 ? bits : nullptr,
                   .size = numbers.size(),
                   .stride = width,
                   .dictionary = column.dictionary},
          .owner = memory};
}

Column column_like(const ColumnView& column, std::vector<double>&& numbers) {
  if (column.type == DType::float64) return column_of(std::move(numbers));
  return column_like(column, std::span<const double>(numbers));
}

}  // namespace sightglass
