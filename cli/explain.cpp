// The commands of the registry: one per method, flags from its description.
#include "sightglass/plans/explain.h"

#include <cstdio>

#include "arguments.h"
#include "commands.h"
#include "interrupt.h"
#include "progress.h"
#include "render_result.h"
#include "sightglass/base/error.h"
#include "sightglass/methods/registry.h"
#include "sightglass/model/load.h"

namespace sightglass::cli {

namespace {

struct MethodCommand {
  const MethodEntry* entry = nullptr;
  ModelArguments model;
  DataArguments data;
  OutputArguments output;
  WorkArguments work;
  DescribedOptions options;
};

void run_command(const MethodCommand& command) {
  const std::string format = command.output.resolve("table", "json");
  Context context(command.work.threads);
  const InterruptGuard interrupt(context);
  Value given = command.options.given();
  std::vector<std::string> inputs = input_files(command.model, command.data);
  if (const OptionSpec* spec = find_option(command.entry->options, OptionType::model)) {
    const Value* place = given.find(spec->name);
    if (place != nullptr) inputs.push_back(place->as_string());
  }
  for (const OptionSpec& option : table_options(*command.entry)) {
    if (const Value* place = given.find(option.name)) inputs.push_back(place->as_string());
  }
  command.output.check(format, inputs);
  ModelOption other;
  auto model = command.model.load(command.entry->options, given, other);
  if (command.model.need == Need::none && !command.model.left_out() && !command.work.quiet) {
    (void)std::fputs(("sightglass: " + command.entry->name +
                      " does not ask the model, which only says which columns are features; it may be left out\n")
                         .c_str(),
                     stderr);
  }
  const Value* named = given.find("target");
  const std::string target = named == nullptr ? "" : named->as_string();
  const Table table = command.data.load(*model, target, context);
  command.options.keep_names_whole(given, table.schema());
  model = decided(std::move(model), table, target, command.work.quiet, context);
  other.model = decided(std::move(other.model), table, target, true, context);
  const auto other_table = [&](const char* option) -> std::shared_ptr<const Table> {
    const Value* place = given.find(option);
    if (place == nullptr || find_option(table_options(*command.entry), option) == nullptr) return nullptr;
    return std::make_shared<const Table>(command.data.load_other(place->as_string(), option, *model, target, context));
  };
  const OtherTables tables{.rows_from = other_table("rows_from"),
                           .background_data = other_table("background_data"),
                           .train_data = other_table("train_data")};
  Result result;
  {
    const ProgressLine progress(context, command.work.quiet);
    result = explain(command.entry->name, *model, table, given, context, nullptr, other, tables);
  }
  if (!command.model.left_out()) result.model.set("file", shown_model(command.model.location()));
  result.data.set("file", command.data.name());
  const std::string made = render_results({result}, format, "");
  context.check();
  command.output.write(made);
}

}  // namespace

void add_method_commands(CLI::App& app, Action& action) {
  for (const MethodEntry& entry : catalogue()) {
    const auto command = std::make_shared<MethodCommand>();
    command->entry = &entry;
    CLI::App& sub = add_command(app,
                                {.name = entry.name,
                                 .alias = entry.alias,
                                 .question = entry.question,
                                 .footer = "When not to use it: " + entry.when_not + "."},
                                [command, &action] { action = [command] { run_command(*command); }; });
    command->model.need = entry.needs.model;
    command->model.add_to(sub);
    command->data.add_to(sub, true);
    command->options.add_to(sub, all_options(entry));
    command->options.add_to(sub, shared_options());
    command->output.add_to(sub, result_formats);
    command->work.add_to(sub);
  }
}

}  // namespace sightglass::cli
