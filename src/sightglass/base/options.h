// One description per option struct yields everything that is said about its options anywhere: command
// line flags, Python signatures and stubs, the catalogue, the docs, and the record in the result.
//
//   struct IceOptions {
//     std::int64_t curves = 250;
//     static void fields(auto&& field) {
//       field("curves", &IceOptions::curves, {.help = "curves to keep; 0 = all", .range = at_least(0)});
//     }
//   };
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/base/text.h"
#include "sightglass/base/value.h"

namespace sightglass {

// What an option means, whatever it is called: front ends read it, check it and write it down by this.
enum class OptionType {
  flag,         // on or off
  integer,      // a whole number
  number,       //
  numbers,      //
  text,         //
  choice,       // one of the choices
  several,      // some of the choices
  count,        // how many of something
  share,        // from 0 to 1
  seed,         // of random numbers
  features,     // by name
  pairs,        // of features, each as first:second
  triples,      // of features, each as first:second:third
  groups,       // of features, each as name=a,b: a comma is part of one
  rows,         // of the data, counted from 0
  row_count,    // how many rows
  predictions,  // how many predictions may be asked for
  duration,     // 90s, 5m, 1h
  output,       // a class or output of the model
  column,       // of the data
  grouping,     // a column of the data whose groups are taken one by one
  condition,    // on rows, see data/condition.h
  data,         // another table beside the data
  model,        // another one beside that which is explained, see model/model_option.h
  model_names,  // what both models are called
};
[[nodiscard]] std::string_view to_string(OptionType type);

// What JSON has for it; `many`: a list of these.
enum class ValueType { boolean, integer, number, text };

// Numbers that an option may be.
struct OptionRange {
  std::optional<double> least, most;
  bool above = false;     // more than the least
  std::string_view unit;  // what is counted, for messages
};
[[nodiscard]] constexpr OptionRange at_least(double least, std::string_view unit = {}) {
  return {.least = least, .most = std::nullopt, .unit = unit};
}
[[nodiscard]] constexpr OptionRange between(double least, double most, std::string_view unit = {}) {
  return {.least = least, .most = most, .unit = unit};
}
[[nodiscard]] constexpr OptionRange above(double least) {
  return {.least = least, .most = std::nullopt, .above = true, .unit = {}};
}
[[nodiscard]] constexpr OptionRange at_most(double most) { return {.least = std::nullopt, .most = most, .unit = {}}; }

// What every option of a type may be, unless it says otherwise: a share is between 0 and 1.
[[nodiscard]] OptionRange range_of(OptionType type);

struct OptionSpec {
  std::string name;                  // snake_case; on the command line underscores become dashes
  std::vector<std::string> aliases;  // other names that are understood: former ones, those of other tools
  std::string flag;                  // what the command line calls it instead of its name; empty: by its name
  OptionType type = OptionType::text;
  ValueType value = ValueType::text;
  bool many = false;
  Value default_value;               // null: none
  std::vector<std::string> choices;  // of a choice; those of several may be left to the method to check
  OptionRange range;
  Text help;
};

struct FieldInfo {
  std::string_view help;  // may refer to other options, see base/text.h
  std::vector<std::string> choices = {};
  // As the member's own type says if not given.
  std::optional<OptionType> type = std::nullopt;
  OptionRange range = {};
  std::vector<std::string> aliases = {};
  std::string_view flag = {};
};

namespace option_types {
template <class T>
struct Traits;
template <>
struct Traits<bool> {
  static constexpr ValueType value = ValueType::boolean;
  static constexpr OptionType type = OptionType::flag;
  static constexpr bool many = false;
  static bool read(const Value& given) { return given.as_bool(); }
};
template <>
struct Traits<std::int64_t> {
  static constexpr ValueType value = ValueType::integer;
  static constexpr OptionType type = OptionType::integer;
  static constexpr bool many = false;
  static std::int64_t read(const Value& given) { return given.as_integer(); }
};
template <>
struct Traits<double> {
  static constexpr ValueType value = ValueType::number;
  static constexpr OptionType type = OptionType::number;
  static constexpr bool many = false;
  static double read(const Value& given) { return given.as_number(); }
};
template <>
struct Traits<std::string> {
  static constexpr ValueType value = ValueType::text;
  static constexpr OptionType type = OptionType::text;
  static constexpr bool many = false;
  static std::string read(const Value& given) { return given.as_string(); }
};
template <class T>
struct Traits<std::vector<T>> {
  static constexpr ValueType value = Traits<T>::value;
  static constexpr OptionType type = std::is_same_v<T, double> ? OptionType::numbers : OptionType::several;
  static constexpr bool many = true;
  static std::vector<T> read(const Value& given) {
    // A single value stands for a list of one: ex.ice("temp").
    if (!given.is_array()) return {Traits<T>::read(given)};
    std::vector<T> items;
    for (const auto& item : given.as_array()) items.push_back(Traits<T>::read(item));
    return items;
  }
};
template <class T>
struct Traits<std::optional<T>> {
  static constexpr ValueType value = Traits<T>::value;
  static constexpr OptionType type = Traits<T>::type;
  static constexpr bool many = Traits<T>::many;
  static std::optional<T> read(const Value& given) {
    if (given.is_null()) return std::nullopt;
    return Traits<T>::read(given);
  }
};

template <class T>
Value write(const T& value) {
  if constexpr (requires { Traits<T>::write(value); }) {
    return Traits<T>::write(value);
  } else {
    return Value(value);
  }
}
template <class T>
Value write(const std::optional<T>& value) {
  return value ? Value(*value) : Value();
}
}  // namespace option_types

template <class Options>
[[nodiscard]] std::vector<OptionSpec> describe_options() {
  std::vector<OptionSpec> specs;
  const Options defaults{};
  Options::fields([&]<class T, class Owner>(const char* name, T Owner::* member, const FieldInfo& info) {
    using Traits = option_types::Traits<T>;
    const bool chosen = !Traits::many && !info.choices.empty();
    const OptionType type = info.type.value_or(chosen ? OptionType::choice : Traits::type);
    const bool ranged = info.range.least || info.range.most;
    specs.push_back({.name = name,
                     .aliases = info.aliases,
                     .flag = std::string(info.flag),
                     .type = type,
                     .value = Traits::value,
                     .many = Traits::many,
                     .default_value = option_types::write(defaults.*member),
                     .choices = info.choices,
                     .range = ranged ? info.range : range_of(type),
                     .help = marked(info.help)});
  });
  return specs;
}

template <class Options>
[[nodiscard]] Value write_options(const Options& options) {
  Value object = Value::object();
  Options::fields([&]<class T, class Owner>(const char* name, T Owner::* member, const FieldInfo&) {
    object.set(name, option_types::write(options.*member));
  });
  return object;
}

// As the catalogue has them, for the command line and Python.
[[nodiscard]] Value describe(const std::vector<OptionSpec>& options);
// By its name or another that is understood; null if there is none.
[[nodiscard]] const OptionSpec* find_option(const std::vector<OptionSpec>& specs, std::string_view name);
// The one option of a type; null if there is none.
[[nodiscard]] const OptionSpec* find_option(const std::vector<OptionSpec>& specs, OptionType type);
// Whether single rows of the data are named, by an option of that type.
[[nodiscard]] bool names_rows(const std::vector<OptionSpec>& specs, const Value& given);
// The same options under their own names; throws Error(usage) on an unknown one, or one that is given twice.
[[nodiscard]] Value by_own_names(const Value& given, const std::vector<OptionSpec>& specs);
// Throws Error(usage) on a text that is not one of the choices, and on a number out of range.
void check_option(const OptionSpec& spec, const Value& value);

template <class Options>
[[nodiscard]] Options read_options(const Value& given) {
  const auto specs = describe_options<Options>();
  const Value named = by_own_names(given, specs);
  Options options;
  std::size_t index = 0;
  Options::fields([&]<class T, class Owner>(const char* name, T Owner::* member, const FieldInfo&) {
    const OptionSpec& spec = specs[index++];
    const Value* value = named.find(name);
    if (value == nullptr || value->is_null()) return;
    try {
      options.*member = option_types::Traits<T>::read(*value);
    } catch (const Error& error) {
      throw Error(ErrorKind::usage, option_text(name) + ": " + error.message_text());
    }
    check_option(spec, *value);
  });
  return options;
}

}  // namespace sightglass
