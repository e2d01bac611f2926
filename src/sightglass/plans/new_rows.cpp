#include "sightglass/plans/new_rows.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/data/scan/scan.h"
#include "sightglass/plans/given_options.h"

namespace sightglass {

namespace {

constexpr std::uint64_t drawn_stream = 0x6e65'7772'6f77;  // "newrow"

std::shared_ptr<const Table> in_memory(const Source& source, const Context& context) {
  if (const Table* table = source.table()) return {std::shared_ptr<const void>(), table};
  return std::make_shared<Table>(Table::load(source, &context));
}

std::string text_of(const Value& told, const char* name) {
  const Value* value = told.find(name);
  if (value == nullptr || value->is_null()) return {};
  if (!value->is_string() || value->as_string().empty())
    throw Error(ErrorKind::usage, option_text(name) + ": a table, please", "leave it out where there is none");
  return value->as_string();
}

// The background counts rows as the data do, and knows no more columns that are none of the model's.
std::shared_ptr<const Table> weighted_alike(std::shared_ptr<const Table> table, const Table& data) {
  if (table->weight_column() || !data.weight_column()) return table;
  const auto weights = table->schema().find(data.schema()[*data.weight_column()].name);
  return weights ? std::make_shared<const Table>(table->with_weights(*weights)) : table;
}

// Numbers of new rows in what caveats know of them.
Value with_row_numbers(const Value& value) {  // NOLINT(misc-no-recursion)
  if (value.is_array()) {
    Value list = Value::array();
    for (const Value& item : value.as_array()) list.push_back(with_row_numbers(item));
    return list;
  }
  if (value.is_object()) {
    Value object = Value::object();
    for (const auto& [name, item] : value.as_object()) object.set(name, with_row_numbers(item));
    return object;
  }
  if (!value.is_integer() || value.as_integer() < static_cast<std::int64_t>(first_new_row)) return value;
  return value.as_integer() - static_cast<std::int64_t>(first_new_row);
}

std::string label_of(const std::shared_ptr<const RowLabels>& labels, std::uint64_t row) {
  return labels == nullptr ? std::string() : labels->of(row);
}

}  // namespace

std::shared_ptr<const Table> read_table(const std::string& place, std::string_view option, const Context& context) {
  try {
    // No file of which these dates could be told from others' dates was read before.
    const auto dates = std::make_shared<CsvDates>(CsvDates{.first = false});
    return std::make_shared<Table>(scan_table({.path = place, .csv_dates = dates}, context));
  } catch (const Error& error) {
    throw Error(error.kind(), option_name(option) + ": " + error.message_text(), error.advice_text());
  }
}

std::string file_name(const std::string& place) { return std::filesystem::path(place).filename().string(); }

NewRowsRun::NewRowsRun(const MethodEntry& entry, const Value& told, const Value& options, const Source& source,
                       const OtherTables& tables, Context& context)
    : told_(Value::object()), options_(options) {
  const OptionSpec* spec = find_option(entry.options, OptionType::rows);
  if (spec == nullptr)
    throw Error(ErrorKind::usage, entry.name + " explains no single rows: it takes no other table of them",
                "give them as the data");
  rows_option_ = *spec;
  const std::string from = text_of(told, "rows_from"), background = text_of(told, "background_data");
  const bool other_rows = tables.rows_from != nullptr || !from.empty();
  const bool other_data = tables.background_data != nullptr || !background.empty();
  std::shared_ptr<const Table> rows = tables.rows_from, data = tables.background_data;
  if (rows == nullptr && other_rows) rows = read_table(from, "rows_from", context);
  if (data == nullptr && other_data) data = read_table(background, "background_data", context);
  const auto own = in_memory(source, context);
  if (data != nullptr) data = weighted_alike(std::move(data), *own);
  if (other_rows) told_.set("rows_from", file_name(from));
  if (other_data) told_.set("background_data", file_name(background));
  both_ =
      with_new_rows(data != nullptr ? data : own, rows != nullptr ? *rows : *own, other_rows ? "rows_from" : "data");
  // What the target is called is only known of the data; elsewhere it may not be.
  if (const Value* target = options_.find("target");
      other_data && target != nullptr && target->is_string() && !both_.data->schema().find(target->as_string()))
    options_.set("target", "");

  const std::uint64_t all = both_.rows->table.rows();
  std::vector<std::uint64_t> chosen;
  const Value* given = options.find(rows_option_.name);
  asked_rows_ = given == nullptr ? rows_option_.default_value
                                 : row_numbers(*given, option_name(rows_option_.name), &both_.rows->table);
  const Value* named = given == nullptr ? nullptr : &asked_rows_;
  const auto name = [&](const Value& row) {
    const std::int64_t number = row.as_integer();
    if (number < 0 || static_cast<std::uint64_t>(number) >= all) {
      throw Error(ErrorKind::usage,
                  option_name(rows_option_.name) + ": there is no row " + std::to_string(number) +
                      marked(other_rows ? " in the table of {option:rows_from}" : " in the data"),
                  "rows are counted from 0; it has " + std::to_string(all));
    }
    chosen.push_back(static_cast<std::uint64_t>(number));
  };
  if (named != nullptr && named->is_array()) {
    for (const Value& row : named->as_array()) name(row);
  } else if (named != nullptr && !named->is_null()) {
    name(*named);
  }
  if (chosen.empty()) {
    chosen.resize(all);
    std::iota(chosen.begin(), chosen.end(), std::uint64_t{0});
    // All new rows, if nobody says otherwise; of the data as many as ever.
    const Value* explain = options.find("explain");
    const OptionSpec* usual = find_option(entry.options, "explain");
    if (explain == nullptr && usual != nullptr && !other_rows) explain = &usual->default_value;
    const auto most = explain == nullptr || explain->is_null() ? 0 : explain->as_integer();
    if (most > 0 && static_cast<std::uint64_t>(most) < all) {
      drawn_ = true;
      const Value* seed = options.find("seed");
      chosen = sample_rows(std::move(chosen), static_cast<std::uint64_t>(most),
                           seed == nullptr || seed->is_null() ? 0 : static_cast<std::uint64_t>(seed->as_integer()),
                           drawn_stream);
    }
  }
  explained_ = chosen.size();
  Value ids = Value::array();
  for (const std::uint64_t row : chosen) ids.push_back(static_cast<std::int64_t>(first_new_row + row));
  options_.set(rows_option_.name, std::move(ids));
}

void NewRowsRun::finish(Result& result) const {
  const std::uint64_t all = both_.rows->table.rows();
  const auto &of_data = both_.data->row_labels(), &of_rows = both_.rows->table.row_labels();
  for (ResultItem& item : result.results) {
    item.each_row([&](std::uint64_t& row, std::string& label) {
      label = label_of(is_new_row(row) ? of_rows : of_data, row_number(row));
      row = row_number(row);
    });
    if (auto* attributions = item.as<Attributions>()) attributions->total_rows = all;
    if (auto* curves = item.as<Curves>()) curves->total_rows = all;
  }
  for (Caveat& caveat : result.caveats) caveat.evidence = with_row_numbers(caveat.evidence);
  result.options.set(rows_option_.name, asked_rows_);
  for (const auto& [name, value] : told_.as_object()) result.options.set(name, value);
  Value about = Value::object({{"rows", all}, {"explained", explained_}});
  result.data.set("new_rows", std::move(about));
  if (!drawn_) return;
  result.caveats.insert(
      result.caveats.begin(),
      {.id = "some-rows",
       .severity = Severity::note,
       .message = std::to_string(explained_) + " of " + std::to_string(all) + " rows are explained, drawn at random",
       .evidence = Value::object({{"rows", explained_}, {"available", all}}),
       .advice = marked("set {option:explain} to 0 for all rows, or name {option:rows|rows}")});
}

void label_rows(const Source& source, Result& result) {
  const Table* table = source.table();
  if (table == nullptr || table->row_labels() == nullptr) return;
  for (ResultItem& item : result.results)
    item.each_row([&](std::uint64_t& row, std::string& label) {
      if (row >= table->first_row() && row - table->first_row() < table->rows())
        label = table->row_labels()->of(row - table->first_row());
    });
}

}  // namespace sightglass
