#include "sightglass/plans/given_options.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sightglass/base/dates.h"
#include "sightglass/base/error.h"
#include "sightglass/base/nearest_name.h"
#include "sightglass/data/new_rows.h"

namespace sightglass {

namespace {

// Names among which a near one is looked for.
constexpr std::size_t most_names = 100'000;

// Of each name, the numbers of the rows that are called so.
using RowsByName = std::unordered_map<std::string, std::vector<std::int64_t>>;

void find_rows(const Table& table, RowsByName& wanted) {
  for (std::uint64_t row = 0; row < table.rows(); ++row) {
    const auto found = wanted.find(table.row_labels()->of(row));
    if (found != wanted.end()) found->second.push_back(static_cast<std::int64_t>(row_number(table.first_row() + row)));
  }
}

[[noreturn]] void refuse_name(const std::string& name, const Text& option, const Table& table) {
  std::vector<std::string> names;
  for (std::uint64_t row = 0; row < std::min<std::uint64_t>(table.rows(), most_names); ++row)
    names.push_back(table.row_labels()->of(row));
  const std::string nearest = nearest_name(name, names);
  const Text advice = nearest.empty() ? Text("rows are counted from 0, or called by their names, the first " +
                                             printable(names.empty() ? "" : names.front(), 40))
                                      : Text("did you mean " + printable(nearest, 60) + "?");
  throw Error(ErrorKind::usage, option + ": no row is called " + printable(name, 60), advice);
}

std::optional<double> as_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// What the values of an option are about: the features that are explained, as far as they have numbers.
struct Axes {
  DateUnit unit = DateUnit::none;
  std::string with_dates, without;  // one of them each, or nothing
};

Axes axes_of(const Value& named, const std::vector<OptionSpec>& specs, const Schema& schema, const Text& option) {
  Axes axes;
  const OptionSpec* features = find_option(specs, OptionType::features);
  const Value* chosen = features == nullptr ? nullptr : named.find(features->name);
  if (chosen == nullptr) return axes;
  const auto look_at = [&](const Value& name) {
    const auto column = name.is_string() ? schema.find(name.as_string()) : std::nullopt;
    if (!column || schema[*column].has_levels()) return;
    const DateUnit unit = schema[*column].dates.unit;
    if (unit == DateUnit::none) {
      axes.without = name.as_string();
      return;
    }
    if (axes.unit != DateUnit::none && axes.unit != unit)
      throw Error(ErrorKind::usage,
                  option + ": " + printable(axes.with_dates, 60) + " has days and " + printable(name.as_string(), 60) +
                      " has times of day",
                  "explain one of them at a time");
    axes.unit = unit;
    axes.with_dates = name.as_string();
  };
  if (chosen->is_array()) {
    for (const Value& name : chosen->as_array()) look_at(name);
  } else {
    look_at(*chosen);
  }
  return axes;
}

Value number_of(const Value& given, const Axes& axes, const Text& option) {
  if (!given.is_string()) return given;
  const std::string& text = given.as_string();
  if (axes.unit != DateUnit::none) {
    const auto date = read_date(axes.unit, text);
    if (date && axes.without.empty()) return *date;
    if (date)
      throw Error(ErrorKind::usage,
                  option + ": " + printable(text, 40) + " is a date, and " + printable(axes.without, 60) + " has none",
                  "explain " + printable(axes.with_dates, 60) + " alone");
  }
  if (const auto number = as_number(text)) return *number;
  const bool is_date = read_date(DateUnit::seconds, text).has_value();
  if (axes.unit != DateUnit::none)
    throw Error(ErrorKind::usage, option + ": " + printable(text, 40) + " is no date",
                "write 2020-01-31 or 2020-01-31 14:00");
  if (is_date && axes.without.empty())
    throw Error(ErrorKind::usage, option + ": " + printable(text, 40) + " is a date",
                marked("name the feature that has dates with {option:features}"));
  throw Error(ErrorKind::usage,
              option + ": " + printable(text, 40) +
                  (is_date ? " is a date, and " + printable(axes.without, 60) + " has numbers" : " is not a number"));
}

}  // namespace

Value row_numbers(const Value& given, const Text& option, const Table* table) {
  const std::vector<Value> one = {given};
  const std::vector<Value>& items = given.is_array() ? given.as_array() : one;
  RowsByName wanted;
  for (const Value& item : items) {
    if (item.is_string()) wanted.try_emplace(item.as_string());
  }
  if (wanted.empty()) return given;
  if (table == nullptr || table->row_labels() == nullptr) {
    throw Error(ErrorKind::usage,
                option + ": " + printable(wanted.begin()->first, 60) + " is no number, and the rows have no names",
                marked("rows are counted from 0; {argument:ids} names the column that says what they are called"));
  }
  find_rows(*table, wanted);
  Value numbers = Value::array();
  for (const Value& item : items) {
    if (!item.is_string()) {
      numbers.push_back(item);
      continue;
    }
    const auto& found = wanted.at(item.as_string());
    if (found.empty()) refuse_name(item.as_string(), option, *table);
    for (const std::int64_t row : found) numbers.push_back(row);
  }
  return numbers;
}

Value with_dates_as_numbers(const Value& named, const std::vector<OptionSpec>& specs, const Schema& schema) {
  Value numbers = Value::object();
  for (const auto& [name, value] : named.as_object()) {
    const OptionSpec* spec = find_option(specs, name);
    if (spec == nullptr || spec->type != OptionType::numbers) {
      numbers.set(name, value);
      continue;
    }
    const Text option = option_name(name);
    const Axes axes = axes_of(named, specs, schema, option);
    if (!value.is_array()) {
      numbers.set(name, number_of(value, axes, option));
      continue;
    }
    Value list = Value::array();
    for (const Value& item : value.as_array()) list.push_back(number_of(item, axes, option));
    numbers.set(name, std::move(list));
  }
  return numbers;
}

}  // namespace sightglass
