#include "sightglass/data/table.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sightglass/base/error.h"
#include "sightglass/base/random.h"
#include "sightglass/data/level_text_internal.h"
#include "sightglass/data/with_type_internal.h"

namespace sightglass {

namespace {

void check_block_rows(std::size_t block_rows) {
  if (block_rows == 0) throw Error(ErrorKind::usage, "batch cannot be 0", "give 1 or more");
}

// The distinct values of a column, spelled in their order, and the position of each row's; false if they are too many.
template <class T>
bool number_levels(const ColumnView& view, std::vector<std::string>& levels, std::vector<std::int32_t>& codes) {
  const auto value_of = [&](std::size_t row) {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(view.data) + row * view.stride, sizeof value);
    return value;
  };
  const auto missing = [&](std::size_t row) {
    return !view.present(row) || std::isnan(static_cast<double>(value_of(row)));
  };
  std::vector<T> distinct;
  for (std::size_t row = 0; row < view.size; ++row) {
    if (!missing(row)) distinct.push_back(value_of(row));
  }
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() > most_levels) return false;
  char text[number_text_bytes];
  for (const T value : distinct) levels.emplace_back(print_number(text, value));
  for (std::size_t row = 0; row < view.size; ++row) {
    if (missing(row)) continue;
    const auto at = std::lower_bound(distinct.begin(), distinct.end(), value_of(row));
    codes[row] = static_cast<std::int32_t>(at - distinct.begin());
  }
  return true;
}

// The columns that were asked for, and the weights, as views into a table.
class Projection {
 public:
  Projection(const Table& table, std::span<const std::uint32_t> columns)
      : table_(table), wanted_(columns.begin(), columns.end()) {
    views_.resize(table.schema().size());
    if (const auto weights = table.weight_column()) wanted_.push_back(*weights);
  }
  [[nodiscard]] const std::vector<std::uint32_t>& wanted() const { return wanted_; }
  [[nodiscard]] ColumnView& view(std::uint32_t column) { return views_[column]; }
  [[nodiscard]] RowBlock block(std::uint64_t first_row, std::size_t rows) const {
    RowBlock block{.first_row = first_row, .rows = rows, .columns = views_};
    if (const auto weights = table_.weight_column()) block.weights = views_[*weights];
    return block;
  }

 private:
  const Table& table_;
  std::vector<std::uint32_t> wanted_;
  std::vector<ColumnView> views_;
};

class TableStream : public BlockStream {
 public:
  TableStream(const Table& table, std::span<const std::uint32_t> columns, std::size_t block_rows)
      : table_(table), projection_(table, columns), block_rows_(block_rows) {}

  std::optional<RowBlock> next() override {
    if (row_ >= table_.rows()) return std::nullopt;
    const std::uint64_t global = table_.first_row() + row_;
    const std::size_t to_boundary = block_rows_ - static_cast<std::size_t>(global % block_rows_);
    const std::size_t count = std::min(to_boundary, table_.rows() - row_);
    for (const std::uint32_t column : projection_.wanted()) {
      projection_.view(column) = table_.column(column).slice(row_, count);
    }
    row_ += count;
    return projection_.block(global, count);
  }

 private:
  const Table& table_;
  Projection projection_;
  std::size_t block_rows_;
  std::size_t row_ = 0;
};

class PickedStream : public BlockStream {
 public:
  PickedStream(const Table& table, std::span<const std::uint64_t> rows, std::span<const std::uint32_t> columns,
               std::size_t block_rows)
      : table_(table), rows_(rows), projection_(table, columns), block_rows_(block_rows) {}

  std::optional<RowBlock> next() override {
    if (position_ >= rows_.size()) return std::nullopt;
    const auto ids = rows_.subspan(position_, std::min(block_rows_, rows_.size() - position_));
    std::vector<std::uint64_t> local(ids.begin(), ids.end());
    for (std::uint64_t& row : local) row -= table_.first_row();
    memory_.clear();
    for (const std::uint32_t column : projection_.wanted()) {
      memory_.push_back(gather(table_.column(column), local));
      projection_.view(column) = memory_.back().view;
    }
    position_ += ids.size();
    RowBlock block = projection_.block(ids.front(), ids.size());
    block.row_ids = ids;
    return block;
  }

 private:
  const Table& table_;
  std::span<const std::uint64_t> rows_;
  Projection projection_;
  std::size_t block_rows_;
  std::size_t position_ = 0;
  std::vector<Column> memory_;
};

}  // namespace

Table::Table(Schema schema, std::vector<Column> columns, std::vector<std::string> notes)
    : schema_(std::move(schema)), columns_(std::move(columns)), notes_(std::move(notes)) {
  if (columns_.size() != schema_.size()) {
    throw Error(ErrorKind::data, "a table needs one column for each name in its schema");
  }
  rows_ = columns_.empty() ? 0 : columns_.front().view.size;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const ColumnView& view = columns_[i].view;
    if (view.size != rows_) {
      throw Error(ErrorKind::data, "column " + printable(schema_[i].name) + " has " + std::to_string(view.size) +
                                       " rows, the first column has " + std::to_string(rows_));
    }
    if (view.type != schema_[i].type) {
      throw Error(ErrorKind::data, "column " + printable(schema_[i].name) + " holds another type than its schema says");
    }
    if (view.type == DType::categorical) {
      if (!schema_[i].dictionary) {
        throw Error(ErrorKind::data, "column " + printable(schema_[i].name) + " is categorical but has no levels");
      }
      columns_[i].view.dictionary = schema_[i].dictionary.get();
      const auto levels = static_cast<double>(schema_[i].dictionary->size());
      for (std::size_t row = 0; row < rows_; ++row) {
        if (view.number(row) >= levels) {
          throw Error(ErrorKind::data, "column " + printable(schema_[i].name) + " has a code without a level in row " +
                                           std::to_string(row));
        }
      }
    }
  }
  find_date_details();
}

void Table::find_date_details() {
  bool any = false;
  for (const ColumnInfo& info : schema_.columns()) any = any || info.dates;
  if (!any) return;
  std::vector<ColumnInfo> infos = schema_.columns();
  std::vector<double> values(rows_);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    DateKind& dates = infos[i].dates;
    // Who knows it already may know more rows than these.
    if (!dates || dates.detail != DateDetail::unknown) continue;
    read_numbers(columns_[i].view, values);
    dates.detail = detail_of(dates.unit, values);
  }
  schema_ = Schema(std::move(infos));
}

std::unique_ptr<BlockStream> Table::open(std::span<const std::uint32_t> columns, std::size_t block_rows) const {
  check_block_rows(block_rows);
  return std::make_unique<TableStream>(*this, columns, block_rows);
}

Table Table::select(std::span<const std::uint32_t> columns) const {
  std::vector<ColumnInfo> infos;
  std::vector<Column> kept;
  for (const std::uint32_t column : columns) {
    infos.push_back(schema_[column]);
    kept.push_back(columns_[column]);
  }
  Table table(Schema(std::move(infos)), std::move(kept), notes_);
  table.first_row_ = first_row_;
  table.row_labels_ = row_labels_;
  if (weight_column_) {
    const auto position = std::find(columns.begin(), columns.end(), *weight_column_);
    if (position != columns.end()) table.weight_column_ = static_cast<std::uint32_t>(position - columns.begin());
  }
  return table;
}

Table Table::slice(std::size_t first, std::size_t count) const {
  Table table = *this;
  for (Column& column : table.columns_) column.view = column.view.slice(first, count);
  table.rows_ = count;
  table.first_row_ = first_row_ + first;
  return table;
}

Table Table::with_weights(std::uint32_t column) const {
  const ColumnInfo& info = schema_[column];
  if (info.is_categorical()) {
    throw Error(ErrorKind::data, "weights: column " + printable(info.name) + " holds text, not numbers",
                "name a column of numbers, one weight per row");
  }
  double largest = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    const double weight = columns_[column].view.number(row);
    if (!(weight >= 0) || std::isinf(weight)) {
      throw Error(ErrorKind::data,
                  "weights: column " + printable(info.name) + " has a missing, negative or infinite value in row " +
                      std::to_string(first_row_ + row),
                  "weights are 0 or more: fill it in, or leave the row out");
    }
    largest = std::max(largest, weight);
  }
  if (largest == 0)
    throw Error(ErrorKind::data, "weights: column " + printable(info.name) + " is zero in every row",
                "name another column, or none: all rows then count the same");
  Table table = *this;
  table.weight_column_ = column;
  return table;
}

Table Table::with_unit(std::string_view column, std::string unit) const {
  std::vector<ColumnInfo> infos = schema_.columns();
  infos[schema_.require(column, "units")].unit = std::move(unit);
  Table table = *this;
  table.schema_ = Schema(std::move(infos));
  return table;
}

Table Table::with_first_row(std::uint64_t row) const {
  Table table = *this;
  table.first_row_ = row;
  return table;
}

Table Table::with_row_labels(std::shared_ptr<const RowLabels> labels) const {
  Table table = *this;
  table.row_labels_ = std::move(labels);
  return table;
}

Table Table::with_row_labels(std::uint32_t column) const {
  const ColumnInfo& info = schema_[column];
  // Numbers as they are spelled.
  const auto named = std::make_shared<const Table>(select(std::span(&column, 1)));
  auto labels = std::make_shared<RowLabels>();
  labels->name = info.name;
  labels->of = [named](std::uint64_t row) -> std::string {
    const ColumnView& view = named->column(0);
    const double value = view.number(row);
    if (std::isnan(value)) return {};
    const ColumnInfo& of = named->schema()[0];
    if (of.has_levels()) return of.level(static_cast<std::size_t>(value));
    char text[number_text_bytes];
    return std::string(with_type(view.type, [&](auto type) {
      decltype(type) own;
      std::memcpy(&own, static_cast<const std::byte*>(view.data) + row * view.stride, sizeof own);
      return print_number(text, own);
    }));
  };
  std::vector<std::uint32_t> others;
  for (std::uint32_t i = 0; i < schema_.size(); ++i) {
    if (i != column) others.push_back(i);
  }
  return select(others).with_row_labels(std::move(labels));
}

Table Table::with_schema(Schema schema) const {
  Table table(std::move(schema), columns_, notes_);
  table.first_row_ = first_row_;
  table.weight_column_ = weight_column_;
  table.row_labels_ = row_labels_;
  return table;
}

Table Table::with_categories(std::uint32_t column) const {
  const ColumnView& view = columns_[column].view;
  if (view.type == DType::categorical || view.type == DType::boolean) return *this;
  std::vector<std::string> levels;
  std::vector<std::int32_t> codes(rows_, -1);
  const bool few = with_type(view.type, [&](auto type) { return number_levels<decltype(type)>(view, levels, codes); });
  if (!few) return *this;
  std::vector<ColumnInfo> infos = schema_.columns();
  infos[column].type = DType::categorical;
  infos[column].dates = {};
  infos[column].dictionary = std::make_shared<Dictionary>(std::move(levels));
  Table table = *this;
  table.columns_[column] = column_of(std::move(codes), infos[column].dictionary.get());
  table.schema_ = Schema(std::move(infos));
  return table;
}

Table Table::load(const Source& source, const Context* context) {
  if (const Table* table = source.table()) return *table;
  const Schema& schema = source.schema();
  const std::size_t width = schema.size();
  std::vector<std::uint32_t> all(width);
  for (std::size_t i = 0; i < width; ++i) all[i] = static_cast<std::uint32_t>(i);

  // Grown with realloc, which moves large blocks by remapping pages: the peak stays near the table's size.
  struct Growing {
    void* data = nullptr;
    std::vector<std::uint8_t> valid;
    ~Growing() { std::free(data); }
  };
  std::vector<std::shared_ptr<Growing>> memory(width);
  for (auto& column : memory) column = std::make_shared<Growing>();
  std::size_t rows = 0;
  std::size_t capacity = 0;
  const std::size_t expected = static_cast<std::size_t>(source.row_count().value_or(0));
  // Blocks of a few megabytes: in a wide table a block of many rows would be as large as the table.
  std::size_t row_bytes = 1;
  for (const ColumnInfo& info : schema.columns()) row_bytes += size_of(info.type);
  const std::size_t block_rows = std::clamp((std::size_t{16} << 20) / row_bytes, std::size_t{2048}, std::size_t{65536});
  const auto stream = source.open(all, block_rows);
  while (const auto block = stream->next()) {
    if (context != nullptr) context->report({"reading the data", rows, 0});
    if (rows + block->rows > capacity) {
      capacity = std::max({rows + block->rows, capacity + capacity / 2, expected});
      for (std::size_t i = 0; i < width; ++i) {
        void* grown = std::realloc(memory[i]->data, capacity * size_of(schema[i].type));
        if (grown == nullptr) throw Error(ErrorKind::data, "not enough memory for the table");
        memory[i]->data = grown;
      }
    }
    for (std::size_t i = 0; i < width; ++i) {
      const ColumnView& view = block->columns[i];
      const std::size_t bytes = size_of(view.type);
      auto* target = static_cast<std::byte*>(memory[i]->data) + rows * bytes;
      const auto* from = static_cast<const std::byte*>(view.data);
      for (std::size_t r = 0; r < block->rows && view.stride != bytes; ++r) {
        std::memcpy(target + r * bytes, from + r * view.stride, bytes);
      }
      if (view.stride == bytes) std::memcpy(target, from, block->rows * bytes);
      auto& valid = memory[i]->valid;
      if (view.valid == nullptr && valid.empty()) continue;
      if (valid.size() < (rows + block->rows + 7) / 8) valid.resize((rows + block->rows + 7) / 8, 0xFF);
      for (std::size_t r = 0; r < block->rows; ++r) {
        const std::size_t bit = rows + r;
        if (!view.present(r)) valid[bit / 8] &= static_cast<std::uint8_t>(~(1U << (bit % 8)));
      }
    }
    rows += block->rows;
  }
  std::vector<Column> columns;
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t bytes = size_of(schema[i].type);
    if (!memory[i]->valid.empty()) memory[i]->valid.resize((rows + 7) / 8, 0xFF);
    columns.push_back({.view = {.type = schema[i].type,
                                .data = memory[i]->data,
                                .valid = memory[i]->valid.empty() ? nullptr : memory[i]->valid.data(),
                                .size = rows,
                                .stride = bytes},
                       .owner = memory[i]});
  }
  return Table(schema, std::move(columns), source.notes());
}

PickedRows::PickedRows(std::shared_ptr<const Table> table, std::vector<std::uint64_t> rows)
    : table_(std::move(table)), rows_(std::move(rows)) {
  for (const std::uint64_t row : rows_) {
    if (row < table_->first_row() || row - table_->first_row() >= table_->rows()) {
      throw Error(ErrorKind::usage, "there is no row " + std::to_string(row),
                  "rows are counted from 0; the data have " + std::to_string(table_->rows()));
    }
  }
}

std::unique_ptr<BlockStream> PickedRows::open(std::span<const std::uint32_t> columns, std::size_t block_rows) const {
  check_block_rows(block_rows);
  return std::make_unique<PickedStream>(*table_, rows_, columns, block_rows);
}

std::vector<std::uint64_t> sample_rows(std::vector<std::uint64_t> rows, std::uint64_t size, std::uint64_t seed,
                                       std::uint64_t stream) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> keys;
  keys.reserve(rows.size());
  for (const std::uint64_t row : rows) keys.emplace_back(random_bits(seed, stream, row), row);
  const auto count = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(size, rows.size()));
  std::nth_element(keys.begin(), keys.begin() + (count > 0 ? count - 1 : 0), keys.end());
  rows.clear();
  for (std::ptrdiff_t i = 0; i < count; ++i) rows.push_back(keys[static_cast<std::size_t>(i)].second);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace sightglass
