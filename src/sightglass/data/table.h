// A table in memory. Columns may be borrowed (NumPy, Arrow): the owner in each Column keeps them alive.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/data/source.h"

namespace sightglass {

// What the rows are called by whoever the data belong to: a column of ids, the index of a data frame.
struct RowLabels {
  std::string name;                                  // of the column; may be empty
  std::function<std::string(std::uint64_t row)> of;  // by the row's place in its table, counted from 0
};

class Table : public Source {
 public:
  Table() = default;
  // Throws Error(data) if lengths or types do not fit the schema.
  Table(Schema schema, std::vector<Column> columns, std::vector<std::string> notes = {});

  [[nodiscard]] const Schema& schema() const override { return schema_; }
  [[nodiscard]] std::unique_ptr<BlockStream> open(std::span<const std::uint32_t> columns,
                                                  std::size_t block_rows) const override;
  [[nodiscard]] std::optional<std::uint64_t> row_count() const override { return rows(); }
  [[nodiscard]] const Table* table() const override { return this; }
  [[nodiscard]] const std::vector<std::string>& notes() const override { return notes_; }
  [[nodiscard]] std::optional<std::uint32_t> weight_column() const override { return weight_column_; }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  // Global index of row 0: a slice remembers where it was cut.
  [[nodiscard]] std::uint64_t first_row() const { return first_row_; }
  // Null: rows have no names but their numbers.
  [[nodiscard]] const std::shared_ptr<const RowLabels>& row_labels() const { return row_labels_; }
  [[nodiscard]] const ColumnView& column(std::size_t column) const { return columns_[column].view; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

  // Another table over the same memory, with only these columns, in this order.
  [[nodiscard]] Table select(std::span<const std::uint32_t> columns) const;
  // Rows [first, first + count) over the same memory.
  [[nodiscard]] Table slice(std::size_t first, std::size_t count) const;
  // The same table with a column of row weights: numbers >= 0, none missing, not all zero.
  [[nodiscard]] Table with_weights(std::uint32_t column) const;
  // The same table with a column of numbers read as categories, which are called as the numbers are spelled and
  // stand in their order. As it is if they are too many, or categories already.
  [[nodiscard]] Table with_categories(std::uint32_t column) const;
  [[nodiscard]] Table with_unit(std::string_view column, std::string unit) const;
  [[nodiscard]] Table with_first_row(std::uint64_t row) const;
  [[nodiscard]] Table with_row_labels(std::shared_ptr<const RowLabels> labels) const;
  // The rows are called by the values of a column, which is left out: it is nothing that a model is given.
  [[nodiscard]] Table with_row_labels(std::uint32_t column) const;
  // The same columns with other levels behind their own.
  [[nodiscard]] Table with_schema(Schema schema) const;

  // All rows of a source, in memory. The context, if there is one, can stop it.
  [[nodiscard]] static Table load(const Source& source, const Context* context = nullptr);

 private:
  // How finely each column of dates tells time.
  void find_date_details();

  Schema schema_;
  std::vector<Column> columns_;
  std::vector<std::string> notes_;
  std::size_t rows_ = 0;
  std::uint64_t first_row_ = 0;
  std::optional<std::uint32_t> weight_column_;
  std::shared_ptr<const RowLabels> row_labels_;
};

// Some rows of a table, in the order given; they keep their global indices. Nothing is copied until a block
// is read. Blocks are cut by position in the list of rows, so that a small sample still fills its blocks.
class PickedRows : public Source {
 public:
  // Throws Error(usage) on a row that the table does not have.
  PickedRows(std::shared_ptr<const Table> table, std::vector<std::uint64_t> rows);

  [[nodiscard]] const Schema& schema() const override { return table_->schema(); }
  [[nodiscard]] std::unique_ptr<BlockStream> open(std::span<const std::uint32_t> columns,
                                                  std::size_t block_rows) const override;
  [[nodiscard]] std::optional<std::uint64_t> row_count() const override { return rows_.size(); }
  [[nodiscard]] const std::vector<std::string>& notes() const override { return table_->notes(); }
  [[nodiscard]] std::optional<std::uint32_t> weight_column() const override { return table_->weight_column(); }

 private:
  std::shared_ptr<const Table> table_;
  std::vector<std::uint64_t> rows_;
};

// `size` of the given row indices, without replacement: those with the smallest random number for
// (seed, stream, row), in ascending order. The same whatever the threads and partitions.
[[nodiscard]] std::vector<std::uint64_t> sample_rows(std::vector<std::uint64_t> rows, std::uint64_t size,
                                                     std::uint64_t seed, std::uint64_t stream);

}  // namespace sightglass
