// sightglass predict: the model's own predictions, one column per output.
#include <fmt/format.h>

#include <cmath>

#include "arguments.h"
#include "commands.h"
#include "interrupt.h"
#include "progress.h"
#include "sightglass/base/atomic_file.h"
#include "sightglass/base/error.h"
#include "sightglass/model/evaluator.h"
#include "sightglass/result/json.h"

namespace sightglass::cli {

namespace {

constexpr std::size_t block_rows = 4096;

struct PredictCommand {
  ModelArguments model;
  DataArguments data;
  OutputArguments output;
  WorkArguments work;
  std::string target, scale = "response";
};

std::string csv_field(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

// The shortest text that reads back as the same number: as float32, if that is what the framework predicts.
std::string number(double value, bool float32) {
  return float32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

void predict(const PredictCommand& command) {
  const std::string format = command.output.resolve("csv", "csv");
  if (format != "csv" && format != "json")
    throw Error(ErrorKind::usage, "predict writes csv or json, not " + printable(format));
  if (command.scale != "response" && command.scale != "margin") {
    throw Error(ErrorKind::usage, "--scale cannot be " + printable(command.scale), "it is one of response, margin");
  }
  Context context(command.work.threads);
  const InterruptGuard interrupt(context);
  command.output.check(format, input_files(command.model, command.data));
  auto model = command.model.load();
  const Table table = command.data.load(*model, command.target, context);
  model = decided(std::move(model), table, command.target, command.work.quiet, context);
  const auto excluded = table.not_features(command.target, "--target");
  const ProgressLine progress(context, command.work.quiet);
  const PredictOptions options{.scale = command.scale == "margin" ? Scale::margin : Scale::response,
                               .arithmetic = Arithmetic::framework};
  Evaluator evaluator(*model, table, excluded, {.predict = options}, context);
  evaluator.begin("predict", table.rows());
  // The predictions themselves have no place for it.
  for (const FitNote& note : evaluator.notes()) {
    fmt::print(stderr, "sightglass: note: {}\n", note.message);
  }

  std::vector<std::string> names;
  for (const auto& output : evaluator.outputs()) {
    names.push_back(evaluator.outputs().size() == 1 ? "prediction" : "prediction_" + output);
  }
  std::string text;
  Value::Object columns;  // names differ: the evaluator has looked
  std::vector<std::vector<double>> values(names.size());
  if (format == "csv") {
    for (std::size_t k = 0; k < names.size(); ++k) text += (k > 0 ? "," : "") + csv_field(names[k]);
    text += "\n";
  }
  Matrix predictions;
  const auto stream = table.open(evaluator.columns(), block_rows);
  while (const auto block = stream->next()) {
    evaluator.evaluate(*block, predictions);
    for (std::size_t row = 0; row < block->rows; ++row) {
      for (std::size_t k = 0; k < names.size(); ++k) {
        if (format == "json") {
          values[k].push_back(predictions(row, k));
        } else {
          text += (k > 0 ? "," : "") + number(predictions(row, k), model->signature().float32_predictions);
        }
      }
      if (format == "csv") text += "\n";
    }
  }
  for (std::size_t k = 0; k < names.size() && format == "json"; ++k) columns.emplace_back(names[k], values[k]);
  command.output.write(format == "json" ? to_json(Value(std::move(columns))) + "\n" : text);
}

}  // namespace

void add_predict_command(CLI::App& app, Action& action) {
  const auto command = std::make_shared<PredictCommand>();
  CLI::App& sub = add_command(app, {.name = "predict", .question = "The model's predictions, one column per output"},
                              [command, &action] { action = [command] { predict(*command); }; });
  command->model.add_to(sub);
  command->data.add_to(sub, true);
  add_flag(sub, "--target", command->target, "column of the data that is not a feature");
  add_flag(sub, "--scale", command->scale, "response or margin", {.shows_default = true});
  command->output.add_to(sub, "csv, json");
  command->work.add_to(sub);
}

}  // namespace sightglass::cli
