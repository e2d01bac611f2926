// Tables over the memory of Python's arrays. The package takes containers apart; here arrive plain columns.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bindings.h"
#include "buffer.h"
#include "interrupt.h"
#include "sightglass/data/arrow/arrow_import.h"
#include "sightglass/data/scan/scan.h"

namespace sightglass {

namespace {

// A column as the package hands it over.
struct ColumnParts {
  std::string name;
  nb::object values;                               // numbers, or codes of levels
  nb::object missing;                              // None, or one byte per row: 1 = missing
  std::optional<std::vector<std::string>> levels;  // of a categorical column
  bool ordered = false;
  bool dates = false;  // numbers are seconds since 1970
  bool zoned = false;  // of some time zone, and told in UTC
};

struct BorrowedColumn {
  std::unique_ptr<Buffer> values;
  std::vector<std::uint8_t> valid;
  std::vector<std::int32_t> codes;  // only where the codes had to be widened
};

std::vector<std::uint8_t> bits_of(nb::handle missing, std::size_t rows, const std::string& name) {
  const Buffer bytes(missing, Buffer::Access::read, "column " + printable(name));
  if (bytes.dimensions() != 1 || bytes.length(0) != rows)
    throw Error(ErrorKind::data, "column " + printable(name) + ": marks of missing values are of another length");
  std::vector<std::uint8_t> bits((rows + 7) / 8, 0);
  const auto* mark = static_cast<const char*>(bytes.data());
  for (std::size_t row = 0; row < rows; ++row, mark += bytes.stride(0)) {
    if (*mark == 0) bits[row / 8] |= static_cast<std::uint8_t>(1U << (row % 8));
  }
  return bits;
}

// Codes are int32; pandas prefers the smallest type that fits.
void widen_codes(ColumnView& view, BorrowedColumn& memory, std::size_t levels, const std::string& name) {
  const bool borrowed = view.type == DType::int32;
  if (!borrowed) memory.codes.resize(view.size);
  for (std::size_t row = 0; row < view.size; ++row) {
    const double code = view.number(row);
    if (!(code >= -1) || code >= static_cast<double>(levels))
      throw Error(ErrorKind::data, "column " + printable(name) + ": row " + std::to_string(row) + " has no level");
    if (!borrowed) memory.codes[row] = static_cast<std::int32_t>(code);
  }
  if (!borrowed) {
    view.data = memory.codes.data();
    view.stride = sizeof(std::int32_t);
  }
  view.type = DType::categorical;
}

std::pair<ColumnInfo, Column> column_from(const ColumnParts& parts) {
  auto memory = std::make_shared<BorrowedColumn>();
  memory->values = std::make_unique<Buffer>(parts.values, Buffer::Access::read, "column " + printable(parts.name));
  const auto type = memory->values->type();
  if (!type || memory->values->dimensions() != 1 || memory->values->stride(0) < 0)
    throw Error(ErrorKind::data, "column " + printable(parts.name) + ": cannot read this kind of values");
  ColumnView view{.type = *type,
                  .data = memory->values->data(),
                  .size = memory->values->length(0),
                  .stride = static_cast<std::size_t>(memory->values->stride(0))};
  ColumnInfo info{.name = parts.name, .type = *type};
  if (parts.dates) info.dates.unit = DateUnit::seconds;
  if (parts.zoned) info.unit = "UTC";
  if (parts.levels) {
    info.dictionary = std::make_shared<const Dictionary>(*parts.levels, parts.ordered);
    info.type = DType::categorical;
    widen_codes(view, *memory, parts.levels->size(), parts.name);
    view.dictionary = info.dictionary.get();
  }
  if (!parts.missing.is_none()) {
    memory->valid = bits_of(parts.missing, view.size, parts.name);
    view.valid = memory->valid.data();
  }
  return {std::move(info), Column{.view = view, .owner = std::move(memory)}};
}

ColumnParts parts_from(const nb::handle& item) {
  ColumnParts parts{.name = nb::cast<std::string>(item.attr("name")),
                    .values = item.attr("values"),
                    .missing = item.attr("missing"),
                    .ordered = nb::cast<bool>(item.attr("ordered")),
                    .dates = nb::cast<bool>(item.attr("dates")),
                    .zoned = nb::cast<bool>(item.attr("zoned"))};
  if (const nb::object levels = item.attr("levels"); !levels.is_none())
    parts.levels = nb::cast<std::vector<std::string>>(levels);
  return parts;
}

TableHandle with_columns(const Table& table, const nb::list& added) {
  std::vector<ColumnInfo> infos = table.schema().columns();
  std::vector<Column> columns = table.columns();
  for (const nb::handle item : added) {
    auto [info, column] = column_from(parts_from(item));
    infos.push_back(std::move(info));
    columns.push_back(std::move(column));
  }
  return {std::make_shared<const Table>(Schema(std::move(infos)), std::move(columns), table.notes())};
}

// The same columns under other names.
TableHandle with_names(const TableHandle& given, const std::vector<std::string>& names) {
  std::vector<ColumnInfo> infos = given.table->schema().columns();
  if (names.size() != infos.size()) throw Error(ErrorKind::internal, "not one name for each column");
  for (std::size_t i = 0; i < names.size(); ++i) infos[i].name = names[i];
  return {std::make_shared<const Table>(Schema(std::move(infos)), given.table->columns(), given.table->notes())};
}

TableHandle from_columns(const nb::list& columns, std::vector<std::string> notes) {
  return with_columns(Table(Schema(), {}, std::move(notes)), columns);
}

// Anything with an Arrow stream: the capsule of the PyCapsule interface.
TableHandle from_arrow(const nb::object& data) {
  const nb::object capsule = data.attr("__arrow_c_stream__")();
  void* stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
  if (stream == nullptr) throw nb::python_error();
  // Producers may need the GIL to go on (a relation of DuckDB does); those that do take it themselves.
  const nb::gil_scoped_release no_gil;
  return {std::make_shared<const Table>(import_arrow_stream(static_cast<ArrowArrayStream*>(stream)))};
}

struct CsvDatesHandle {
  std::shared_ptr<CsvDates> dates;
};

// CSV, Parquet, JSON lines or a DuckDB file, read by the engine itself.
TableHandle from_file(const std::string& path, const CsvDatesHandle& given) {
  StoppableContext context(1);
  const std::shared_ptr<CsvDates> dates = given.dates;
  const nb::gil_scoped_release no_gil;
  return {std::make_shared<const Table>(scan_table({.path = path, .csv_dates = dates}, *context))};
}

// The numbers of a column, or codes of its levels; what is missing is nan.
nb::tuple column_values(const TableHandle& given, const std::string& name) {
  const Table& table = *given.table;
  const std::uint32_t column = table.schema().require(name, "columns");
  auto values = std::make_unique<std::vector<double>>(table.rows());
  read_numbers(table.column(column), *values);
  double* data = values->data();
  const std::size_t rows = values->size();
  const nb::capsule owner(values.release(),
                          [](void* memory) noexcept { delete static_cast<std::vector<double>*>(memory); });
  nb::object levels = nb::none();
  if (const auto& dictionary = table.schema()[column].dictionary) levels = nb::cast(dictionary->levels());
  return nb::make_tuple(nb::ndarray<nb::numpy, double, nb::ndim<1>>(data, {rows}, owner), levels);
}

// A copy of some of the rows, in the order given; a column of weights is then one like any other.
TableHandle picked(const TableHandle& given, const std::vector<std::uint64_t>& rows) {
  return {std::make_shared<const Table>(Table::load(PickedRows(given.table, rows)))};
}

nb::list describe_columns(const Table& table) {
  nb::list columns;
  for (const ColumnInfo& info : table.schema().columns()) {
    nb::object levels = nb::none();
    if (info.dictionary) levels = nb::cast(info.dictionary->levels());
    columns.append(nb::make_tuple(info.name, std::string(to_string(info.type)), levels));
  }
  return columns;
}

}  // namespace

void bind_table(nb::module_& module) {
  // How dates are written in CSV files that belong together, of which the first says it.
  nb::class_<CsvDatesHandle>(module, "CsvDates").def("__init__", [](CsvDatesHandle* self, bool first) {
    new (self) CsvDatesHandle{std::make_shared<CsvDates>(CsvDates{.first = first})};
  });
  nb::class_<TableHandle>(module, "Table")
      .def_static("from_columns", &from_columns, nb::arg("columns"), nb::arg("notes"))
      .def_static("from_arrow", &from_arrow, nb::arg("data"))
      .def_static("from_file", &from_file, nb::arg("path"), nb::arg("dates"))
      .def(
          "with_columns",
          [](const TableHandle& self, const nb::list& columns) { return with_columns(*self.table, columns); },
          nb::arg("columns"))
      .def(
          "with_weights",
          [](const TableHandle& self, const std::string& column) {
            const Table& table = *self.table;
            return TableHandle{
                std::make_shared<const Table>(table.with_weights(table.schema().require(column, "weights")))};
          },
          nb::arg("column"))
      .def(
          "without",
          [](const TableHandle& self, const std::string& column) {
            const std::uint32_t index = self.table->schema().require(column, "columns");
            std::vector<std::uint32_t> others;
            for (std::uint32_t i = 0; i < self.table->schema().size(); ++i) {
              if (i != index) others.push_back(i);
            }
            return TableHandle{std::make_shared<const Table>(self.table->select(others))};
          },
          nb::arg("column"))
      // What rows are called: by a function of their place, or by a column, which is left out then.
      .def(
          "with_row_labels",
          [](const TableHandle& self, const std::string& name, nb::object of) {
            // Called and dropped wherever the engine does, mostly without the interpreter's lock.
            const std::shared_ptr<nb::object> kept(new nb::object(std::move(of)), [](nb::object* object) {
              const nb::gil_scoped_acquire gil;
              delete object;
            });
            auto labels = std::make_shared<RowLabels>();
            labels->name = name;
            labels->of = [kept](std::uint64_t row) {
              const nb::gil_scoped_acquire gil;
              return nb::cast<std::string>((*kept)(row));
            };
            return TableHandle{std::make_shared<const Table>(self.table->with_row_labels(std::move(labels)))};
          },
          nb::arg("name"), nb::arg("of"))
      .def(
          "with_row_ids",
          [](const TableHandle& self, const std::string& column) {
            return TableHandle{std::make_shared<const Table>(
                self.table->with_row_labels(self.table->schema().require(column, "ids")))};
          },
          nb::arg("column"))
      .def(
          "row_label", [](const TableHandle& self, std::uint64_t row) { return self.table->row_labels()->of(row); },
          nb::arg("row"))
      .def_prop_ro("has_row_labels", [](const TableHandle& self) { return self.table->row_labels() != nullptr; })
      .def("column", &column_values, nb::arg("name"))
      .def("picked", &picked, nb::arg("rows"))
      .def("with_names", &with_names, nb::arg("names"))
      .def(
          "with_unit",
          [](const TableHandle& self, const std::string& column, std::string unit) {
            return TableHandle{std::make_shared<const Table>(self.table->with_unit(column, std::move(unit)))};
          },
          nb::arg("column"), nb::arg("unit"))
      .def_prop_ro("rows", [](const TableHandle& self) { return self.table->rows(); })
      .def_prop_ro("notes", [](const TableHandle& self) { return self.table->notes(); })
      .def_prop_ro("columns", [](const TableHandle& self) { return describe_columns(*self.table); });
}

}  // namespace sightglass
