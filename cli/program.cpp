#include "program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#include "arguments.h"
#include "commands.h"
#include "interrupt.h"
#include "sightglass/base/error.h"
#include "sightglass/base/nearest_name.h"
#include "sightglass/base/same_words.h"
#include "sightglass/base/version.h"
#include "sightglass/data/schema.h"
#include "sightglass/plans/explain.h"
#include "spelling.h"

namespace sightglass::cli {

namespace {

// To stderr, which may be closed or full: that is no reason to fail differently.
void say(const std::string& line) { (void)std::fputs((line + "\n").c_str(), stderr); }

// One line: what, where, what to do. Detail only on request.
int complain(const Error& error, bool verbose) {
  std::string line = with_flags(error.message_text());
  if (!error.advice_text().empty()) line += "; " + with_flags(error.advice_text());
  say("sightglass: " + printable(line, 1000));
  if (verbose && !error.detail().empty()) say(error.detail());
  return exit_code(error.kind());
}

// A command for other data that has an option which this one lacks: of lime --text-column that is lime-text.
std::string sibling_with(const std::vector<const CLI::App*>& commands, const std::string& option) {
  if (commands.size() < 2) return {};
  for (const CLI::App* sibling : commands[commands.size() - 2]->get_subcommands({})) {
    if (!sibling->get_name().starts_with(commands.back()->get_name() + "-")) continue;
    for (const CLI::Option* each : sibling->get_options()) {
      for (const std::string& name : each->get_lnames()) {
        if ("--" + name == option || ("--" + name).starts_with(option + "-"))
          return "; sightglass " + sibling->get_name() + " has --" + name;
      }
    }
  }
  return {};
}

// All options of the commands, as they are written.
std::vector<std::string> known_options(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> known;
  for (const CLI::App* command : commands) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  }
  return known;
}

// A misspelled option, which the parser mentions only if nothing else is wrong; empty if there is none.
std::string unknown_option(const std::vector<const CLI::App*>& commands, const std::vector<std::string>& arguments,
                           const std::string& help) {
  const std::vector<std::string> known = known_options(commands);
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    const std::string name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") || std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string sibling = sibling_with(commands, name);
    if (!sibling.empty()) return "there is no option " + printable(name) + sibling;
    const std::string nearest = nearest_name(name, known);
    return "there is no option " + printable(name) +
           (nearest.empty() ? "; " + help : "; did you mean " + nearest + "?");
  }
  return {};
}

// The flag of an option or argument by its own name, among those of the commands; empty if there is none.
std::string flag_of(std::string_view own, const std::vector<std::string>& known) {
  const std::vector<OptionSpec> shared = shared_options();
  const OptionSpec* spec = find_option(shared, own);
  std::string flag = spec == nullptr ? flag_name({.name = std::string(own)}) : flag_name(*spec);
  return std::find(known.begin(), known.end(), flag) == known.end() ? std::string() : flag;
}

// The arguments with our own words for those of other libraries that mean the same: --metric is --losses. Throws
// Error(usage) where both are given.
std::vector<std::string> in_own_words(const std::vector<const CLI::App*>& commands,
                                      std::vector<std::string> arguments) {
  const std::vector<std::string> known = known_options(commands);
  const auto name_in = [](const std::string& argument) { return argument.substr(0, argument.find('=')); };
  const auto is_given = [&](const std::string& flag) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const std::string& argument) { return name_in(argument) == flag; });
  };
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    const std::string name = name_in(argument);
    if (!name.starts_with("--") || std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string word = name.substr(2);
    std::replace(word.begin(), word.end(), '-', '_');
    const std::string flag = flag_of(same_word(word), known);
    if (flag.empty()) continue;
    if (is_given(flag)) throw Error(ErrorKind::usage, name + " and " + flag + " mean the same", "give one of them");
    argument.replace(0, name.size(), flag);
  }
  return arguments;
}

// The program and the commands that the arguments begin with: "fit", "tree". Throws Error(usage) on one that there is
// not.
std::vector<const CLI::App*> named_commands(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<const CLI::App*> chain = {&app};
  std::string words;
  for (const std::string& argument : arguments) {
    const auto commands = chain.back()->get_subcommands({});
    if (argument.starts_with('-') || commands.empty()) break;
    std::vector<std::string> names;
    const CLI::App* found = nullptr;
    for (const CLI::App* command : commands) {
      if (command->check_name(argument)) found = command;
      names.push_back(command->get_name());
      names.insert(names.end(), command->get_aliases().begin(), command->get_aliases().end());
    }
    if (found == nullptr) {
      const std::string nearest = nearest_name(argument, names);
      throw Error(ErrorKind::usage, "there is no command " + words + printable(argument),
                  nearest.empty() ? "see sightglass " + words + "--help" : "did you mean " + nearest + "?");
    }
    chain.push_back(found);
    words += found->get_name() + " ";
  }
  return chain;
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  // A file size limit is an error to report, not a reason to die and leave half a file.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app("Explains trained machine-learning models, exactly, and says when not to trust the explanation.",
               "sightglass");
  app.set_version_flag("--version", std::string("sightglass ") + std::string(version()));
  bool verbose = false;
  app.add_flag("--verbose", verbose, "more detail on errors");
  app.fallthrough();
  app.require_subcommand(1);
  Action action;
  command_line().assign(argv, argv + argc);
  add_method_commands(app, action);
  add_fit_command(app, action);
  add_inspect_command(app, action);
  add_predict_command(app, action);
  add_methods_command(app, action);
  add_render_command(app, action);
  add_report_command(app, action);
  add_verify_command(app, action);
  std::vector<std::string> arguments(argv + 1, argv + std::max(argc, 1));
  std::vector<const CLI::App*> commands;
  try {
    commands = named_commands(app, arguments);
    arguments = in_own_words(commands, std::move(arguments));
  } catch (const Error& error) {
    return complain(error, false);
  }
  try {
    // The parser takes them from behind.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& success) {  // --help, --version
    const int code = app.exit(success);
    if (std::cout.flush()) return code;
    say("sightglass: cannot write to standard output; is the disk full?");
    return exit_code(ErrorKind::output);
  } catch (const CLI::ParseError& error) {
    std::string help = "see sightglass ";
    for (const CLI::App* command : commands) help += command == &app ? "" : command->get_name() + " ";
    help += "--help";
    const std::string unknown = unknown_option(commands, arguments, help);
    say("sightglass: " + (unknown.empty() ? printable(error.what(), 400) + "; " + help : unknown));
    return exit_code(ErrorKind::usage);
  }
  try {
    action();
    return 0;
  } catch (const Error& error) {
    return complain(error, verbose);
  } catch (const Cancelled&) {
    say_stopped();
    return interrupted_exit_code();
  } catch (const std::bad_alloc&) {
    say("sightglass: not enough memory; use fewer rows (--sample), features or levels, or a smaller grid");
    return exit_code(ErrorKind::data);
  } catch (const std::exception& error) {
    say("sightglass: internal error: " + printable(error.what(), 400) + "; please report it");
    return exit_code(ErrorKind::internal);
  }
}

}  // namespace sightglass::cli
