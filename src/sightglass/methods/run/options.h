// One description per option struct yields everything that is said about its options anywhere: command
// line flags, Python signatures and stubs, the catalogue, the docs, and the record in the result.
//
//   struct IceOptions {
//     std::int64_t curves = 250;
//     static void fields(auto&& field) { field("curves", &IceOptions::curves, "curves to keep; 0 = all"); }
//   };
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sightglass/base/error.h"
#include "sightglass/base/value.h"

namespace sightglass {

struct OptionSpec {
  std::string name;                  // snake_case; on the command line underscores become dashes
  std::string type;                  // bool, integer, number, text, texts, integers, numbers
  Value default_value;               // null: none
  std::vector<std::string> choices;  // of a text
  std::string help;
};

struct FieldInfo {
  std::string_view help;
  std::vector<std::string> choices = {};
};

namespace option_types {
template <class T>
struct Traits;
template <>
struct Traits<bool> {
  static constexpr const char* name = "bool";
  static bool read(const Value& value) { return value.as_bool(); }
};
template <>
struct Traits<std::int64_t> {
  static constexpr const char* name = "integer";
  static std::int64_t read(const Value& value) { return value.as_integer(); }
};
template <>
struct Traits<double> {
  static constexpr const char* name = "number";
  static double read(const Value& value) { return value.as_number(); }
};
template <>
struct Traits<std::string> {
  static constexpr const char* name = "text";
  static std::string read(const Value& value) { return value.as_string(); }
};
template <class T>
struct Traits<std::vector<T>> {
  static constexpr const char* name = std::is_same_v<T, std::string>    ? "texts"
                                      : std::is_same_v<T, std::int64_t> ? "integers"
                                                                        : "numbers";
  static std::vector<T> read(const Value& value) {
    // A single value stands for a list of one: ex.ice("temp").
    if (!value.is_array()) return {Traits<T>::read(value)};
    std::vector<T> items;
    for (const auto& item : value.as_array()) items.push_back(Traits<T>::read(item));
    return items;
  }
};
template <class T>
struct Traits<std::optional<T>> {
  static constexpr const char* name = Traits<T>::name;
  static std::optional<T> read(const Value& value) {
    if (value.is_null()) return std::nullopt;
    return Traits<T>::read(value);
  }
};

template <class T>
Value write(const T& value) {
  return Value(value);
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
    specs.push_back({name, option_types::Traits<T>::name, option_types::write(defaults.*member), info.choices,
                     std::string(info.help)});
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

// Throws Error(usage) on an unknown option, a wrong type, or a text that is not one of the choices.
void check_option_names(const Value& given, const std::vector<OptionSpec>& specs);
void check_choice(const OptionSpec& spec, const Value& value);

template <class Options>
[[nodiscard]] Options read_options(const Value& given) {
  const auto specs = describe_options<Options>();
  check_option_names(given, specs);
  Options options;
  std::size_t index = 0;
  Options::fields([&]<class T, class Owner>(const char* name, T Owner::* member, const FieldInfo&) {
    const OptionSpec& spec = specs[index++];
    const Value* value = given.find(name);
    if (value == nullptr || value->is_null()) return;
    check_choice(spec, *value);
    try {
      options.*member = option_types::Traits<T>::read(*value);
    } catch (const Error& error) {
      throw Error(ErrorKind::usage, std::string("option ") + name + ": " + error.message());
    }
  });
  return options;
}

}  // namespace sightglass
