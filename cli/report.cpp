// sightglass report: everything a careful analyst would ask, on one page.
#include "sightglass/plans/report/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "arguments.h"
#include "commands.h"
#include "interrupt.h"
#include "progress.h"
#include "render_result.h"
#include "sightglass/base/atomic_file.h"
#include "sightglass/base/error.h"
#include "sightglass/base/output_place.h"
#include "sightglass/learn/fit.h"
#include "sightglass/model/load.h"
#include "sightglass/result/json.h"
#include "sightglass/result/saved_results.h"
#include "spelling.h"

namespace sightglass::cli {

namespace {

constexpr const char* report_formats = "html, table";

struct ReportCommand {
  ModelArguments model;
  DataArguments data;
  OutputArguments output;
  WorkArguments work;
  DescribedOptions options;
  std::string save;
};

// For a shell.
std::string as_word(const std::string& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  // A page shows no control characters: such words are spelled as bash reads them.
  const bool spelled = std::any_of(word.begin(), word.end(), is_control);
  std::string out = spelled ? "$'" : "'";
  for (const char c : word) {
    if (spelled && is_control(c)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else if (spelled && (c == '\'' || c == '\\')) {
      out += std::string("\\") + c;
    } else {
      out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
  }
  return out + "'";
}

// Whether the words from here on are an option that is written anew, and how many they are.
std::size_t words_replaced(const std::vector<std::string>& words, std::size_t at, const Repetition& again) {
  const std::vector<OptionSpec> options = report_options();
  for (const std::string& option : again.replaced) {
    const OptionSpec& spec = *find_option(options, option);
    const std::string name = flag_name(spec);
    const bool with_value = words[at].starts_with(name + "=");
    if (!with_value && words[at] != name) continue;
    std::size_t end = at + (with_value ? 1 : 2);
    while (spec.many && end < words.size() && !words[end].starts_with("-")) ++end;
    return std::min(end, words.size()) - at;
  }
  return 0;
}

// The word with a file or a model in it ("data.csv", "--data=data.csv", "-ddata.csv") shown as results do.
std::string without_places(const std::string& word, const ReportCommand& command) {
  std::vector<std::string> places = {command.data.path, command.output.path, command.save};
  for (const std::string& unit : command.data.units) {
    if (unit.find('=') == std::string::npos) places.push_back(unit);
  }
  const auto shown = [&](const std::string& place, const std::string& name) -> std::optional<std::string> {
    if (place.empty() || !word.ends_with(place) || (word.size() > place.size() && word[0] != '-')) return std::nullopt;
    return word.substr(0, word.size() - place.size()) + name;
  };
  if (const auto model = shown(command.model.location(), shown_model(command.model.location()))) return *model;
  for (const std::string& place : places) {
    const std::filesystem::path path(place);
    const std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
    if (const auto file = shown(place, name)) return *file;
  }
  return word;
}

std::string command_to_repeat(const ReportCommand& given_words, const Value& recorded) {
  const Repetition again = repetition(recorded);
  std::string command = "sightglass";
  const std::vector<std::string>& words = command_line();
  for (std::size_t i = 1; i < words.size();) {
    const std::size_t replaced = words_replaced(words, i, again);
    if (replaced == 0) command += " " + as_word(without_places(words[i], given_words));
    i += std::max<std::size_t>(1, replaced);
  }
  for (const auto& [option, value] : again.instead.as_object()) {
    std::string given;
    if (value.is_array()) {
      for (const Value& item : value.as_array()) given += (given.empty() ? "" : ",") + item.as_string();
    } else {
      given = to_json(value);
    }
    command += " " + flag_name({.name = option}) + " " + given;
  }
  return command;
}

void run_report(const ReportCommand& command) {
  const auto start = std::chrono::steady_clock::now();
  const std::string format = command.output.resolve("table", "html");
  if (format != "html" && format != "table")
    throw Error(ErrorKind::usage, "a report has no format " + printable(format),
                std::string("it is one of ") + report_formats + "; --save keeps the results as JSON");
  Context context(command.work.threads);
  const InterruptGuard interrupt(context);
  if (!command.save.empty()) {
    check_output_folder(command.save);
    check_saved_beside(command.save, command.output.is_file() ? command.output.path : "");
  }
  command.output.check(format, input_files(command.model, command.data));
  Value given = command.options.given();
  ModelOption other;
  auto model = command.model.load(report_options(), given, other);
  const Value* named = given.find("target");
  const std::string target = named == nullptr ? "" : named->as_string();
  const Table table = command.data.load(*model, target, context);
  command.options.keep_names_whole(given, table.schema());
  model = decided(std::move(model), table, target, command.work.quiet, context);
  other.model = decided(std::move(other.model), table, target, true, context);
  std::vector<Result> results;
  {
    const ProgressLine progress(context, command.work.quiet);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    results = report(*model, table, given, context, saved_explanation(command.model.location()), other, spent.count());
  }
  for (Result& result : results) {
    result.model.set("file", shown_model(command.model.location()));
    if (result.about.family != Family::learners) result.data.set("file", command.data.name());
  }
  Value& options = results.front().options;
  options.set("command", command_to_repeat(command, options));
  const std::string page = render_results(results, format, options.find("title")->as_string());
  context.check();
  if (command.save.empty() || !command.output.is_file()) command.output.write(page);
  if (!command.save.empty()) {
    // Neither the page nor the results without the other.
    const WritingGuard guard;
    std::optional<AtomicFile> file;
    if (command.output.is_file()) {
      file.emplace(command.output.path).write(page);
      file->finish();
    }
    save_results(results, command.save, [&] { context.check(); });
    if (file) file->commit();
  }
  if (command.work.quiet || command.output.path.empty() || isatty(STDERR_FILENO) == 0) return;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print(stderr, "{}: {} KB, {:.1f} s\n", command.output.path, page.size() / 1024, seconds);
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  const auto command = std::make_shared<ReportCommand>();
  CLI::App& sub =
      add_command(app, {.name = "report", .question = "Everything a careful analyst would ask of a model, on one page"},
                  [command, &action] { action = [command] { run_report(*command); }; });
  command->model.add_to(sub);
  command->data.add_to(sub, true);
  command->options.add_to(sub, report_options());
  command->output.add_to(sub, report_formats);
  command->work.add_to(sub);
  add_flag(sub, "--save", command->save, "folder for the results themselves, for sightglass render");
}

}  // namespace sightglass::cli
