#include "sightglass/data/new_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "sightglass/base/dates.h"
#include "sightglass/base/error.h"
#include "sightglass/data/column_like.h"

namespace sightglass {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// One column of the new rows as the data have it.
class ColumnReader {
 public:
  ColumnReader(const ColumnInfo& like, const ColumnInfo& given, const ColumnView& view, const std::string& what)
      : like_(like), given_(given), view_(view), what_(what) {}

  // As ColumnView::number, with the data's codes; levels that these do not have are added behind them.
  std::vector<double> read(std::vector<std::string>& added) const {
    std::vector<double> numbers(view_.size);
    read_numbers(view_, numbers);
    // One file has days where the other has seconds.
    if (like_.dates && given_.dates && like_.dates.unit != given_.dates.unit) {
      // The rows are the data, the model knows these, and another table is the background.
      if (what_ == "data")
        throw Error(ErrorKind::data,
                    option_name("background_data") + ": column " + printable(like_.name, 60) +
                        " counts days in one of the tables and seconds in the other",
                    "write it alike in both: with times of day, or without");
      for (double& number : numbers) number *= units_per_day(like_.dates.unit) / units_per_day(given_.dates.unit);
    }
    if (given_.is_categorical()) return like_.has_levels() ? by_level(numbers, added) : as_numbers(numbers);
    if (like_.is_categorical()) return spelled(numbers, added);
    if (like_.has_levels()) {
      for (std::size_t row = 0; row < numbers.size(); ++row) {
        if (!std::isnan(numbers[row]) && numbers[row] != 0 && numbers[row] != 1)
          fail(row, std::to_string(numbers[row]), "is neither true nor false");
      }
    }
    return numbers;
  }

 private:
  std::vector<double> by_level(const std::vector<double>& codes, std::vector<std::string>& added) const {
    std::vector<double> known(given_.dictionary->size(), none);
    std::vector<double> numbers(codes.size(), none);
    for (std::size_t row = 0; row < codes.size(); ++row) {
      if (std::isnan(codes[row])) continue;
      double& code = known[static_cast<std::size_t>(codes[row])];
      const std::string& level = given_.dictionary->level(static_cast<std::int32_t>(codes[row]));
      if (std::isnan(code)) code = code_of(level, row, added);
      numbers[row] = code;
    }
    return numbers;
  }

  // Numbers where the data have levels: called as they are spelled.
  std::vector<double> spelled(std::vector<double> numbers, std::vector<std::string>& added) const {
    const Table alone(Schema({given_}), {Column{.view = view_, .owner = nullptr}});
    const Table read = alone.with_categories(0);
    if (!read.schema()[0].has_levels()) fail(0, "its numbers", "are too many to be levels");
    for (std::size_t row = 0; row < numbers.size(); ++row) {
      const double code = read.column(0).number(row);
      numbers[row] =
          std::isnan(code) ? none : code_of(read.schema()[0].level(static_cast<std::size_t>(code)), row, added);
    }
    return numbers;
  }

  // Texts where the data have numbers, as files have them where no value says otherwise.
  std::vector<double> as_numbers(const std::vector<double>& codes) const {
    std::vector<double> numbers(codes.size(), none);
    for (std::size_t row = 0; row < codes.size(); ++row) {
      if (std::isnan(codes[row])) continue;
      const std::string& level = given_.dictionary->level(static_cast<std::int32_t>(codes[row]));
      const auto number = number_in(level);
      if (!number) fail(row, level, "is no number, as the data have them there");
      numbers[row] = *number;
    }
    return numbers;
  }

  double code_of(const std::string& level, std::size_t row, std::vector<std::string>& added) const {
    if (const auto code = like_.find_level(level)) return *code;
    if (!like_.is_categorical()) fail(row, level, "is neither true nor false");
    const auto place = static_cast<std::size_t>(std::find(added.begin(), added.end(), level) - added.begin());
    if (place == added.size()) added.push_back(level);
    return static_cast<double>(like_.dictionary->size() + place);
  }

  [[noreturn]] void fail(std::size_t row, const std::string& value, const std::string& is) const {
    throw Error(ErrorKind::data,
                option_name(what_) + ": column " + printable(like_.name, 60) + ", row " + std::to_string(row) + ": " +
                    printable(value, 40) + " " + is,
                "read both tables with the same types");
  }

  const ColumnInfo& like_;
  const ColumnInfo& given_;
  const ColumnView& view_;
  const std::string& what_;
};

}  // namespace

DataAndNewRows with_new_rows(std::shared_ptr<const Table> data, const Table& rows, std::string what) {
  if (rows.rows() == 0) throw Error(ErrorKind::data, option_name(what) + ": the table has no rows");
  NewRows found{.table = {}, .absent = {}, .what = std::move(what)};
  std::vector<ColumnInfo> infos = data->schema().columns();
  std::vector<std::vector<double>> values;
  bool more_levels = false;
  for (std::uint32_t column = 0; column < infos.size(); ++column) {
    ColumnInfo& info = infos[column];
    const auto at = rows.schema().find(info.name);
    if (!at) {
      found.absent.push_back(column);
      values.emplace_back(rows.rows(), none);
      continue;
    }
    std::vector<std::string> added;
    values.push_back(ColumnReader(info, rows.schema()[*at], rows.column(*at), found.what).read(added));
    if (added.empty()) continue;
    more_levels = true;
    std::vector<std::string> levels = info.dictionary->levels();
    levels.insert(levels.end(), added.begin(), added.end());
    info.dictionary = std::make_shared<const Dictionary>(std::move(levels), info.dictionary->ordered());
  }
  DataAndNewRows both{.data = std::move(data), .rows = nullptr};
  if (more_levels) {
    both.data = std::make_shared<const Table>(both.data->with_schema(Schema(infos)));
  }
  std::vector<Column> columns;
  for (std::uint32_t column = 0; column < infos.size(); ++column) {
    ColumnView like = both.data->column(column);
    like.dictionary = infos[column].dictionary.get();
    columns.push_back(column_like(like, std::move(values[column])));
    // What the data's type cannot say: a fraction among whole numbers.
    infos[column].type = columns.back().view.type;
  }
  found.table = Table(Schema(std::move(infos)), std::move(columns), rows.notes())
                    .with_first_row(first_new_row)
                    .with_row_labels(rows.row_labels());
  both.rows = std::make_shared<const NewRows>(std::move(found));
  return both;
}

}  // namespace sightglass
