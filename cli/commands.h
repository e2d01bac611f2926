// One function per command: adds its subcommand to the app and says what to do when it is chosen.
#pragma once

#include <functional>

#include "flags.h"

namespace sightglass::cli {

// What the chosen command does; called after parsing, so that errors of the work are not taken for usage.
using Action = std::function<void()>;

void add_method_commands(CLI::App& app, Action& action);  // pdp, ice, … : everything in the registry
void add_fit_command(CLI::App& app, Action& action);      // fit tree, … : every learner
void add_inspect_command(CLI::App& app, Action& action);
void add_predict_command(CLI::App& app, Action& action);
void add_methods_command(CLI::App& app, Action& action);
void add_render_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_verify_command(CLI::App& app, Action& action);

}  // namespace sightglass::cli
