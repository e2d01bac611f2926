#include "option_words.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "sightglass/plans/explain.h"
#include "sightglass/plans/report/report.h"

namespace sightglass::cli {

namespace {

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t word_end(std::string_view text, std::size_t begin) {
  while (begin < text.size() && is_letter(text[begin])) ++begin;
  return begin;
}

bool ends_in_word(std::string_view text, std::string_view word) {
  return text.ends_with(word) && (text.size() == word.size() || !is_letter(text[text.size() - word.size() - 1]));
}

// Whether the words around a name ask to do something with an option: "set …", "leave out …", "choose one with ….".
bool is_asked_for(std::string_view before, std::string_view after) {
  constexpr std::array<std::string_view, 7> verbs = {"set", "raise", "lower", "leave out", "option", "options", "give"};
  if (!before.ends_with(' ')) return false;
  before.remove_suffix(1);
  const bool clause_ends = after.empty() || after.starts_with(',') || after.starts_with(';') || after.starts_with('.');
  return (clause_ends && ends_in_word(before, "with")) ||
         std::any_of(verbs.begin(), verbs.end(), [&](std::string_view verb) { return ends_in_word(before, verb); });
}

// "kind ratio": the name, then one of its choices.
bool chosen_after(std::string_view after, const OptionSpec& option) {
  if (!after.starts_with(' ')) return false;
  const std::string_view next = after.substr(1, word_end(after, 1) - 1);
  return !next.empty() && std::find(option.choices.begin(), option.choices.end(), next) != option.choices.end();
}

bool is_meant(std::string_view before, std::string_view after, const OptionSpec& option, bool any_place) {
  // Part of something longer: a flag already, a file's name, an argument in Python.
  for (const char part : {'-', '.', '/', '=', '\\'}) {
    if (before.ends_with(part) || after.starts_with(part)) {
      // But a sentence may end behind it.
      if (!(part == '.' && (after == "." || after.starts_with(". ")))) return false;
    }
  }
  if (!any_place) {
    // "grid: …", "where, at character 3: …", "option grid: …", "options grid and pair_grid: …".
    const bool listed = before.starts_with("options ") && before.ends_with(" and ") && before.find(':') == before.npos;
    if (before.empty()) return after.starts_with(':') || after.starts_with(',');
    return (listed || before == "option " || before == "options ") &&
           (after.starts_with(':') || after.starts_with(" and "));
  }
  if (option.name.find('_') != std::string::npos || is_asked_for(before, after)) return true;
  if (chosen_after(after, option)) return before.empty() || before.ends_with("use ");
  return before.empty() && (after.starts_with(':') || after.starts_with(','));
}

}  // namespace

std::string flag_name(const std::string& option) {
  // A class is what most people want to name; other outputs have names too.
  if (option == "output") return "--class";
  std::string name = "--" + option;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::vector<OptionSpec> options_of(std::string_view command) {
  for (const MethodEntry& entry : catalogue()) {
    if (entry.name != command) continue;
    std::vector<OptionSpec> options = entry.options;
    for (OptionSpec& shared : shared_options()) options.push_back(std::move(shared));
    return options;
  }
  if (command == "report") return report_options();
  return {};
}

std::string with_flags(std::string_view text, const std::vector<OptionSpec>& options, bool any_place) {
  std::string written;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = word_end(text, begin);
    if (end == begin) {
      written += text[begin++];
      continue;
    }
    const std::string_view word = text.substr(begin, end - begin);
    const auto option =
        std::find_if(options.begin(), options.end(), [&](const OptionSpec& spec) { return spec.name == word; });
    if (option == options.end() || !is_meant(text.substr(0, begin), text.substr(end), *option, any_place)) {
      written += word;
    } else {
      if (written.ends_with("option ")) written.resize(written.size() - std::string_view("option ").size());
      written += flag_name(option->name);
    }
    begin = end;
  }
  return written;
}

Result with_flags(Result result) {
  const std::vector<OptionSpec> options = options_of(result.method);
  for (Caveat& caveat : result.caveats) caveat.advice = with_flags(caveat.advice, options, true);
  return result;
}

}  // namespace sightglass::cli
