// What whoever shows a result needs to know of the method that made it: it comes with the result, so that no renderer
// knows methods by name.
#pragma once

#include <string>
#include <string_view>

namespace sightglass {

class Fields;

// The question that a method belongs to.
enum class Family { effects, interactions, importance, local, examples, surrogates, performance, report, other };
inline constexpr std::string_view family_names[] = {"effects",    "interactions", "importance", "local", "examples",
                                                    "surrogates", "performance",  "report",     "other"};
[[nodiscard]] std::string_view to_string(Family family);

struct MethodInfo {
  std::string title;       // "Accumulated local effects"
  std::string short_name;  // "ALE"; empty: the title
  Family family = Family::other;

  friend bool operator==(const MethodInfo&, const MethodInfo&) = default;
};

void describe_fields(MethodInfo& info, Fields& fields);

}  // namespace sightglass
