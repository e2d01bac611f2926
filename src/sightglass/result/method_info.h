// What whoever shows a result needs to know of the method that made it: it comes with the result, so that no renderer
// knows methods by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sightglass/result/glossary_term.h"
#include "sightglass/result/open_word.h"

namespace sightglass {

class Fields;

// The question that a method belongs to.
enum class Family {
  effects,
  interactions,
  importance,
  local,
  examples,
  surrogates,
  learners,
  performance,
  report,
  other
};
inline constexpr std::string_view family_names[] = {"effects",    "interactions", "importance",  "local",  "examples",
                                                    "surrogates", "learners",     "performance", "report", "other"};
template <>
inline constexpr KnownWords<Family> known_words<Family> = {family_names, Family::other};

struct MethodInfo {
  std::string title;       // "Accumulated local effects"
  std::string short_name;  // "ALE"; empty: the title
  OpenWord<Family> family = Family::other;
  std::vector<GlossaryTerm> terms = {};  // what a page explains besides the words that every method uses

  friend bool operator==(const MethodInfo&, const MethodInfo&) = default;
};

void describe_fields(MethodInfo& info, Fields& fields);

}  // namespace sightglass
