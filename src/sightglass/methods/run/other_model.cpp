#include "sightglass/methods/run/other_model.h"

#include "sightglass/base/error.h"
#include "sightglass/model/load.h"

namespace sightglass {

std::shared_ptr<const Model> other_model(const std::vector<OptionSpec>& specs, const Value& options,
                                         const ModelOption& given) {
  const OptionSpec* spec = find_option(specs, OptionType::model);
  if (spec == nullptr) {
    if (given.place.empty()) return nullptr;
    throw Error(ErrorKind::usage, "two models are given, and this method explains one", "leave the second out");
  }
  const Value* place = options.find(spec->name);
  if (place == nullptr || place->is_null()) return nullptr;
  if (!place->is_string() || place->as_string().empty())
    throw Error(ErrorKind::usage, option_text(spec->name) + ": a model, please", "leave it out where there is none");
  if (given.model != nullptr) return given.model;
  try {
    return load_model(place->as_string());
  } catch (const Error& error) {
    throw Error(error.kind(), option_text(spec->name) + ": " + error.message_text(), error.advice_text());
  }
}

Value recorded(const OptionSpec& spec, const Value& value) {
  return spec.type == OptionType::model && value.is_string() ? Value(shown_model(value.as_string())) : value;
}

}  // namespace sightglass
