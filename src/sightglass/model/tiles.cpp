#include "sightglass/model/tiles.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "sightglass/base/error.h"
#include "sightglass/data/with_type_internal.h"

namespace sightglass {

namespace {

bool is_float(DType type) { return type == DType::float64 || type == DType::float32; }

bool holds(DType type, double number) {
  if (type == DType::boolean) return number == 0 || number == 1;
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    // The upper end as a power of two, because the largest 64-bit integers have no double of their own.
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const double begin = std::is_signed_v<T> ? -end : 0.0;
    return number >= begin && number < end && number == std::trunc(number);
  });
}

template <class T>
void store(std::byte* address, T value) {
  std::memcpy(address, &value, sizeof(T));
}

// A number in a target's own words.
template <class T>
T cast_number(double number) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(number);
  } else if constexpr (std::is_signed_v<T>) {
    return std::isnan(number) ? T{-1} : static_cast<T>(number);
  } else {
    return std::isnan(number) ? T{0} : static_cast<T>(number);
  }
}

template <class To>
void write_same(const TileTarget& target, std::size_t first, std::size_t rows, double number) {
  const To value = cast_number<To>(number);
  std::byte* out = static_cast<std::byte*>(target.data) + first * target.stride;
  if (target.stride == sizeof(To)) {
    for (std::size_t row = 0; row < rows; ++row) store(out + row * sizeof(To), value);
  } else {
    for (std::size_t row = 0; row < rows; ++row) store(out + row * target.stride, value);
  }
}

template <class To, class From>
void write_view(const TileTarget& target, std::size_t first, const ColumnView& view) {
  std::byte* out = static_cast<std::byte*>(target.data) + first * target.stride;
  const auto* in = static_cast<const std::byte*>(view.data);
  if constexpr (std::is_same_v<To, From>) {
    if (target.stride == sizeof(To) && view.stride == sizeof(From)) {
      std::memcpy(out, in, view.size * sizeof(To));
      return;
    }
  }
  // Strided on either side: a NumPy matrix on the way in, or out. Bytes that are written might be anything's, for all
  // the compiler knows: what does not change is kept apart.
  const std::size_t rows = view.size, in_stride = view.stride, out_stride = target.stride;
  for (std::size_t row = 0; row < rows; ++row) {
    From value;
    std::memcpy(&value, in, sizeof(From));
    store(out, static_cast<To>(value));
    in += in_stride;
    out += out_stride;
  }
}

// Missing values that live in bits, said as the target can.
void write_missing(const TileTarget& target, std::size_t first, const ColumnView& view) {
  if (target.missing != nullptr) std::memset(target.missing + first, 0, view.size);
  if (view.valid == nullptr) return;
  const bool by_value = is_float(target.type);
  for (std::size_t row = 0; row < view.size; ++row) {
    if (view.present(row)) continue;
    if (target.missing != nullptr) target.missing[first + row] = 1;
    std::byte* out = static_cast<std::byte*>(target.data) + (first + row) * target.stride;
    if (target.type == DType::float64) store(out, std::numeric_limits<double>::quiet_NaN());
    if (target.type == DType::float32) store(out, std::numeric_limits<float>::quiet_NaN());
    if (!by_value && view.type == DType::categorical) {
      with_type(target.type, [&](auto zero) { store(out, static_cast<decltype(zero)>(-1)); });
    }
  }
}

void write_column(const TileTarget& target, std::size_t first, const ColumnView& view) {
  with_type(target.type, [&](auto to) {
    with_type(view.type, [&](auto from) { write_view<decltype(to), decltype(from)>(target, first, view); });
  });
  // Levels as numbers: a negative code is no number.
  if (view.type == DType::categorical && is_float(target.type)) {
    for (std::size_t row = 0; row < view.size; ++row) {
      std::byte* out = static_cast<std::byte*>(target.data) + (first + row) * target.stride;
      const double code = view.number(row);
      with_type(target.type, [&](auto zero) { store(out, static_cast<decltype(zero)>(code)); });
    }
  }
  write_missing(target, first, view);
}

// Whether the columns lie side by side, as the rows of a matrix without gaps: all of it can be copied at once.
bool is_matrix(const RowBlock& block, std::span<const std::uint32_t> columns, DType type) {
  const std::size_t width = size_of(type);
  const auto* first = columns.empty() ? nullptr : static_cast<const std::byte*>(block.columns[columns[0]].data);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const ColumnView& view = block.columns[columns[k]];
    if (view.type != type || view.valid != nullptr || view.stride != columns.size() * width ||
        view.data != first + k * width)
      return false;
  }
  return first != nullptr && is_float(type);
}

}  // namespace

const Override* Tiles::override_in(const Variant& variant, std::uint32_t column) const {
  for (const Override& override : variant) {
    if (override.column == column) return &override;
  }
  return nullptr;
}

DType Tiles::type(std::uint32_t column) const {
  const ColumnView& base = block_.columns[column];
  if (base.type == DType::categorical || is_float(base.type)) return base.type;
  for (const Variant& variant : variants_) {
    const Override* override = override_in(variant, column);
    if (override == nullptr) continue;
    if (const auto* view = std::get_if<ColumnView>(&override->value)) {
      const bool new_gaps = view->valid != nullptr && base.valid == nullptr;
      if (view->type != base.type || new_gaps) return DType::float64;
      continue;
    }
    const Scalar& scalar = std::get<Scalar>(override->value);
    if (scalar.is_missing() ? base.valid == nullptr : !holds(base.type, scalar.number)) return DType::float64;
  }
  return base.type;
}

bool Tiles::marks_missing(std::uint32_t column) const {
  const DType kind = type(column);
  return !is_float(kind) && kind != DType::categorical && block_.columns[column].valid != nullptr;
}

// One variant's rows, from row `first` of the target on.
void Tiles::write_part(std::uint32_t column, const TileTarget& target, std::size_t variant, std::size_t first) const {
  const Override* override = override_in(variants_[variant], column);
  if (override == nullptr) {
    write_column(target, first, block_.columns[column]);
  } else if (const auto* view = std::get_if<ColumnView>(&override->value)) {
    write_column(target, first, *view);
  } else {
    const Scalar& scalar = std::get<Scalar>(override->value);
    with_type(target.type, [&](auto to) { write_same<decltype(to)>(target, first, block_.rows, scalar.number); });
    if (target.missing != nullptr) std::memset(target.missing + first, scalar.is_missing() ? 1 : 0, block_.rows);
  }
}

void Tiles::write(std::uint32_t column, const TileTarget& target) const {
  for (std::size_t v = 0; v < variants_.size(); ++v) write_part(column, target, v, v * block_.rows);
}

void Tiles::write_matrix(std::span<const std::uint32_t> columns, DType type, void* matrix,
                         const Context& context) const {
  const std::size_t width = size_of(type);
  const std::size_t stride = columns.size() * width;
  auto* base = static_cast<std::byte*>(matrix);
  // Interleaving columns is slow, and all variants share most of them: the block is laid out once, then copied
  // whole. Rows go in small parts, so that the part of the matrix that is being filled stays in the cache.
  constexpr std::size_t part_rows = 256;
  const bool copied = block_.rows > 0 && is_matrix(block_, columns, type);
  if (copied) std::memcpy(base, block_.columns[columns[0]].data, block_.rows * stride);
  for (std::size_t row = 0; row < block_.rows && !copied; row += part_rows) {
    const std::size_t count = std::min(part_rows, block_.rows - row);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const TileTarget target{.type = type, .data = base + k * width, .stride = stride};
      write_column(target, row, block_.columns[columns[k]].slice(row, count));
    }
  }
  const auto override_columns = [&](std::size_t v) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (override_in(variants_[v], columns[k]) == nullptr) continue;
      const TileTarget target{.type = type, .data = base + k * width, .stride = stride};
      write_part(columns[k], target, v, v * block_.rows);
    }
  };
  context.parallel_for(variants_.size() - 1, [&](std::size_t i) {
    std::memcpy(base + (i + 1) * block_.rows * stride, base, block_.rows * stride);
    override_columns(i + 1);
  });
  override_columns(0);  // last: the others were copied from it
}

}  // namespace sightglass
