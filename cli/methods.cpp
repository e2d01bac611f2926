// sightglass methods: the catalogue, from the registry.
#include <fmt/format.h>

#include "arguments.h"
#include "commands.h"
#include "sightglass/base/error.h"
#include "sightglass/base/nearest_name.h"
#include "sightglass/learn/registry.h"
#include "sightglass/plans/explain.h"
#include "sightglass/result/json.h"
#include "spelling.h"

namespace sightglass::cli {

namespace {

struct MethodsCommand {
  std::string name;
  OutputArguments output;
};

// "partial-dependence (pdp)".
std::string title(const auto& entry) { return entry.name + (entry.alias.empty() ? "" : " (" + entry.alias + ")"); }

// What is to be said of a method that can do without.
std::string without_model(const MethodEntry& entry) {
  switch (entry.needs.model) {
    case Need::required: return entry.needs.learned ? "one that explains itself, as sightglass fit makes them" : "";
    case Need::optional: return "may be left out";
    case Need::none: return "not asked: the data are enough";
  }
  return "";
}

// " [64]"; nothing where there is no value: a list without entries, an empty text.
std::string standard(const Value& value) {
  const bool none = value.is_null() || (value.is_array() && value.as_array().empty()) ||
                    (value.is_string() && value.as_string().empty());
  return none ? "" : " [" + to_json(value) + "]";
}

using Lines = std::vector<std::pair<const char*, std::string>>;  // label, what is said

std::string page(const auto& entry, const std::vector<OptionSpec>& options, const Lines& lines) {
  std::string text = title(entry) + "\n" + entry.question + "\n\n";
  for (const auto& [label, value] : lines) {
    if (!value.empty()) text += fmt::format("  {:<18} {}\n", label, value);
  }
  text += "\nOptions\n";
  for (const auto& spec : options) {
    text += fmt::format("  {:<16} {}{}\n", flag_name(spec), with_flags(spec.help), standard(spec.default_value));
  }
  return text;
}

std::string page(const MethodEntry& entry) {
  return page(entry, all_options(entry),
              {{"formula", entry.formula},
               {"use it for", entry.when},
               {"do not use it for", entry.when_not},
               {"shows", entry.expresses},
               {"kind", kind_of(entry)},
               {"scope", scope_of(entry)},
               {"cost", entry.cost},
               {"needs", entry.needs.target == Need::required ? "target" : ""},
               {"model", without_model(entry)},
               {"paper", entry.paper}});
}

std::string page(const LearnerEntry& entry) {
  const OptionSpec* size = find_option(entry.options, entry.size_option);
  return page(entry, entry.options,
              {{"command", "sightglass fit " + entry.name},
               {"formula", entry.formula},
               {"use it for", entry.when},
               {"do not use it for", entry.when_not},
               {"learns", entry.takes_numbers ? "numbers and classes" : "classes"},
               {"size", entry.size_unit + (size == nullptr ? "" : ", by " + flag_name(*size))},
               {"cost", entry.cost},
               {"paper", entry.paper}});
}

// Calls show(entry) for the method or the learner of this name.
std::string shown_entry(const std::string& name, const auto& show) {
  std::vector<std::string> names;
  const auto is_called = [&](const auto& entry) {
    names.push_back(entry.name);
    if (!entry.alias.empty()) names.push_back(entry.alias);
    return entry.name == name || (!entry.alias.empty() && entry.alias == name);
  };
  for (const MethodEntry& entry : catalogue()) {
    if (is_called(entry)) return show(entry);
  }
  for (const LearnerEntry& entry : learners()) {
    if (is_called(entry)) return show(entry);
  }
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorKind::usage, "there is no method " + printable(name),
              nearest.empty() ? "sightglass methods lists them" : "did you mean " + nearest + "?");
}

void list_methods(const MethodsCommand& command) {
  const std::string format = command.output.resolve("table", "table");
  if (format != "table" && format != "json")
    throw Error(ErrorKind::usage, "methods writes table or json, not " + printable(format));
  command.output.check(format, {});
  std::string text;
  if (!command.name.empty()) {
    text = shown_entry(command.name, [&](const auto& entry) {
      return format == "json" ? to_json(describe(entry), 2) + "\n" : page(entry);
    });
  } else if (format == "json") {
    Value all = Value::array();
    for (const auto& entry : catalogue()) all.push_back(describe(entry));
    for (const auto& entry : learners()) all.push_back(describe(entry));
    text = to_json(all, 2) + "\n";
  } else {
    for (const auto& entry : catalogue()) text += fmt::format("{:<28} {}\n", title(entry), entry.question);
    if (!learners().empty()) text += "\nLearners: sightglass fit KIND\n";
    for (const auto& entry : learners()) text += fmt::format("{:<28} {}\n", title(entry), entry.question);
    text += "\nsightglass methods NAME tells more about one of them.\n";
  }
  command.output.write(text);
}

}  // namespace

void add_methods_command(CLI::App& app, Action& action) {
  const auto command = std::make_shared<MethodsCommand>();
  CLI::App& sub = add_command(
      app,
      {.name = "methods", .question = "The catalogue: what each method answers, when (not) to use it, its options"},
      [command, &action] { action = [command] { list_methods(*command); }; });
  add_flag(sub, "name", command->name, "one method, or one learner");
  command->output.add_to(sub, "table, json");
}

}  // namespace sightglass::cli
