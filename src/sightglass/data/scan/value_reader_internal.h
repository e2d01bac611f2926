// From DuckDB's vectors to our columns: which type a column becomes, and the loops that make it so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/data/level_text_internal.h"
#include "sightglass/data/scan/session_internal.h"
#include "sightglass/data/source.h"

namespace sightglass {

// What becomes of a column.
enum class Reading {
  number,       // the same number, or a number made of a date, a time or a decimal
  text_number,  // text that must be a number
  levels,       // text, or a number as text, looked up among the levels
  enum_codes,   // already a code
  missing,      // nothing but missing values
  left_out,
};

// Looks values of one column up in DuckDB's chunks.
class ValueReader {
 public:
  ValueReader() = default;
  explicit ValueReader(ResultColumn column);

  [[nodiscard]] const ResultColumn& column() const { return column_; }
  [[nodiscard]] Reading reading() const { return reading_; }
  [[nodiscard]] DType type() const { return type_; }
  [[nodiscard]] const std::shared_ptr<const Dictionary>& dictionary() const { return dictionary_; }
  [[nodiscard]] TimeKind time_kind() const;
  [[nodiscard]] bool is_text() const;
  // Numbers get levels in the order of numbers.
  [[nodiscard]] bool has_numeric_levels() const;

  void force_levels();
  void force_numbers();
  void leave_out() { reading_ = Reading::left_out; }
  void set_missing();
  void set_levels(std::vector<std::string> levels);

  // The value as text, or nothing if it is missing. The text lives until the next call, or as long as the chunk.
  [[nodiscard]] std::optional<std::string_view> text(const void* data, const std::uint64_t* validity, std::size_t row);

  // Rows [first, first + count) of a chunk to out (size_of(type()) bytes each); present[i] = 0 where a row of a
  // type without a missing value of its own is missing. `row` is the global index of the first.
  void read(const void* data, const std::uint64_t* validity, std::size_t first, std::size_t count, std::byte* out,
            std::uint8_t* present, std::uint64_t row);

 private:
  ResultColumn column_;
  Reading reading_ = Reading::number;
  DType type_ = DType::float64;
  std::shared_ptr<const Dictionary> dictionary_;
  char buffer_[number_text_bytes] = {};
};

}  // namespace sightglass
