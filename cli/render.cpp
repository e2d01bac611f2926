// sightglass render: saved results drawn again, without the model or the data.
#include <filesystem>

#include "arguments.h"
#include "commands.h"
#include "interrupt.h"
#include "render_result.h"
#include "sightglass/base/error.h"
#include "sightglass/base/input_file.h"
#include "sightglass/base/shown_path.h"
#include "sightglass/result/json.h"
#include "sightglass/result/saved_results.h"

namespace sightglass::cli {

namespace {

struct RenderCommand {
  std::vector<std::string> files;
  OutputArguments output;
  std::string title;
  ChartChoice chart;
  bool list = false;
};

Result read_result(const std::string& path) {
  const std::string content = read_input_file(path, std::uint64_t{1} << 31, ErrorKind::data, "give a saved result");
  return result_from_json(content, shown_path(path));
}

void render(const RenderCommand& command) {
  const std::string format = command.output.resolve("table", "table");
  // Reading takes no time, so that whatever draws is found when there is a chart.
  std::vector<std::string> inputs = command.files;
  for (const auto& folder : command.files) {
    for (auto& file : saved_results(folder)) inputs.push_back(std::move(file));
  }
  Context context(1);
  const InterruptGuard interrupt(context);
  if (!command.list) command.output.check_place(format, inputs);
  std::vector<Result> results;
  for (const auto& path : command.files) {
    std::error_code unknown;
    const bool folder = std::filesystem::is_directory(path, unknown);
    const std::vector<std::string> files = folder ? saved_results(path) : std::vector{path};
    if (files.empty())
      throw Error(ErrorKind::data, "the folder " + shown_path(path) + " has no saved report",
                  "report --save makes one; other results are given by their names");
    for (const auto& file : files) {
      context.check();
      results.push_back(read_result(file));
    }
  }
  context.check();
  const ChartChoice& chart = command.chart;
  if (chart.name.empty() && (!chart.output.empty() || !chart.show.empty()))
    throw Error(ErrorKind::usage, "--class and --show are about a single chart", "name it with --chart");
  if (!chart.name.empty() && !command.title.empty())
    throw Error(ErrorKind::usage, "--title is that of a page", "leave it out: a chart has a title of its own");
  const std::string made = command.list          ? list_charts(results)
                           : !chart.name.empty() ? render_chart(results, format, chart)
                                                 : render_results(results, format, command.title);
  context.check();
  command.output.write(made);
}

}  // namespace

void add_render_command(CLI::App& app, Action& action) {
  const auto command = std::make_shared<RenderCommand>();
  CLI::App& sub = add_command(app, {.name = "render", .question = "Draw saved results (JSON) in any other format"},
                              [command, &action] { action = [command] { render(*command); }; });
  add_flag(sub, "results", command->files, "files with results, or the folder of a report", {.required = true});
  add_flag(sub, "--title", command->title, "title of the page");
  CLI::Option& chart = add_flag(sub, "--chart", command->chart.name,
                                "only this chart of the page, as svg, png or vega: \"effects/temp\"");
  add_flag(sub, "--list-charts", command->list, "the names of the charts", {.excludes = &chart});
  add_flag(sub, "--show", command->chart.show, "what the chart shows: \"ale,ice\"", {.commas = true});
  add_flag(sub, "--class", command->chart.output, "which class or output the chart shows");
  command->output.add_to(sub, result_formats);
}

}  // namespace sightglass::cli
