#include "spelling.h"

#include <algorithm>

#include "sightglass/plans/explain.h"

namespace sightglass::cli {

namespace {

std::string spell(const Reference& reference) {
  OptionSpec option{.name = reference.name};
  if (reference.kind == Reference::Kind::argument) return flag_name(option);
  if (reference.kind != Reference::Kind::option) return reference.name;
  for (const OptionSpec& shared : shared_options()) {
    if (shared.name == reference.name) option = shared;
  }
  return flag_name(option);
}

}  // namespace

std::string flag_name(const OptionSpec& option) {
  std::string name = "--" + (option.flag.empty() ? option.name : option.flag);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string with_flags(const Text& text) { return text.spelled(spell).plain(); }

Result with_flags(Result result) {
  for (Caveat& caveat : result.caveats) {
    caveat.message = caveat.message.spelled(spell);
    caveat.advice = caveat.advice.spelled(spell);
  }
  return result;
}

}  // namespace sightglass::cli
