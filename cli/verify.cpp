// sightglass verify: whether what a saved result claims holds for the model and the data.
#include "sightglass/plans/verify.h"

#include <fmt/format.h>

#include "arguments.h"
#include "commands.h"
#include "interrupt.h"
#include "progress.h"
#include "sightglass/base/error.h"
#include "sightglass/base/input_file.h"
#include "sightglass/base/shown_path.h"
#include "sightglass/result/json.h"

namespace sightglass::cli {

namespace {

struct VerifyCommand {
  std::string file;
  ModelArguments model;
  DataArguments data;
  WorkArguments work;
  bool of_new_model = false;
};

void check_printed() {
  if (std::fflush(stdout) != 0) throw Error(ErrorKind::output, "cannot write to standard output", "is the disk full?");
}

void check_again(const VerifyCommand& command) {
  Context context(command.work.threads);
  const InterruptGuard interrupt(context);
  const std::string content =
      read_input_file(command.file, std::uint64_t{1} << 31, ErrorKind::data, "give a saved result");
  const Result saved = result_from_json(content, shown_path(command.file));
  auto model = command.model.load();
  const Value* named = saved.options.find("target");
  const std::string target = named != nullptr && named->is_string() ? named->as_string() : "";
  const Table table = command.data.load(*model, target, context);
  model = decided(std::move(model), table, target, true, context);
  Verification found;
  {
    const ProgressLine progress(context, command.work.quiet);
    found = verify(saved, *model, table, context, command.of_new_model);
  }
  for (const std::string& failure : found.failures) fmt::print("{}\n", failure);
  check_printed();
  const std::string checked =
      command.of_new_model
          ? fmt::format("{} of {} rows still have a change or a rule that does what was promised", found.kept,
                        found.rows)
          : fmt::format("{} predictions and {} proofs were checked again", found.predictions, found.proofs);
  if (!found.failures.empty())
    throw Error(
        ErrorKind::data,
        fmt::format("{}; {} not hold", checked,
                    found.failures.size() == 1 ? "1 claim does" : fmt::format("{} claims do", found.failures.size())),
        command.of_new_model ? "these promises do not outlive the new model"
                             : "were model and data the same when the result was made?");
  if (!command.work.quiet) fmt::print("{}; all hold\n", checked);
  check_printed();
}

}  // namespace

void add_verify_command(CLI::App& app, Action& action) {
  const auto command = std::make_shared<VerifyCommand>();
  CLI::App& sub =
      add_command(app, {.name = "verify", .question = "Check a saved result again: its predictions and its proofs"},
                  [command, &action] { action = [command] { check_again(*command); }; });
  add_flag(sub, "result", command->file, "file with a result of counterfactuals, or of anchors with certain rules",
           {.required = true});
  add_flag(sub, "--new-model", command->of_new_model,
           "the model is another version: only ask whether changes and certain rules that were promised still hold");
  command->model.add_to(sub);
  command->data.add_to(sub, true);
  command->work.add_to(sub);
}

}  // namespace sightglass::cli
