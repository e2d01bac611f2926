// A second model, as an option of a method: one that is there, or the place of one that is to be loaded.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "sightglass/base/options.h"
#include "sightglass/model/model.h"

namespace sightglass {

struct ModelOption {
  std::string place;                   // as load_model() takes it; of one that is there, what results call it
  std::shared_ptr<const Model> model;  // null: is loaded from its place

  ModelOption() = default;
  // NOLINTBEGIN(google-explicit-constructor): {.other_model = "newer.json"}
  ModelOption(std::string where) : place(std::move(where)) {}
  ModelOption(const char* where) : place(where) {}
  template <class Given>
    requires std::is_convertible_v<std::shared_ptr<Given>, std::shared_ptr<const Model>>
  ModelOption(std::shared_ptr<Given> given, std::string name = "another model")
      : place(std::move(name)), model(std::move(given)) {}
  // NOLINTEND(google-explicit-constructor)
};

template <>
struct option_types::Traits<ModelOption> {
  static constexpr ValueType value = ValueType::text;
  static constexpr OptionType type = OptionType::model;
  static constexpr bool many = false;
  static ModelOption read(const Value& given) { return {given.as_string()}; }
  static Value write(const ModelOption& option) { return option.place.empty() ? Value() : Value(option.place); }
};

// The one that options hold, as a program gave it.
template <class Options>
[[nodiscard]] ModelOption model_option(const Options& options) {
  ModelOption found;
  Options::fields([&]<class T, class Owner>(const char*, T Owner::* member, const FieldInfo&) {
    if constexpr (std::is_same_v<T, ModelOption>) found = options.*member;
  });
  return found;
}

}  // namespace sightglass
