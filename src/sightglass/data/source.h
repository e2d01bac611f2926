// Rows as they flow from data to models: blocks of typed columns, read once or again and again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sightglass/data/column.h"
#include "sightglass/data/schema.h"

namespace sightglass {

// Replaces a column by one value for all rows, or by another column of the same length.
struct Override {
  std::uint32_t column = 0;  // index into the schema
  std::variant<Scalar, ColumnView> value;
};

// A run of rows. columns[c] is the schema's column c; a column that was not asked for has no data.
struct RowBlock {
  std::uint64_t first_row = 0;  // global index of row 0 (of row_ids[0], if rows were picked)
  std::size_t rows = 0;
  std::span<const ColumnView> columns;
  std::span<const Override> overrides;
  ColumnView weights;                      // size 0 = every row weighs 1
  std::span<const std::uint64_t> row_ids;  // global index of each row; empty = first_row, first_row + 1, …
  bool made_up = false;                    // rows that a method made, not rows of the data

  [[nodiscard]] std::uint64_t row_id(std::size_t row) const { return row_ids.empty() ? first_row + row : row_ids[row]; }
  [[nodiscard]] double weight(std::size_t row) const { return weights.size == 0 ? 1.0 : weights.number(row); }
  // The column as a model must see it: the override if there is one.
  [[nodiscard]] const Override* override_of(std::uint32_t column) const {
    for (const auto& override : overrides) {
      if (override.column == column) return &override;
    }
    return nullptr;
  }
};

// Calls visit(RowBlock) for consecutive runs of at most `rows` rows of a block (without overrides).
template <class Visit>
void for_each_slice(const RowBlock& block, std::size_t rows, Visit&& visit) {
  if (block.rows <= rows) {
    visit(block);
    return;
  }
  std::vector<ColumnView> views(block.columns.size());
  for (std::size_t first = 0; first < block.rows; first += rows) {
    RowBlock part = block;
    part.rows = std::min(rows, block.rows - first);
    part.first_row = block.first_row + first;
    for (std::size_t column = 0; column < views.size(); ++column) {
      if (block.columns[column].data != nullptr) views[column] = block.columns[column].slice(first, part.rows);
    }
    part.columns = views;
    if (block.weights.size > 0) part.weights = block.weights.slice(first, part.rows);
    if (!block.row_ids.empty()) part.row_ids = block.row_ids.subspan(first, part.rows);
    visit(part);
  }
}

// Blocks are cut at fixed global row indices (multiples of the block size), so that the same rows meet in
// the same block however the work is divided.
class BlockStream {
 public:
  virtual ~BlockStream() = default;
  // The next block, or nothing at the end. The block's memory is valid until the next call.
  [[nodiscard]] virtual std::optional<RowBlock> next() = 0;
};

class Table;

class Source {
 public:
  virtual ~Source() = default;
  [[nodiscard]] virtual const Schema& schema() const = 0;
  // Starts over from the first row. `columns` are the schema's columns that will be looked at.
  [[nodiscard]] virtual std::unique_ptr<BlockStream> open(std::span<const std::uint32_t> columns,
                                                          std::size_t block_rows) const = 0;
  // Rows, where known without reading.
  [[nodiscard]] virtual std::optional<std::uint64_t> row_count() const = 0;
  // The whole table if it is in memory.
  [[nodiscard]] virtual const Table* table() const { return nullptr; }
  // Things the user should know about how the data were read ("date column day became days since 1970").
  [[nodiscard]] virtual const std::vector<std::string>& notes() const = 0;
  // The column that holds row weights.
  [[nodiscard]] virtual std::optional<std::uint32_t> weight_column() const { return std::nullopt; }
  // The columns that no model may use as features: the target, unless its name is empty, and the weights.
  // Throws Error(usage) that starts with `what` if there is no such target.
  [[nodiscard]] std::vector<std::uint32_t> not_features(std::string_view target, const Text& what) const {
    std::vector<std::uint32_t> columns;
    if (!target.empty()) columns.push_back(schema().require(target, what));
    if (const auto weights = weight_column()) columns.push_back(*weights);
    return columns;
  }
};

}  // namespace sightglass
