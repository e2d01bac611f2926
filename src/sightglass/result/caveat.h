// What to beware of in a result.
#pragma once

#include <string>
#include <string_view>

#include "sightglass/base/text.h"
#include "sightglass/base/value.h"
#include "sightglass/result/open_word.h"

namespace sightglass {

enum class Severity { note, caution, warning };
inline constexpr std::string_view severities[] = {"note", "caution", "warning"};
template <>
inline constexpr KnownWords<Severity> known_words<Severity> = {severities, Severity::caution};
[[nodiscard]] std::string_view to_string(Severity severity);

struct Caveat {
  std::string id;  // "sparse-region"
  OpenWord<Severity> severity = Severity::note;
  Text message;
  Value evidence = Value::object();
  Text advice;
  // How the message ends: what it means, whatever the numbers before. For findings about several groups of rows, which
  // say it once.
  Text meaning = {};
};

}  // namespace sightglass
