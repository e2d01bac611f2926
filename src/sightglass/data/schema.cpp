#include "sightglass/data/schema.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "sightglass/base/error.h"
#include "sightglass/base/nearest_name.h"
#include "sightglass/data/given_name.h"

namespace sightglass {

std::size_t size_of(DType type) {
  switch (type) {
    case DType::float64:
    case DType::int64:
    case DType::uint64: return 8;
    case DType::float32:
    case DType::int32:
    case DType::uint32:
    case DType::categorical: return 4;
    case DType::int16:
    case DType::uint16: return 2;
    case DType::int8:
    case DType::uint8:
    case DType::boolean: return 1;
  }
  return 0;
}

std::string_view to_string(DType type) {
  switch (type) {
    case DType::float64: return "float64";
    case DType::float32: return "float32";
    case DType::int64: return "int64";
    case DType::int32: return "int32";
    case DType::int16: return "int16";
    case DType::int8: return "int8";
    case DType::uint64: return "uint64";
    case DType::uint32: return "uint32";
    case DType::uint16: return "uint16";
    case DType::uint8: return "uint8";
    case DType::boolean: return "boolean";
    case DType::categorical: return "categorical";
  }
  return "unknown";
}

Dictionary::Dictionary(std::vector<std::string> levels, bool ordered) : levels_(std::move(levels)), ordered_(ordered) {
  codes_.reserve(levels_.size());
  for (std::size_t code = 0; code < levels_.size(); ++code) {
    codes_.emplace(levels_[code], static_cast<std::int32_t>(code));
  }
}

std::optional<std::int32_t> Dictionary::find(std::string_view level) const {
  const auto found = codes_.find(level);
  if (found == codes_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> ColumnInfo::levels() const {
  if (type == DType::boolean) return {"false", "true"};
  return dictionary == nullptr ? std::vector<std::string>{} : dictionary->levels();
}

std::string ColumnInfo::level(std::size_t code) const {
  if (type == DType::boolean) return code == 0 ? "false" : "true";
  return dictionary->levels().at(code);
}

std::size_t ColumnInfo::level_count() const {
  if (type == DType::boolean) return 2;
  return dictionary == nullptr ? 0 : dictionary->size();
}

std::optional<std::int32_t> ColumnInfo::find_level(std::string_view level) const {
  if (type != DType::boolean) return dictionary == nullptr ? std::nullopt : dictionary->find(level);
  if (level != "false" && level != "true") return std::nullopt;
  return level == "true" ? 1 : 0;
}

Schema::Schema(const Schema&) = default;
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(const Schema&) = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Schema::Schema(std::vector<ColumnInfo> columns) : columns_(std::move(columns)) {
  index_.reserve(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!index_.emplace(columns_[i].name, static_cast<std::uint32_t>(i)).second) {
      throw Error(ErrorKind::data, "two columns are called " + printable(columns_[i].name), "rename one of them");
    }
  }
}

std::optional<std::uint32_t> Schema::find(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

Dates Schema::dates() const {
  Dates dates;
  for (const ColumnInfo& column : columns_) {
    if (column.dates) dates.emplace(column.name, column.dates);
  }
  return dates;
}

std::uint32_t Schema::require(std::string_view name, const Text& what) const {
  if (const auto column = find_given(*this, name)) return *column;
  std::vector<std::string> names;
  names.reserve(columns_.size());
  for (const auto& column : columns_) names.push_back(column.name);
  const std::string nearest = nearest_name(name, names);
  std::string advice = "did you mean " + printable(nearest) + "?";
  if (nearest.empty()) {
    advice = "the columns are ";
    for (std::size_t i = 0; i < names.size() && i < 12; ++i) advice += (i > 0 ? ", " : "") + printable(names[i], 40);
    if (names.size() > 12) advice += ", … (" + std::to_string(names.size()) + " in all)";
  }
  throw Error(ErrorKind::usage, what + ": the data have no column " + printable(name), advice);
}

}  // namespace sightglass
