// sightglass inspect: what a model is, what it wants, and whether the data give it that.
#include "sightglass/model/inspect.h"

#include <fmt/format.h>

#include "arguments.h"
#include "commands.h"
#include "interrupt.h"
#include "render_result.h"
#include "sightglass/base/error.h"
#include "sightglass/learn/fit.h"
#include "sightglass/plans/inspect.h"
#include "sightglass/result/json.h"

namespace sightglass::cli {

namespace {

struct InspectCommand {
  ModelArguments model;
  DataArguments data;
  OutputArguments output;
  std::string target;
};

// `count`: of all, where these are some.
std::string levels_text(const Value& levels, const Value* count = nullptr) {
  std::string text;
  const auto& list = levels.as_array();
  for (std::size_t i = 0; i < list.size() && i < 8; ++i)
    text += (i > 0 ? ", " : "") + printable(list[i].as_string(), 30);
  if (list.size() > 8)
    text +=
        fmt::format(", … ({} in all)", count == nullptr ? static_cast<std::int64_t>(list.size()) : count->as_integer());
  return text;
}

std::string scalar_text(const Value& value) {
  if (value.is_string()) return printable(value.as_string(), 200);
  return to_json(value);
}

std::string list_text(const Value& entries) {
  std::string text;
  for (const Value& entry : entries.as_array()) {
    text +=
        fmt::format("  {:<24} {:<12}", printable(entry.find("name")->as_string(), 60), entry.find("type")->as_string());
    if (const Value* unit = entry.find("unit")) text += " " + printable(unit->as_string(), 20);
    if (const Value* missing = entry.find("missing"); missing != nullptr && missing->as_integer() > 0) {
      text += fmt::format(" {} missing", missing->as_integer());
    }
    if (const Value* levels = entry.find("levels")) text += " " + levels_text(*levels, entry.find("level_count"));
    text += "\n";
  }
  return text;
}

std::string notes_text(const Value& about) {
  std::string text;
  const Value* notes = about.find("notes");
  if (notes == nullptr) return text;
  for (const Value& note : notes->as_array()) text += "  note: " + printable(note.as_string(), 400) + "\n";
  return text;
}

std::string fit_text(const Value& fit) {
  std::string text;
  if (fit.find("fits")->as_bool()) {
    text = "Data and model fit.\n";
  } else {
    text = "Data and model do not fit.\n";
    // The reason names the first kind of obstacle; where it is of columns, here are all.
    const Value* missing = fit.find("missing_columns");
    if (missing == nullptr && fit.find("wrong_columns") == nullptr)
      text += "  " + printable(fit.find("why")->as_string(), 2000) + "\n";
    if (missing != nullptr) {
      for (const Value& entry : missing->as_array()) {
        const Value* nearest = entry.find("nearest");
        text += fmt::format("  missing column: {}{}\n", printable(entry.find("feature")->as_string(), 60),
                            nearest == nullptr ? "" : " (nearest: " + printable(nearest->as_string(), 60) + ")");
      }
    }
    if (const Value* wrong = fit.find("wrong_columns")) {
      for (const Value& entry : wrong->as_array()) {
        text += fmt::format("  wrong column: {} {}\n", printable(entry.find("column")->as_string(), 60),
                            printable(entry.find("problem")->as_string(), 400));
      }
    }
  }
  if (const Value* order = fit.find("order")) text += "  order of columns: " + order->as_string() + "\n";
  text += notes_text(fit);
  if (const Value* unused = fit.find("unused_columns")) text += "  not used: " + levels_text(*unused) + "\n";
  if (const Value* unknown = fit.find("unknown_categories")) {
    for (const auto& [column, levels] : unknown->as_object()) {
      text += fmt::format("  unknown categories of {}: {}\n", printable(column, 60), levels_text(levels));
    }
  }
  return text;
}

std::string inspection_text(const Value& inspection, const std::vector<Result>& results) {
  std::string text = "Model\n";
  const Value& model = *inspection.find("model");
  for (const auto& [key, value] : model.as_object()) {
    if (key == "features") continue;
    if (value.is_object()) {
      for (const auto& [name, detail] : value.as_object())
        text += fmt::format("  {:<24} {}\n", name, scalar_text(detail));
    } else if (!(value.is_string() && value.as_string().empty())) {
      text += fmt::format("  {:<24} {}\n", key, value.is_array() ? levels_text(value) : scalar_text(value));
    }
  }
  text += "\nFeatures of the model\n" + list_text(*model.find("features"));
  const Value* data = inspection.find("data");
  if (data != nullptr) {
    text += fmt::format("\nData: {} rows\n", data->find("rows")->as_integer()) + list_text(*data->find("columns")) +
            notes_text(*data) + "\n" + fit_text(*inspection.find("fit"));
  }
  for (const Result& result : results) text += "\n" + render_results({result}, "table", "");
  return text;
}

void inspect(const InspectCommand& command) {
  const std::string format = command.output.resolve("table", "json");
  if (format != "table" && format != "json")
    throw Error(ErrorKind::usage, "inspect writes table or json, not " + printable(format));
  Context context;
  const InterruptGuard interrupt(context);
  command.output.check(format, input_files(command.model, command.data));
  auto model = command.model.load();
  Value inspection = Value::object({{"model", describe_model(model->signature())}});
  std::vector<Result> results;  // beside it: how good the model is, how a model of ours explains itself
  bool fits = true;
  if (!command.data.path.empty()) {
    const Table table = command.data.load(*model, command.target, context);
    model = decided(std::move(model), table, command.target, false, context);
    Inspection found = inspect(*model, table, command.target, context);
    fits = found.fits();
    inspection = found.to_value();
    if (found.performance) results.push_back(*std::move(found.performance));
  }
  if (auto explanation = saved_explanation(command.model.location())) {
    inspection.set("explanation", value_from_json(to_json(*explanation), "explanation"));
    results.push_back(*std::move(explanation));
  }
  command.output.write(format == "json" ? to_json(inspection, 2) + "\n" : inspection_text(inspection, results));
  // All of it is said above; who runs this in a script must hear it too.
  if (!fits) {
    throw Error(ErrorKind::data, "data and model do not fit: " + inspection.find("fit")->find("why")->as_string());
  }
}

}  // namespace

void add_inspect_command(CLI::App& app, Action& action) {
  const auto command = std::make_shared<InspectCommand>();
  CLI::App& sub = add_command(app, {.name = "inspect", .question = "What is this model, and do these data fit it?"},
                              [command, &action] { action = [command] { inspect(*command); }; });
  command->model.add_to(sub);
  command->data.add_to(sub, false);
  add_flag(sub, "--target", command->target, "column of the data with the true outcome");
  command->output.add_to(sub, "table, json");
}

}  // namespace sightglass::cli
