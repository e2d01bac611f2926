#include "sightglass/methods/registry.h"

#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/base/nearest_name.h"
#include "sightglass/methods/all_methods.h"
#include "sightglass/methods/run/other_tables.h"

namespace sightglass {

const std::vector<MethodEntry>& methods() {
  static const std::vector<MethodEntry> entries = all_methods();
  return entries;
}

const MethodEntry& find_method(std::string_view name) { return find_entry(methods(), name); }

const MethodEntry& find_entry(const std::vector<MethodEntry>& entries, std::string_view name) {
  std::vector<std::string> names;
  for (const MethodEntry& entry : entries) {
    if (entry.name == name || (!entry.alias.empty() && entry.alias == name)) return entry;
    names.push_back(entry.name);
    if (!entry.alias.empty()) names.push_back(entry.alias);
  }
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorKind::usage, "there is no method " + printable(name),
              nearest.empty() ? "sightglass methods lists them" : "did you mean " + nearest + "?");
}

std::vector<OptionSpec> leading_options(const MethodEntry& entry) {
  std::vector<OptionSpec> options;
  for (const Lead& lead : entry.leads) {
    OptionSpec option = *find_option(find_method(lead.method).options, lead.option);
    option.help += marked("; {method:" + lead.method + "} is run then");
    options.push_back(std::move(option));
  }
  return options;
}

std::vector<OptionSpec> all_options(const MethodEntry& entry) {
  std::vector<OptionSpec> options = entry.options;
  for (OptionSpec& option : leading_options(entry)) options.push_back(std::move(option));
  for (OptionSpec& option : table_options(entry)) options.push_back(std::move(option));
  return options;
}

std::string margin_methods() {
  std::vector<std::string> names;
  for (const MethodEntry& entry : methods()) {
    if (entry.prefers_margin) names.push_back(entry.name);
  }
  std::string words;
  for (std::size_t i = 0; i < names.size(); ++i)
    words += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return words;
}

std::string kind_of(const MethodEntry& entry) {
  return std::string(to_string(entry.approach)) + ", " + std::string(to_string(entry.reach));
}

std::string scope_of(const MethodEntry& entry) {
  std::string words;
  for (const Scope scope : entry.scopes) words += (words.empty() ? "" : " and ") + std::string(to_string(scope));
  return words;
}

Value describe(const MethodEntry& entry) {
  Value scopes = Value::array();
  for (const Scope scope : entry.scopes) scopes.push_back(to_string(scope));
  Value leads = Value::array();
  for (const Lead& lead : entry.leads)
    leads.push_back(Value::object({{"option", lead.option}, {"method", lead.method}}));
  return Value::object(
      {{"name", entry.name},
       {"alias", entry.alias},
       {"title", entry.about.title},
       {"short_name", entry.about.short_name},
       {"family", entry.about.family.text()},
       {"question", entry.question},
       {"when", entry.when},
       {"when_not", entry.when_not},
       {"formula", entry.formula},
       {"paper", entry.paper},
       {"kind", kind_of(entry)},
       {"scope", scope_of(entry)},
       {"taxonomy", Value::object({{"approach", to_string(entry.approach)},
                                   {"reach", to_string(entry.reach)},
                                   {"scopes", scopes},
                                   {"results", entry.results}})},
       {"expresses", entry.expresses},
       {"cost", entry.cost},
       {"needs", entry.needs.target == Need::required ? "target" : ""},
       {"inputs", Value::object({{"model", entry.needs.learned ? "self-explaining" : to_string(entry.needs.model)},
                                 {"target", to_string(entry.needs.target)}})},
       {"leads", leads},
       {"options", describe(all_options(entry))}});
}

}  // namespace sightglass
