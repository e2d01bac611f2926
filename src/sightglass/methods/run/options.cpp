#include "sightglass/methods/run/options.h"

#include <algorithm>

#include "sightglass/data/schema.h"

namespace sightglass {

void check_option_names(const Value& given, const std::vector<OptionSpec>& specs) {
  if (given.is_null()) return;
  std::vector<std::string> names;
  for (const auto& spec : specs) names.push_back(spec.name);
  for (const auto& [name, value] : given.as_object()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string nearest = nearest_name(name, names);
    throw Error(ErrorKind::usage, "there is no option " + printable(name),
                nearest.empty() ? "see sightglass methods" : "did you mean " + nearest + "?");
  }
}

void check_choice(const OptionSpec& spec, const Value& value) {
  if (spec.choices.empty() || !value.is_string()) return;
  if (std::find(spec.choices.begin(), spec.choices.end(), value.as_string()) != spec.choices.end()) return;
  std::string list;
  for (const auto& choice : spec.choices) {
    if (!choice.empty()) list += (list.empty() ? "" : ", ") + choice;
  }
  throw Error(ErrorKind::usage, "option " + spec.name + " cannot be " + printable(value.as_string()),
              "it is one of " + list);
}

}  // namespace sightglass
