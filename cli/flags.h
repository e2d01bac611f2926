// Commands and their flags, as CLI11 parses them. Its headers are included in flags.cpp and program.cpp alone: each
// command took longer to compile for them than for all of its own code.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sightglass/data/given_name.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sightglass::cli {

struct CommandWords {
  std::string name, alias, question;
  std::string footer;  // of its help
};

// The command `words.name` of a program; `chosen` is called if it is the one that the user gave.
[[nodiscard]] CLI::App& add_command(CLI::App& program, const CommandWords& words, std::function<void()> chosen);

// A command that has commands of its own, one of which must be given.
[[nodiscard]] CLI::App& add_group(CLI::App& program, const CommandWords& words);

struct FlagRules {
  bool required = false;
  bool once = false;                // a list of one
  bool repeated = false;            // one entry of a list each time that it is given
  bool shows_default = false;       // in the help
  bool commas = false;              // between the entries of a list, beside the space between arguments (split_list)
  Quotes quotes = Quotes::dropped;  // around such an entry
  CLI::Option* excludes = nullptr;  // another flag, which must not be given with it
};

// Names are those of CLI11: "--out,-o", or without dashes for what is known by its position. What is given ends up in
// `into`.
CLI::Option& add_flag(CLI::App& command, const std::string& names, std::string& into, const std::string& help,
                      const FlagRules& rules = {});
CLI::Option& add_flag(CLI::App& command, const std::string& names, std::vector<std::string>& into,
                      const std::string& help, const FlagRules& rules = {});
CLI::Option& add_flag(CLI::App& command, const std::string& names, bool& into, const std::string& help,
                      const FlagRules& rules = {});
// Numbers have their default in the help.
CLI::Option& add_flag(CLI::App& command, const std::string& names, std::int64_t& into, const std::string& help);
CLI::Option& add_flag(CLI::App& command, const std::string& names, double& into, const std::string& help);
CLI::Option& add_flag_within(CLI::App& command, const std::string& names, int& into, const std::string& help, int least,
                             int most);
[[nodiscard]] bool was_given(const CLI::Option& flag);

}  // namespace sightglass::cli
