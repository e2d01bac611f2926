#include <algorithm>
#include <array>

#include "sightglass/plans/explain.h"
#include "sightglass/plans/report/method_advice_internal.h"
#include "sightglass/plans/report/report.h"

namespace sightglass {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What stands before a plain word that means an option.
constexpr std::array<std::string_view, 9> verbs = {"set ",   "raise ", "lower ",   "leave out ", "option ",
                                                   "fewer ", "finer ", "coarser ", "smaller "};

bool names_option(std::string_view text, std::string_view option) {
  for (auto at = text.find(option); at != std::string_view::npos; at = text.find(option, at + 1)) {
    const std::size_t end = at + option.size();
    if ((at > 0 && is_letter(text[at - 1])) || (end < text.size() && is_letter(text[end]))) continue;
    // With an underscore it can be nothing else.
    if (option.find('_') != std::string_view::npos) return true;
    const std::string_view before = text.substr(0, at);
    if (std::any_of(verbs.begin(), verbs.end(), [&](std::string_view verb) { return before.ends_with(verb); }))
      return true;
  }
  return false;
}

}  // namespace

std::string advice_within_report(const std::string& advice, const MethodEntry& method) {
  const auto own = report_options();
  const auto in_report = [&](const std::string& name) {
    // There it is a time, elsewhere a number of predictions.
    if (name == "budget") return false;
    return std::any_of(own.begin(), own.end(), [&](const OptionSpec& spec) { return spec.name == name; });
  };
  std::vector<OptionSpec> options = method.options;
  for (OptionSpec& shared : shared_options()) options.push_back(std::move(shared));
  for (const OptionSpec& option : options) {
    if (!in_report(option.name) && names_option(advice, option.name))
      return "with " + method.name + " by itself: " + advice;
  }
  return advice;
}

}  // namespace sightglass
