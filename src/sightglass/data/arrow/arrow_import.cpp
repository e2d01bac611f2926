#include "sightglass/data/arrow/arrow_import.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/data/arrow/arrow_columns_internal.h"

namespace sightglass {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// A struct of the interface that is ours to release.
template <class T>
struct Owned {
  T value{};
  Owned() = default;
  ~Owned() {
    if (value.release != nullptr) value.release(&value);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
};

struct Chunks {
  std::shared_ptr<Owned<ArrowSchema>> schema = std::make_shared<Owned<ArrowSchema>>();
  std::vector<std::shared_ptr<Owned<ArrowArray>>> arrays;  // none of them empty
  std::size_t rows = 0;
};

Chunks read_stream(ArrowArrayStream* stream) {
  if (stream == nullptr || stream->release == nullptr) {
    throw Error(ErrorKind::data, "the Arrow stream was already read", "make a new one from the table");
  }
  Owned<ArrowArrayStream> owned;
  owned.value = *stream;
  stream->release = nullptr;
  const auto check = [&](int code, const char* what) {
    if (code == 0) return;
    const char* reason = owned.value.get_last_error == nullptr ? nullptr : owned.value.get_last_error(&owned.value);
    throw Error(ErrorKind::data, std::string("an Arrow stream failed while giving its ") + what + ": " +
                                     printable(reason == nullptr ? "no reason given" : reason, 300));
  };
  if (owned.value.get_schema == nullptr || owned.value.get_next == nullptr) {
    throw Error(ErrorKind::data, "an Arrow stream without functions");
  }
  Chunks chunks;
  check(owned.value.get_schema(&owned.value, &chunks.schema->value), "schema");
  const ArrowSchema& schema = chunks.schema->value;
  if (schema.release == nullptr || schema.format == nullptr || std::string_view(schema.format) != "+s") {
    throw Error(ErrorKind::data, "the Arrow data are no table", "give a table with named columns");
  }
  if (schema.n_children < 0 || (schema.n_children > 0 && schema.children == nullptr)) {
    throw Error(ErrorKind::data, "an Arrow table with an impossible number of columns");
  }
  while (true) {
    auto array = std::make_shared<Owned<ArrowArray>>();
    check(owned.value.get_next(&owned.value, &array->value), "rows");
    if (array->value.release == nullptr) break;
    if (array->value.n_children != schema.n_children || (schema.n_children > 0 && array->value.children == nullptr)) {
      throw Error(ErrorKind::data, "an Arrow chunk has another number of columns than its table");
    }
    ArrowField table;
    table.name = "(the table)";
    const auto length = static_cast<std::size_t>(std::max<std::int64_t>(array->value.length, 0));
    const ArrowPiece piece = check_array(table, &array->value, 0, length);
    if (array->value.null_count != 0 && array->value.n_buffers > 0 && array->value.buffers != nullptr) {
      ArrowPiece rows = piece;
      rows.valid = static_cast<const std::uint8_t*>(array->value.buffers[0]);
      for (std::size_t row = 0; row < rows.rows; ++row) {
        if (!rows.present(row)) throw Error(ErrorKind::data, "an Arrow table in which whole rows are null");
      }
    }
    if (length == 0) continue;
    chunks.rows += length;
    chunks.arrays.push_back(std::move(array));
  }
  return chunks;
}

// Names of columns that met the same fate, for one note.
class Notes {
 public:
  void add(const std::string& fate, const std::string& column) {
    for (auto& [known, columns] : fates_) {
      if (known == fate) return columns.push_back(column);
    }
    fates_.push_back({fate, {column}});
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const auto& [fate, columns] : fates_) {
      std::string line = columns.size() == 1 ? "column " : "columns ";
      for (std::size_t i = 0; i < columns.size() && i < 6; ++i) line += (i > 0 ? ", " : "") + printable(columns[i], 40);
      if (columns.size() > 6) line += ", … (" + std::to_string(columns.size()) + " in all)";
      lines.push_back(line + (columns.size() == 1 ? " was " : " were ") + fate);
    }
    return lines;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> fates_;
};

struct Import {
  const ImportOptions& options;
  const Chunks& chunks;
  Notes notes;
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;

  static bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  void keep(const ArrowField& field, Column column) {
    infos.push_back({.name = field.name,
                     .type = column.view.type,
                     .unit = field.unit,
                     .dates = {.unit = date_unit(field.time_kind)}});
    if (field.zoned && field.unit.empty()) infos.back().unit = "UTC";
    columns.push_back(std::move(column));
  }

  void keep(const ArrowField& field, Coded coded) {
    auto dictionary = std::make_shared<Dictionary>(std::move(coded.levels), coded.ordered);
    infos.push_back({.name = field.name, .type = DType::categorical, .dictionary = dictionary, .unit = field.unit});
    columns.push_back(std::move(coded.column));
  }

  void keep_levels(const ArrowField& field, std::optional<Coded> coded) {
    if (coded && has(options.numeric, field.name)) return keep(field, numbers_of_levels(*coded, field.name));
    if (coded) return keep(field, std::move(*coded));
    const std::string many = "more than " + std::to_string(most_levels) + " levels";
    if (has(options.categorical, field.name)) {
      throw Error(ErrorKind::data, "column " + printable(field.name) + " has " + many, "group them first");
    }
    notes.add("left out: " + many, field.name);
  }

  void keep_numbers(const ArrowField& field, Column column) {
    if (has(options.categorical, field.name)) return keep_levels(field, levels_of_numbers(column, field.time_kind));
    if (has(options.numeric, field.name) && column.view.type == DType::boolean) column.view.type = DType::uint8;
    keep(field, std::move(column));
  }

  void add(const ArrowField& field, const Pieces& pieces) {
    const std::string copied = "copied (" + std::to_string(pieces.size()) + " chunks)";
    std::shared_ptr<const void> owner;
    if (pieces.size() == 1) owner = chunks.arrays[0];
    switch (field.kind) {
      case ArrowKind::nothing:
        notes.add("empty", field.name);
        return keep(field, column_of(std::vector<double>(chunks.rows, not_a_number)));
      case ArrowKind::number:
        if (pieces.size() == 1) return keep_numbers(field, borrow_numbers(field, pieces[0], owner));
        if (pieces.size() > 1) notes.add(copied, field.name);
        return keep_numbers(field, copy_numbers(field, pieces));
      case ArrowKind::boolean:
        notes.add("copied (bits became bytes)", field.name);
        return keep_numbers(field, copy_bits(pieces));
      case ArrowKind::half:
        notes.add("copied (half floats became floats)", field.name);
        return keep_numbers(field, convert_halves(pieces));
      case ArrowKind::decimal:
        notes.add("copied (decimals became float64)", field.name);
        return keep_numbers(field, convert_numbers(field, pieces));
      case ArrowKind::time:
        notes.add("turned into numbers: " + std::string(becomes(field.time_kind)), field.name);
        return keep_numbers(field, convert_numbers(field, pieces));
      case ArrowKind::text: return keep_levels(field, code_text(field, pieces));
      case ArrowKind::dictionary: {
        bool was_copied = false;
        auto coded = pieces.empty()
                         ? Coded{.ordered = field.ordered, .column = column_of(std::vector<std::int32_t>(), nullptr)}
                         : code_dictionary(field, pieces, owner, was_copied);
        if (was_copied && pieces.size() > 1) notes.add(copied, field.name);
        return keep_levels(field, std::move(coded));
      }
      case ArrowKind::other: break;
    }
    if (has(options.categorical, field.name) || has(options.numeric, field.name)) {
      throw Error(ErrorKind::data, "column " + printable(field.name) + " holds lists, records or bytes",
                  "turn it into plain columns first");
    }
    notes.add("left out: lists, records or bytes", field.name);
  }
};

void check_options(const ImportOptions& options, const std::vector<ArrowField>& fields) {
  std::vector<ColumnInfo> infos;
  for (const ArrowField& field : fields) infos.push_back({.name = field.name});
  const Schema all(std::move(infos));  // refuses a name that comes twice
  for (const std::string& name : options.numeric) (void)all.require(name, "numeric");
  for (const std::string& name : options.categorical) {
    (void)all.require(name, "categorical");
    if (Import::has(options.numeric, name)) {
      throw Error(ErrorKind::usage, "column " + printable(name) + " is asked for both as categorical and as numeric",
                  "choose one");
    }
  }
}

}  // namespace

Table import_arrow_stream(ArrowArrayStream* stream, const ImportOptions& options) {
  const Chunks chunks = read_stream(stream);
  const ArrowSchema& schema = chunks.schema->value;
  std::vector<ArrowField> fields;
  for (std::int64_t i = 0; i < schema.n_children; ++i) fields.push_back(read_field(schema.children[i]));
  check_options(options, fields);
  Import import{.options = options, .chunks = chunks};
  for (std::size_t column = 0; column < fields.size(); ++column) {
    Pieces pieces;
    for (const auto& array : chunks.arrays) {
      const ArrowArray& table = array->value;
      // A slice of a table may be in the offset of the table itself.
      pieces.push_back(check_array(fields[column], table.children[column], static_cast<std::size_t>(table.offset),
                                   static_cast<std::size_t>(table.length)));
    }
    import.add(fields[column], pieces);
  }
  if (import.infos.empty()) throw Error(ErrorKind::data, "the Arrow table has no column that can be used");
  return Table(Schema(std::move(import.infos)), std::move(import.columns), import.notes.lines());
}

}  // namespace sightglass
