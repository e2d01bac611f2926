#include "sightglass/data/column.h"

#include <cstring>
#include <utility>

#include "sightglass/data/with_type_internal.h"

namespace sightglass {

namespace {

constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();

// memcpy because strided NumPy columns need not be aligned.
template <class T>
double load_number(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return static_cast<double>(value);
}

}  // namespace

double ColumnView::number(std::size_t row) const {
  if (!present(row)) return missing_number;
  const std::byte* address = static_cast<const std::byte*>(data) + row * stride;
  const double value = with_type(type, [&](auto zero) { return load_number<decltype(zero)>(address); });
  if (type == DType::boolean) return value != 0 ? 1 : 0;
  return type == DType::categorical && value < 0 ? missing_number : value;
}

void read_numbers(const ColumnView& column, std::span<double> out) {
  const auto* base = static_cast<const std::byte*>(column.data);
  with_type(column.type, [&](auto zero) {
    using T = decltype(zero);
    if (column.stride == sizeof(T)) {
      for (std::size_t i = 0; i < column.size; ++i) out[i] = load_number<T>(base + i * sizeof(T));
    } else {
      for (std::size_t i = 0; i < column.size; ++i) out[i] = load_number<T>(base + i * column.stride);
    }
  });
  if (column.type == DType::boolean) {
    // NumPy lets any byte stand for true.
    for (double& value : out) value = value != 0 ? 1 : 0;
  }
  if (column.type == DType::categorical) {
    for (double& value : out) value = value < 0 ? missing_number : value;
  }
  if (column.valid != nullptr) {
    for (std::size_t i = 0; i < column.size; ++i) {
      if (!column.present(i)) out[i] = missing_number;
    }
  }
}

Column gather(const ColumnView& column, std::span<const std::uint64_t> rows) {
  const std::size_t width = size_of(column.type);
  const std::size_t bitmap_bytes = column.valid == nullptr ? 0 : (rows.size() + 7) / 8;
  auto memory = std::make_shared<std::vector<std::byte>>(rows.size() * width + bitmap_bytes);
  const auto* base = static_cast<const std::byte*>(column.data);
  auto* bits = reinterpret_cast<std::uint8_t*>(memory->data() + rows.size() * width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(memory->data() + i * width, base + rows[i] * column.stride, width);
    if (bitmap_bytes > 0 && column.present(rows[i])) bits[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
  }
  return {.view = {.type = column.type,
                   .data = memory->data(),
                   .valid = bitmap_bytes > 0 ? bits : nullptr,
                   .size = rows.size(),
                   .stride = width,
                   .dictionary = column.dictionary},
          .owner = memory};
}

Column column_of(std::vector<double> values) {
  auto memory = std::make_shared<std::vector<double>>(std::move(values));
  return {.view = view_of(std::span<const double>(*memory)), .owner = memory};
}

Column column_of(std::vector<std::int32_t> codes, const Dictionary* dictionary) {
  auto memory = std::make_shared<std::vector<std::int32_t>>(std::move(codes));
  ColumnView view = view_of(std::span<const std::int32_t>(*memory), DType::categorical);
  view.dictionary = dictionary;
  return {.view = view, .owner = memory};
}

}  // namespace sightglass
