#include "sightglass/data/scan/scan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/data/scan/relation_internal.h"
#include "sightglass/data/scan/value_reader_internal.h"

namespace sightglass {

namespace {

// One column of the block that is being filled.
struct BlockColumn {
  std::vector<std::byte> values;
  std::vector<std::uint8_t> present;  // a byte for each row while filling
  std::vector<std::uint8_t> bits;     // the same as bits, if a row is missing
};

class ScanStream : public BlockStream {
 public:
  // `readers` are the columns to fill, `positions` where the result has them, `places` where the block does.
  ScanStream(std::unique_ptr<ResultStream> result, std::vector<ValueReader> readers, std::vector<std::size_t> positions,
             std::vector<std::uint32_t> places, std::size_t width, std::size_t block_rows)
      : result_(std::move(result)),
        readers_(std::move(readers)),
        positions_(std::move(positions)),
        places_(std::move(places)),
        block_rows_(block_rows),
        columns_(readers_.size()),
        views_(width) {}

  std::optional<RowBlock> next() override {
    std::size_t rows = 0;
    while (rows < block_rows_) {
      if (taken_ == available_) {
        taken_ = 0;
        available_ = !ended_ && result_->next() ? result_->rows() : 0;
        ended_ = available_ == 0;
        if (ended_) break;
      }
      const std::size_t count = std::min(block_rows_ - rows, available_ - taken_);
      for (std::size_t i = 0; i < readers_.size(); ++i) append(i, rows, count);
      rows += count;
      taken_ += count;
    }
    if (rows == 0) return std::nullopt;
    for (std::size_t i = 0; i < readers_.size(); ++i) views_[places_[i]] = view(i, rows);
    const RowBlock block{.first_row = row_, .rows = rows, .columns = views_};
    row_ += rows;
    return block;
  }

 private:
  void append(std::size_t i, std::size_t rows, std::size_t count) {
    BlockColumn& column = columns_[i];
    ValueReader& reader = readers_[i];
    const std::size_t bytes = size_of(reader.type());
    // Sizes stay what they were in the block before: only the first block grows.
    if (column.values.size() < (rows + count) * bytes) column.values.resize((rows + count) * bytes);
    if (column.present.size() < rows + count) column.present.resize(rows + count);
    std::fill_n(column.present.begin() + static_cast<std::ptrdiff_t>(rows), count, std::uint8_t{1});
    reader.read(result_->data(positions_[i]), result_->validity(positions_[i]), taken_, count,
                column.values.data() + rows * bytes, column.present.data() + rows, row_ + rows);
  }

  ColumnView view(std::size_t i, std::size_t rows) {
    BlockColumn& column = columns_[i];
    const ValueReader& reader = readers_[i];
    const auto end = column.present.begin() + static_cast<std::ptrdiff_t>(rows);
    const bool complete = std::find(column.present.begin(), end, std::uint8_t{0}) == end;
    column.bits.assign(complete ? 0 : (rows + 7) / 8, 0);
    for (std::size_t row = 0; row < rows && !complete; ++row) {
      column.bits[row / 8] |= static_cast<std::uint8_t>(column.present[row] << (row % 8));
    }
    return {.type = reader.type(),
            .data = column.values.data(),
            .valid = complete ? nullptr : column.bits.data(),
            .size = rows,
            .stride = size_of(reader.type()),
            .dictionary = reader.dictionary().get()};
  }

  std::unique_ptr<ResultStream> result_;
  std::vector<ValueReader> readers_;
  std::vector<std::size_t> positions_;
  std::vector<std::uint32_t> places_;
  std::size_t block_rows_;
  std::vector<BlockColumn> columns_;
  std::vector<ColumnView> views_;
  std::uint64_t row_ = 0;
  std::size_t available_ = 0;  // rows in the result's current chunk
  std::size_t taken_ = 0;      // of which are already in a block
  bool ended_ = false;
};

class ScanSource : public Source {
 public:
  explicit ScanSource(const ScanOptions& options)
      : context_(options.context),
        relation_(options, open_data_file(options.path)),
        notes_(relation_.notes()),
        rows_(relation_.rows()) {
    for (const ResultColumn& column : relation_.columns()) readers_.emplace_back(column);
    overrule(options);
    look_at_rows();
    relation_.settle();
    build_schema();
  }

  [[nodiscard]] const Schema& schema() const override { return schema_; }
  [[nodiscard]] std::optional<std::uint64_t> row_count() const override { return rows_; }
  [[nodiscard]] const std::vector<std::string>& notes() const override { return notes_; }

  [[nodiscard]] std::unique_ptr<BlockStream> open(std::span<const std::uint32_t> columns,
                                                  std::size_t block_rows) const override {
    if (block_rows == 0) throw Error(ErrorKind::internal, "a block needs at least one row");
    std::vector<std::uint32_t> places(columns.begin(), columns.end());
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::vector<ValueReader> readers;
    std::vector<std::uint32_t> wanted;
    for (const std::uint32_t place : places) {
      wanted.push_back(kept_.at(place));
      readers.push_back(readers_[kept_[place]]);
    }
    return std::make_unique<ScanStream>(relation_.open(wanted), std::move(readers), positions(wanted),
                                        std::move(places), schema_.size(), block_rows);
  }

 private:
  // Where a result over these columns has each of them.
  [[nodiscard]] std::vector<std::size_t> positions(const std::vector<std::uint32_t>& columns) const {
    std::vector<std::size_t> positions(columns.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    if (relation_.is_query()) positions.assign(columns.begin(), columns.end());
    return positions;
  }

  void overrule(const ScanOptions& options) {
    std::vector<ColumnInfo> infos;
    for (const ValueReader& reader : readers_) infos.push_back({.name = reader.column().name});
    const Schema all(std::move(infos));
    for (const std::string& name : options.categorical) {
      if (std::find(options.numeric.begin(), options.numeric.end(), name) != options.numeric.end()) {
        throw Error(ErrorKind::usage, "column " + printable(name) + " is asked for both as categorical and as numeric",
                    "choose one");
      }
      ValueReader& reader = readers_[all.require(name, "categorical")];
      require_readable(reader);
      reader.force_levels();
      requested_.push_back(name);
    }
    for (const std::string& name : options.categorical_if_present) {
      const auto column = all.find(name);
      if (column && readers_[*column].reading() != Reading::left_out) {
        readers_[*column].force_levels();
        expected_.push_back(name);
      }
    }
    for (const std::string& name : options.numeric) {
      ValueReader& reader = readers_[all.require(name, "numeric")];
      require_readable(reader);
      reader.force_numbers();
    }
  }

  static void require_readable(const ValueReader& reader) {
    if (reader.reading() == Reading::left_out) {
      throw Error(ErrorKind::data, "column " + printable(reader.column().name) + " holds lists, records or bytes",
                  "turn it into plain columns with a query");
    }
  }

  // The first pass: are there rows, which levels do the columns have, is all text that should be numbers so?
  void look_at_rows() {
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t i = 0; i < readers_.size(); ++i) {
      const Reading reading = readers_[i].reading();
      if (reading == Reading::levels || reading == Reading::text_number) wanted.push_back(i);
    }
    std::vector<LevelCollector> collectors(wanted.size());
    const std::vector<std::size_t> where = positions(wanted);
    const auto rows = relation_.open(wanted);
    std::uint64_t count = 0;
    std::vector<std::byte> scratch;
    std::vector<std::uint8_t> present;
    while (rows->next()) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        ValueReader& reader = readers_[wanted[i]];
        const void* data = rows->data(where[i]);
        const std::uint64_t* valid = rows->validity(where[i]);
        if (reader.reading() == Reading::text_number) {
          scratch.resize(rows->rows() * sizeof(double));
          present.resize(rows->rows());
          reader.read(data, valid, 0, rows->rows(), scratch.data(), present.data(), count);
          continue;
        }
        for (std::size_t row = 0; row < rows->rows(); ++row) {
          if (const auto text = reader.text(data, valid, row)) collectors[i].add(*text);
        }
      }
      count += rows->rows();
      if (context_ != nullptr) context_->check();
      if (wanted.empty()) break;
    }
    if (count == 0) {
      throw Error(ErrorKind::data,
                  relation_.is_query() ? "the query gives no rows" : relation_.file().shown + " has no rows",
                  relation_.is_query() ? "check its conditions" : "it needs at least one row behind the column names");
    }
    if (!wanted.empty()) rows_ = count;
    for (std::size_t i = 0; i < wanted.size(); ++i) settle_levels(readers_[wanted[i]], collectors[i]);
  }

  void settle_levels(ValueReader& reader, const LevelCollector& collector) {
    if (reader.reading() != Reading::levels) return;
    const std::string name = "column " + printable(reader.column().name);
    const bool requested = std::find(requested_.begin(), requested_.end(), reader.column().name) != requested_.end();
    if (collector.is_full()) {
      const std::string what = name + " has more than " + std::to_string(most_levels) + " levels";
      if (requested) throw Error(ErrorKind::data, what, "group them with a query, or leave the column out");
      notes_.push_back(what + " and is left out; group them with a query to use it");
      reader.leave_out();
      return;
    }
    std::vector<std::string> levels = collector.sorted(reader.has_numeric_levels());
    if (reader.column().type == DUCKDB_TYPE_BOOLEAN) levels = {"false", "true"};
    const bool expected = std::find(expected_.begin(), expected_.end(), reader.column().name) != expected_.end();
    if (levels.empty() && relation_.is_inferred() && !requested && !expected) {
      notes_.push_back(name + " has no values");
      reader.set_missing();
      return;
    }
    reader.set_levels(std::move(levels));
  }

  void build_schema() {
    std::vector<ColumnInfo> infos;
    for (std::uint32_t i = 0; i < readers_.size(); ++i) {
      const ValueReader& reader = readers_[i];
      const std::string name = "column " + printable(reader.column().name);
      if (reader.reading() == Reading::left_out) {
        if (!reader.is_text()) notes_.push_back(name + " is left out: it holds lists, records or bytes");
        continue;
      }
      if (reader.reading() == Reading::number && reader.time_kind() != TimeKind::none) {
        notes_.push_back(name + " became a number: " + std::string(becomes(reader.time_kind())));
      }
      kept_.push_back(i);
      const bool dates = reader.reading() == Reading::number;
      infos.push_back({.name = reader.column().name,
                       .type = reader.type(),
                       .dictionary = reader.dictionary(),
                       .dates = {.unit = dates ? date_unit(reader.time_kind()) : DateUnit::none}});
      if (dates && reader.column().type == DUCKDB_TYPE_TIMESTAMP_TZ) infos.back().unit = "UTC";
    }
    if (infos.empty()) throw Error(ErrorKind::data, relation_.file().shown + " has no column that can be used");
    schema_ = Schema(std::move(infos));
  }

  const Context* context_;
  Relation relation_;
  std::vector<ValueReader> readers_;    // of all columns of the relation
  std::vector<std::uint32_t> kept_;     // the relation's column behind each column of the schema
  std::vector<std::string> requested_;  // as categorical
  std::vector<std::string> expected_;   // as categorical, if they are there
  Schema schema_;
  std::vector<std::string> notes_;
  std::optional<std::uint64_t> rows_;
};

}  // namespace

std::unique_ptr<Source> scan(const ScanOptions& options) { return std::make_unique<ScanSource>(options); }

}  // namespace sightglass
