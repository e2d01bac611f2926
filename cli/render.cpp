// sightglass render: saved results drawn again, without the model or the data.
#include "arguments.h"
#include "commands.h"
#include "interrupt.h"
#include "render_result.h"
#include "sightglass/base/input_file.h"
#include "sightglass/result/json.h"

namespace sightglass::cli {

namespace {

struct RenderCommand {
  std::vector<std::string> files;
  OutputArguments output;
  std::string title;
};

Result read_result(const std::string& path) {
  const std::string content = read_input_file(path, std::uint64_t{1} << 31, ErrorKind::data, "give a saved result");
  return result_from_json(content, path);
}

void render(const RenderCommand& command) {
  const std::string format = command.output.resolve("table", "table");
  Context context(1);
  const InterruptGuard interrupt(context);
  std::vector<Result> results;
  for (const auto& path : command.files) {
    context.check();
    results.push_back(read_result(path));
  }
  context.check();
  command.output.write(render_results(results, format, command.title));
}

}  // namespace

void add_render_command(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("render", "Draw saved results (JSON) in any other format");
  const auto command = std::make_shared<RenderCommand>();
  sub->add_option("results", command->files, "files with results")->required();
  sub->add_option("--title", command->title, "title of the page");
  command->output.add_to(*sub, result_formats);
  sub->callback([command, &action] { action = [command] { render(*command); }; });
}

}  // namespace sightglass::cli
