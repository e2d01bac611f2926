#include "sightglass/learn/registry.h"

#include "sightglass/base/error.h"
#include "sightglass/base/nearest_name.h"
#include "sightglass/learn/all_learners.h"

namespace sightglass {

const std::vector<LearnerEntry>& learners() {
  static const std::vector<LearnerEntry> entries = all_learners();
  return entries;
}

const LearnerEntry& find_learner(std::string_view name) {
  std::vector<std::string> names;
  for (const LearnerEntry& entry : learners()) {
    if (entry.name == name || (!entry.alias.empty() && entry.alias == name)) return entry;
    names.push_back(entry.name);
    if (!entry.alias.empty()) names.push_back(entry.alias);
  }
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorKind::usage, "there is no learner " + printable(name),
              nearest.empty() ? "sightglass methods lists them" : "did you mean " + nearest + "?");
}

Value describe(const LearnerEntry& entry) {
  return Value::object({{"name", entry.name},
                        {"kind", "learner"},
                        {"alias", entry.alias},
                        {"title", entry.about.title},
                        {"short_name", entry.about.short_name},
                        {"family", entry.about.family.text()},
                        {"question", entry.question},
                        {"when", entry.when},
                        {"when_not", entry.when_not},
                        {"formula", entry.formula},
                        {"paper", entry.paper},
                        {"taxonomy", Value::object({{"approach", "intrinsic"},
                                                    {"reach", "model-specific"},
                                                    {"scopes", Value(std::vector<std::string>{"global", "local"})},
                                                    {"results", entry.results}})},
                        {"cost", entry.cost},
                        {"size_unit", entry.size_unit},
                        {"size_option", entry.size_option},
                        {"takes_numbers", entry.takes_numbers},
                        {"options", describe(entry.options)}});
}

}  // namespace sightglass
