#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/base/utf8.h"
#include "sightglass/data/arrow/arrow_columns_internal.h"

namespace sightglass {

namespace {

constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();

// Memory for a column of our own, with room for bits if a row is missing.
class NewColumn {
 public:
  NewColumn(DType type, const Pieces& pieces) : type_(type) {
    for (const ArrowPiece& piece : pieces) {
      rows_ += piece.rows;
      has_bits_ = has_bits_ || piece.valid != nullptr;
    }
    const std::size_t values = rows_ * size_of(type);
    memory_ = std::make_shared<std::vector<std::byte>>(values + (has_bits_ ? (rows_ + 7) / 8 : 0));
    bits_ = reinterpret_cast<std::uint8_t*>(memory_->data() + values);
  }

  template <class T>
  [[nodiscard]] T* values() {
    return reinterpret_cast<T*>(memory_->data());
  }
  [[nodiscard]] std::size_t rows() const { return rows_; }

  // Copies what is missing.
  void set_bits(const Pieces& pieces) {
    std::size_t at = 0;
    for (const ArrowPiece& piece : pieces) {
      for (std::size_t row = 0; row < piece.rows && has_bits_; ++row, ++at) {
        if (piece.present(row)) bits_[at / 8] |= static_cast<std::uint8_t>(1U << (at % 8));
      }
    }
  }

  // `with_bits`: missing values are marked by bits and not by a value of their own.
  [[nodiscard]] Column finish(bool with_bits) const {
    return {.view = {.type = type_,
                     .data = memory_->data(),
                     .valid = with_bits && has_bits_ ? bits_ : nullptr,
                     .size = rows_,
                     .stride = size_of(type_)},
            .owner = memory_};
  }

 private:
  DType type_;
  std::size_t rows_ = 0;
  bool has_bits_ = false;
  std::shared_ptr<std::vector<std::byte>> memory_;
  std::uint8_t* bits_ = nullptr;
};

// Calls body(row of the column, piece, row of the piece) for all rows.
template <class Body>
void for_each_row(const Pieces& pieces, Body&& body) {
  std::size_t at = 0;
  for (const ArrowPiece& piece : pieces) {
    for (std::size_t row = 0; row < piece.rows; ++row) body(at++, piece, row);
  }
}

bool bit_at(const ArrowPiece& piece, std::size_t row) {
  const std::size_t bit = piece.offset + row;
  return (std::to_integer<unsigned>(piece.data()[bit / 8]) >> (bit % 8) & 1U) != 0;
}

// A dictionary's value as a level, or nothing if it is missing.
std::optional<std::string> level_of(const ArrowField& field, const ArrowPiece& values, std::size_t row) {
  if (!values.present(row)) return std::nullopt;
  char buffer[number_text_bytes];
  switch (field.kind) {
    case ArrowKind::text: {
      const std::string_view text = text_of(field, values, row);
      if (!is_utf8(text)) {
        throw Error(ErrorKind::data, "column " + printable(field.name) + ": a level of its dictionary is not UTF-8");
      }
      return std::string(text);
    }
    case ArrowKind::boolean: return bit_at(values, row) ? "true" : "false";
    case ArrowKind::number: break;
    default: {
      const double number = number_of(field, values, row);
      if (field.time_kind != TimeKind::none && field.time_kind != TimeKind::duration) {
        return print_time(field.time_kind, number);
      }
      return std::string(print_number(buffer, number));
    }
  }
  const ColumnView view = borrow_numbers(field, values, nullptr).view;
  if (field.type == DType::int64 || field.type == DType::uint64) {
    std::uint64_t number = 0;
    std::memcpy(&number, static_cast<const std::byte*>(view.data) + row * sizeof(number), sizeof(number));
    if (field.type == DType::uint64) return std::string(print_number(buffer, number));
    return std::string(print_number(buffer, static_cast<std::int64_t>(number)));
  }
  const double number = view.number(row);
  if (std::isnan(number)) return std::nullopt;
  if (field.type == DType::float32) return std::string(print_number(buffer, static_cast<float>(number)));
  return std::string(print_number(buffer, number));
}

// An index of any integer type; anything that does not fit becomes -1, which is out of range.
std::int64_t index_at(const ArrowField& field, const ArrowPiece& piece, std::size_t row) {
  const std::byte* address = piece.data() + (piece.offset + row) * size_of(field.type);
  const auto load = [&](auto zero) {
    std::memcpy(&zero, address, sizeof(zero));
    return static_cast<std::int64_t>(zero);
  };
  switch (field.type) {
    case DType::int8: return load(std::int8_t{});
    case DType::uint8: return load(std::uint8_t{});
    case DType::int16: return load(std::int16_t{});
    case DType::uint16: return load(std::uint16_t{});
    case DType::int32: return load(std::int32_t{});
    case DType::uint32: return load(std::uint32_t{});
    default: return load(std::int64_t{});
  }
}

}  // namespace

Column copy_numbers(const ArrowField& field, const Pieces& pieces) {
  NewColumn column(field.type, pieces);
  const std::size_t bytes = size_of(field.type);
  std::byte* out = column.values<std::byte>();
  for (const ArrowPiece& piece : pieces) {
    std::memcpy(out, piece.data() + piece.offset * bytes, piece.rows * bytes);
    out += piece.rows * bytes;
  }
  column.set_bits(pieces);
  return column.finish(true);
}

Column borrow_numbers(const ArrowField& field, const ArrowPiece& piece, std::shared_ptr<const void> owner) {
  const std::size_t bytes = size_of(field.type);
  return {.view = {.type = field.type,
                   .data = piece.data() + piece.offset * bytes,
                   .valid = piece.valid,
                   .valid_offset = piece.valid == nullptr ? 0 : piece.offset,
                   .size = piece.rows,
                   .stride = bytes},
          .owner = std::move(owner)};
}

Column copy_bits(const Pieces& pieces) {
  NewColumn column(DType::boolean, pieces);
  auto* out = column.values<std::uint8_t>();
  for_each_row(pieces, [&](std::size_t at, const ArrowPiece& piece, std::size_t row) {
    out[at] = piece.present(row) && bit_at(piece, row) ? 1 : 0;
  });
  column.set_bits(pieces);
  return column.finish(true);
}

Column convert_halves(const Pieces& pieces) {
  NewColumn column(DType::float32, pieces);
  auto* out = column.values<float>();
  for_each_row(pieces, [&](std::size_t at, const ArrowPiece& piece, std::size_t row) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, piece.data() + (piece.offset + row) * sizeof(bits), sizeof(bits));
    out[at] = piece.present(row) ? half_to_float(bits) : std::numeric_limits<float>::quiet_NaN();
  });
  return column.finish(false);
}

Column convert_numbers(const ArrowField& field, const Pieces& pieces) {
  NewColumn column(DType::float64, pieces);
  auto* out = column.values<double>();
  for_each_row(pieces, [&](std::size_t at, const ArrowPiece& piece, std::size_t row) {
    out[at] = piece.present(row) ? number_of(field, piece, row) : missing_number;
  });
  return column.finish(false);
}

std::optional<Coded> code_text(const ArrowField& field, const Pieces& pieces) {
  NewColumn column(DType::categorical, pieces);
  auto* codes = column.values<std::int32_t>();
  std::unordered_map<std::string_view, std::int32_t> seen;
  bool full = false;
  for_each_row(pieces, [&](std::size_t at, const ArrowPiece& piece, std::size_t row) {
    if (full) return;
    codes[at] = -1;
    if (!piece.present(row)) return;
    const auto [entry, added] = seen.emplace(text_of(field, piece, row), static_cast<std::int32_t>(seen.size()));
    codes[at] = entry->second;
    if (!added) return;
    if (!is_utf8(entry->first)) {
      throw Error(ErrorKind::data,
                  "column " + printable(field.name) + ", row " + std::to_string(at) + ": the text is not UTF-8");
    }
    full = seen.size() > most_levels;
  });
  if (full) return std::nullopt;
  const std::map<std::string_view, std::int32_t> sorted(seen.begin(), seen.end());
  Coded coded;
  std::vector<std::int32_t> place(sorted.size());
  for (const auto& [level, code] : sorted) {
    place[static_cast<std::size_t>(code)] = static_cast<std::int32_t>(coded.levels.size());
    coded.levels.emplace_back(level);
  }
  for (std::size_t row = 0; row < column.rows(); ++row) {
    if (codes[row] >= 0) codes[row] = place[static_cast<std::size_t>(codes[row])];
  }
  coded.column = column.finish(false);
  return coded;
}

std::optional<Coded> code_dictionary(const ArrowField& field, const Pieces& pieces,
                                     const std::shared_ptr<const void>& owner, bool& copied) {
  Coded coded;
  coded.ordered = field.ordered;
  std::unordered_map<std::string, std::int32_t> codes_of;
  std::vector<std::vector<std::int32_t>> places(pieces.size());  // our code for each index of a chunk
  for (std::size_t chunk = 0; chunk < pieces.size(); ++chunk) {
    const ArrowArray* dictionary = pieces[chunk].array->dictionary;
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(dictionary->length, 0));
    const ArrowPiece values = check_array(*field.values, dictionary, 0, size);
    std::int32_t last = -1;
    for (std::size_t i = 0; i < size; ++i) {
      std::int32_t code = -1;
      if (auto level = level_of(*field.values, values, i)) {
        const auto [entry, added] = codes_of.emplace(*level, static_cast<std::int32_t>(coded.levels.size()));
        code = entry->second;
        if (added) coded.levels.push_back(std::move(*level));
        if (coded.levels.size() > most_levels) return std::nullopt;
        if (field.ordered && code < last) {
          throw Error(ErrorKind::data,
                      "column " + printable(field.name) + ": its chunks put the levels in different orders",
                      "give all chunks the same dictionary");
        }
        last = code;
      }
      places[chunk].push_back(code);
    }
  }
  bool same = pieces.size() == 1 && field.type == DType::int32;
  for (std::size_t i = 0; same && i < places[0].size(); ++i) same = places[0][i] == static_cast<std::int32_t>(i);
  const bool missing =
      std::any_of(pieces.begin(), pieces.end(), [](const ArrowPiece& p) { return p.valid != nullptr; });
  NewColumn column(DType::categorical, same && !missing ? Pieces{} : pieces);
  auto* codes = column.values<std::int32_t>();
  std::size_t at = 0;
  for (std::size_t chunk = 0; chunk < pieces.size(); ++chunk) {
    for (std::size_t row = 0; row < pieces[chunk].rows; ++row, ++at) {
      std::int32_t code = -1;
      if (pieces[chunk].present(row)) {
        const std::int64_t index = index_at(field, pieces[chunk], row);
        if (index < 0 || static_cast<std::uint64_t>(index) >= places[chunk].size()) {
          throw Error(ErrorKind::data, "column " + printable(field.name) + ", row " + std::to_string(at) +
                                           ": an index outside its dictionary");
        }
        code = places[chunk][static_cast<std::size_t>(index)];
      }
      if (column.rows() > 0) codes[at] = code;
    }
  }
  copied = !same || missing;
  if (copied) {
    coded.column = column.finish(false);
  } else {
    coded.column = borrow_numbers(field, pieces[0], owner);
    coded.column.view.type = DType::categorical;
  }
  return coded;
}

std::optional<Coded> levels_of_numbers(const Column& source, TimeKind time_kind) {
  const ColumnView& view = source.view;
  const auto text = [&](std::size_t row, char* buffer) -> std::string {
    if (view.type == DType::boolean) return view.number(row) != 0 ? "true" : "false";
    if (time_kind != TimeKind::none && time_kind != TimeKind::duration) return print_time(time_kind, view.number(row));
    const auto* address = static_cast<const std::byte*>(view.data) + row * view.stride;
    std::uint64_t number = 0;
    if (view.type == DType::int64 || view.type == DType::uint64) std::memcpy(&number, address, sizeof(number));
    if (view.type == DType::uint64) return std::string(print_number(buffer, number));
    if (view.type == DType::int64) return std::string(print_number(buffer, static_cast<std::int64_t>(number)));
    if (view.type == DType::float32) return std::string(print_number(buffer, static_cast<float>(view.number(row))));
    return std::string(print_number(buffer, view.number(row)));
  };
  LevelCollector collector;
  char buffer[number_text_bytes];
  for (std::size_t row = 0; row < view.size; ++row) {
    if (!std::isnan(view.number(row))) collector.add(text(row, buffer));
  }
  if (collector.is_full()) return std::nullopt;
  Coded coded;
  coded.levels = view.type == DType::boolean ? std::vector<std::string>{"false", "true"}
                                             : collector.sorted(time_kind == TimeKind::none);
  const Dictionary dictionary(coded.levels);
  std::vector<std::int32_t> codes(view.size, -1);
  for (std::size_t row = 0; row < view.size; ++row) {
    if (!std::isnan(view.number(row))) codes[row] = dictionary.find(text(row, buffer)).value_or(-1);
  }
  coded.column = column_of(std::move(codes), nullptr);
  return coded;
}

Column numbers_of_levels(const Coded& coded, const std::string& name) {
  std::vector<std::optional<double>> parsed;
  for (const std::string& level : coded.levels) parsed.push_back(parse_number(level));
  std::vector<double> numbers(coded.column.view.size, missing_number);
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const double code = coded.column.view.number(row);
    if (std::isnan(code)) continue;
    const auto index = static_cast<std::size_t>(code);
    if (!parsed[index]) {
      throw Error(ErrorKind::data,
                  "column " + printable(name) + ", row " + std::to_string(row) + ": " +
                      printable(coded.levels[index], 40) + " is no number",
                  "correct the value, or use the column as categories");
    }
    numbers[row] = *parsed[index];
  }
  return column_of(std::move(numbers));
}

}  // namespace sightglass
