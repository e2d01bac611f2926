// Rows × variants for a model that pays for every call: the block's rows once per variant, each time with
// that variant's overrides. Nothing is copied until a column is written where the model wants it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/data/source.h"

namespace sightglass {

using Variant = std::vector<Override>;

// Where a column goes. Missing values are NaN (floats), a negative code (levels), or marked (integers).
struct TileTarget {
  DType type = DType::float64;
  void* data = nullptr;
  std::size_t stride = 0;  // in bytes, from one row to the next
  // One byte per row, 1 = missing; may be null where nothing can be missing or the type can say so itself.
  std::uint8_t* missing = nullptr;
};

class Tiles {
 public:
  // Both must outlive the tiles.
  Tiles(const RowBlock& block, std::span<const Variant> variants) : block_(block), variants_(variants) {}

  [[nodiscard]] std::size_t rows() const { return block_.rows * variants_.size(); }
  [[nodiscard]] const RowBlock& block() const { return block_; }
  [[nodiscard]] std::span<const Variant> variants() const { return variants_; }

  // The type in which all values of a column can be said: its own, or float64 if an override needs a fraction
  // or a missing value that the column has no way to say.
  [[nodiscard]] DType type(std::uint32_t column) const;
  // Whether values can be missing in a way that needs TileTarget::missing.
  [[nodiscard]] bool marks_missing(std::uint32_t column) const;
  // target has rows() elements. Its type is type(column), or an integer type that holds every level code, or
  // float64 or float32 for any number.
  void write(std::uint32_t column, const TileTarget& target) const;
  // All of these columns as a row-major matrix, rows() × columns.size(), of the type that they all have, or of
  // float64 or float32.
  void write_matrix(std::span<const std::uint32_t> columns, DType type, void* matrix, const Context& context) const;

 private:
  void write_part(std::uint32_t column, const TileTarget& target, std::size_t variant, std::size_t first) const;
  [[nodiscard]] const Override* override_in(const Variant& variant, std::uint32_t column) const;

  const RowBlock& block_;
  std::span<const Variant> variants_;
};

}  // namespace sightglass
