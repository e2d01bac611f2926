#include "flags.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "sightglass/base/error.h"
#include "sightglass/data/given_name.h"

namespace sightglass::cli {

namespace {

CLI::Option& with_rules(CLI::Option& option, const FlagRules& rules) {
  option.required(rules.required);
  if (rules.once) option.expected(1);
  if (rules.repeated) option.allow_extra_args(false);
  if (rules.shows_default) option.capture_default_str();
  if (rules.excludes != nullptr) option.excludes(rules.excludes);
  return option;
}

// CLI11 itself would take any number.
CLI::Validator true_or_false() {
  return CLI::Validator(
      [](const std::string& word) {
        const bool known = word == "true" || word == "false" || word == "1" || word == "0";
        return known ? std::string() : "is true or false, not " + printable(word, 60);
      },
      "");
}

}  // namespace

CLI::App& add_command(CLI::App& program, const CommandWords& words, std::function<void()> chosen) {
  CLI::App& command = *program.add_subcommand(words.name, words.question);
  if (!words.alias.empty()) command.alias(words.alias);
  command.footer(words.footer);
  command.callback(std::move(chosen));
  return command;
}

CLI::App& add_group(CLI::App& program, const CommandWords& words) {
  CLI::App& group = *program.add_subcommand(words.name, words.question);
  group.require_subcommand(1);
  group.footer(words.footer);
  return group;
}

CLI::Option& add_flag(CLI::App& command, const std::string& names, std::string& into, const std::string& help,
                      const FlagRules& rules) {
  return with_rules(*command.add_option(names, into, help), rules);
}

CLI::Option& add_flag(CLI::App& command, const std::string& names, std::vector<std::string>& into,
                      const std::string& help, const FlagRules& rules) {
  if (!rules.commas) return with_rules(*command.add_option(names, into, help), rules);
  const auto take = [&into, rules](const std::vector<std::string>& words) {
    into.clear();
    for (const std::string& word : words) {
      for (std::string& entry : split_list(word, rules.quotes)) into.push_back(std::move(entry));
    }
  };
  return with_rules(*command.add_option_function<std::vector<std::string>>(names, take, help), rules);
}

CLI::Option& add_flag(CLI::App& command, const std::string& names, bool& into, const std::string& help,
                      const FlagRules& rules) {
  return with_rules(*command.add_flag(names, into, help)->check(true_or_false()), rules);
}

CLI::Option& add_flag(CLI::App& command, const std::string& names, std::int64_t& into, const std::string& help) {
  return *command.add_option(names, into, help)->capture_default_str();
}

CLI::Option& add_flag(CLI::App& command, const std::string& names, double& into, const std::string& help) {
  return *command.add_option(names, into, help)->capture_default_str();
}

CLI::Option& add_flag_within(CLI::App& command, const std::string& names, int& into, const std::string& help, int least,
                             int most) {
  return *command.add_option(names, into, help)->capture_default_str()->check(CLI::Range(least, most));
}

bool was_given(const CLI::Option& flag) { return flag.count() > 0; }

}  // namespace sightglass::cli
