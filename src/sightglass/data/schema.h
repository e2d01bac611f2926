// What a table's columns are called and what they hold.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sightglass/base/dates.h"
#include "sightglass/base/text.h"

namespace sightglass {

enum class DType : std::uint8_t {
  float64,
  float32,
  int64,
  int32,
  int16,
  int8,
  uint64,
  uint32,
  uint16,
  uint8,
  boolean,      // one byte, 0 or 1
  categorical,  // int32 codes into a Dictionary; a negative code is missing
};

[[nodiscard]] std::size_t size_of(DType type);
[[nodiscard]] std::string_view to_string(DType type);

// Text columns with more levels than this are left out when data are read, with a note: no method can show them.
inline constexpr std::size_t most_levels = 100'000;

// The levels of a categorical column. Levels inferred from text are sorted by name (bytewise), so codes do
// not depend on the order of rows; levels that came with an order keep it.
class Dictionary {
 public:
  Dictionary() = default;
  explicit Dictionary(std::vector<std::string> levels, bool ordered = false);

  [[nodiscard]] const std::vector<std::string>& levels() const { return levels_; }
  [[nodiscard]] std::size_t size() const { return levels_.size(); }
  [[nodiscard]] const std::string& level(std::int32_t code) const { return levels_.at(static_cast<std::size_t>(code)); }
  [[nodiscard]] bool ordered() const { return ordered_; }
  // The code of a level, or nothing.
  [[nodiscard]] std::optional<std::int32_t> find(std::string_view level) const;

 private:
  // Looked up once per row of text, without making a string of each.
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::vector<std::string> levels_;
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> codes_;
  bool ordered_ = false;
};

struct ColumnInfo {
  std::string name;
  DType type = DType::float64;
  std::shared_ptr<const Dictionary> dictionary;  // categorical columns only
  std::string unit;                              // "°C"; empty if unknown
  DateKind dates = {};                           // what its numbers mean, where they are dates

  // Categorical and boolean columns have levels; all other columns have numbers.
  [[nodiscard]] bool is_categorical() const { return type == DType::categorical; }
  [[nodiscard]] bool has_levels() const { return is_categorical() || type == DType::boolean; }
  // By code; of a boolean column "false" and "true".
  [[nodiscard]] std::vector<std::string> levels() const;
  // One of them, and how many there are, without a copy of all.
  [[nodiscard]] std::string level(std::size_t code) const;
  [[nodiscard]] std::size_t level_count() const;
  // The code of a level, or nothing.
  [[nodiscard]] std::optional<std::int32_t> find_level(std::string_view level) const;
};

class Schema {
 public:
  Schema() = default;
  // Throws Error(data) on two columns of the same name.
  explicit Schema(std::vector<ColumnInfo> columns);
  // Not inline: whatever has a schema would copy all of it in its own file.
  Schema(const Schema&);
  Schema(Schema&&) noexcept;
  Schema& operator=(const Schema&);
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  [[nodiscard]] const std::vector<ColumnInfo>& columns() const { return columns_; }
  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  [[nodiscard]] const ColumnInfo& operator[](std::size_t column) const { return columns_[column]; }
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
  // The columns whose numbers are dates.
  [[nodiscard]] Dates dates() const;
  // As find(), but throws Error(usage) that names the nearest existing columns.
  [[nodiscard]] std::uint32_t require(std::string_view name, const Text& what) const;

 private:
  std::vector<ColumnInfo> columns_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

}  // namespace sightglass
