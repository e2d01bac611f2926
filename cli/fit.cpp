// sightglass fit KIND: a model that explains itself, from rows and their outcomes.
#include "sightglass/learn/fit.h"

#include <cstdio>
#include <filesystem>

#include "arguments.h"
#include "commands.h"
#include "interrupt.h"
#include "progress.h"
#include "render_result.h"
#include "sightglass/base/atomic_file.h"
#include "sightglass/base/error.h"
#include "sightglass/base/output_place.h"
#include "sightglass/base/shown_path.h"
#include "sightglass/learn/registry.h"
#include "sightglass/model/no_model.h"

namespace sightglass::cli {

namespace {

struct FitCommand {
  std::string learner;
  DataArguments data;
  DescribedOptions options;
  std::string path;       // where the model goes
  OutputArguments shown;  // and how it explains itself
  WorkArguments work;
};

void fit_model(const FitCommand& command) {
  const std::string format = command.shown.resolve("table", "json");
  Context context(command.work.threads);
  const InterruptGuard interrupt(context);
  if (command.path.empty())
    throw Error(ErrorKind::usage, "--out: the name of the model's file is empty", "name a file");
  std::vector<std::string> taken = command.data.files();
  check_output_file(command.path, taken);
  taken.push_back(command.path);
  command.shown.check(format, taken);
  const auto place = [](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  };
  if (command.shown.is_file() && place(command.shown.path) == place(command.path)) {
    throw Error(ErrorKind::usage, "--show: " + shown_path(command.path) + " is the model's own file", "name another");
  }
  Value given = command.options.given();
  const Value* found_target = given.find("target");
  const std::string target = found_target == nullptr ? "" : found_target->as_string();
  const Table table = command.data.load(no_model(), target, context);
  command.options.keep_names_whole(given, table.schema());
  FittedModel fitted;
  {
    const ProgressLine progress(context, command.work.quiet);
    fitted = fit(command.learner, table, given, context);
  }
  fitted.result.data.set("file", command.data.name());
  const std::string made = render_results({fitted.result}, format, "");
  context.check();
  write_file(command.path, fitted.file);
  command.shown.write(made);
  if (!command.work.quiet) (void)std::fputs(("sightglass: wrote " + shown_path(command.path) + "\n").c_str(), stderr);
}

}  // namespace

void add_fit_command(CLI::App& app, Action& action) {
  CLI::App& fit = add_group(app, {.name = "fit", .question = "Fit a model that explains itself: sightglass fit KIND"});
  for (const LearnerEntry& entry : learners()) {
    const auto command = std::make_shared<FitCommand>();
    command->learner = entry.name;
    CLI::App& sub = add_command(fit,
                                {.name = entry.name,
                                 .alias = entry.alias,
                                 .question = entry.question,
                                 .footer = "When not to use it: " + entry.when_not + "."},
                                [command, &action] { action = [command] { fit_model(*command); }; });
    command->data.add_to(sub, true);
    command->options.add_to(sub, describe_options<FitOptions>());
    command->options.add_to(sub, entry.options);
    add_flag(sub, "--out,-o,--output", command->path, "the model's file, for --model of every other command",
             {.required = true});
    command->shown.add_to(
        sub, result_formats, "--show",
        "file for how the model explains itself, whose ending decides the format; default: shown here");
    command->work.add_to(sub);
  }
}

}  // namespace sightglass::cli
