#include "sightglass/methods/run/run_options.h"

#include <algorithm>

namespace sightglass {

std::pair<Value, Value> split_options(const Value& given, const std::vector<OptionSpec>& own_specs) {
  const auto run_specs = describe_options<RunOptions>();
  std::vector<OptionSpec> all = run_specs;
  all.insert(all.end(), own_specs.begin(), own_specs.end());
  const Value named = by_own_names(given, all);
  Value run = Value::object(), own = Value::object();
  for (const auto& [name, value] : named.as_object()) {
    const bool of_run = std::any_of(run_specs.begin(), run_specs.end(), [&](const auto& s) { return s.name == name; });
    (of_run ? run : own).set(name, value);
  }
  return {run, own};
}

}  // namespace sightglass
