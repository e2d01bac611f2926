#include "arguments.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "export_picture.h"
#include "sightglass/base/atomic_file.h"
#include "sightglass/base/error.h"
#include "sightglass/base/input_file.h"
#include "sightglass/base/output_place.h"
#include "sightglass/base/shown_path.h"
#include "sightglass/base/thread_limit.h"
#include "sightglass/data/given_name.h"
#include "sightglass/data/scan/scan.h"
#include "sightglass/methods/run/other_model.h"
#include "sightglass/model/answered_classes.h"
#include "sightglass/model/load.h"
#include "sightglass/model/model_categories.h"
#include "sightglass/model/model_dates.h"
#include "sightglass/model/no_model.h"
#include "sightglass/model/remote/exec_model.h"
#include "sightglass/result/json.h"
#include "spelling.h"

namespace sightglass::cli {

std::vector<std::string>& command_line() {
  static std::vector<std::string> words;
  return words;
}

namespace {

// "temp=°C,humidity=%" or a JSON file that holds an object of the same.
std::vector<std::pair<std::string, std::string>> read_units(const std::vector<std::string>& given) {
  std::vector<std::pair<std::string, std::string>> units;
  for (const auto& text : given) {
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) {
      units.emplace_back(text.substr(0, equals), text.substr(equals + 1));
      continue;
    }
    const std::string content =
        read_input_file(text, std::uint64_t{1} << 24, ErrorKind::usage, "--units takes column=unit or a JSON file");
    const Value parsed = value_from_json(content, shown_path(text));
    const auto is_unit = [](const Value::Member& member) { return member.second.is_string(); };
    if (!parsed.is_object() || !std::all_of(parsed.as_object().begin(), parsed.as_object().end(), is_unit))
      throw Error(ErrorKind::usage, "--units: " + shown_path(text) + " is no list of units",
                  "a JSON file holds an object: {\"temp\": \"°C\"}");
    for (const auto& [column, unit] : parsed.as_object()) units.emplace_back(column, unit.as_string());
  }
  return units;
}

bool looks_like_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

template <class T>
T parse_number(std::string_view text, const OptionSpec& spec, const char* what) {
  text = trimmed(text);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    const bool time = spec.type == OptionType::predictions && text.find_last_of("smh") + 1 == text.size();
    throw Error(ErrorKind::usage, flag_name(spec) + ": " + printable(text) + " is not " + what,
                time ? "it counts predictions of the model; a time is what the budget of report is" : "");
  }
  return value;
}

// A whole number counts; anything else is what a row is called, in quotes where it looks like a number.
Value parse_row(std::string_view text, const OptionSpec& spec) {
  text = trimmed(text);
  const bool quoted = text.size() > 1 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
  if (quoted) return std::string(text.substr(1, text.size() - 2));
  const std::string_view digits = text.substr(std::min(text.find_first_not_of("+-"), text.size()));
  if (!digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos)
    return parse_number<std::int64_t>(text, spec, "a whole number");
  return std::string(text);
}

Value parse_one(const std::string& text, const OptionSpec& spec) {
  if (spec.type == OptionType::rows) return parse_row(text, spec);
  // Numbers, or dates: of which only the data know.
  if (spec.type == OptionType::numbers) return std::string(trimmed(text));
  if (spec.value == ValueType::integer) return parse_number<std::int64_t>(text, spec, "a whole number");
  if (spec.value == ValueType::number) return parse_number<double>(text, spec, "a number");
  return text;
}

}  // namespace

void ModelArguments::add_to(CLI::App& app) {
  std::string help = "model file, exec:COMMAND, python:module:callable, or the http(s):// address of a server";
  if (need == Need::optional) help += "; may be left out";
  if (need == Need::none) help += "; may be left out: it is not asked, and only says which columns are features";
  add_flag(app, "--model,-m", locations, help, {.required = need == Need::required, .repeated = true});
  add_flag(app, "--classes", classes,
           "class labels in the model's order, where its file has none, or of a program; of which '' says that it "
           "predicts mere numbers",
           {.commas = true});
  add_flag(app, "--rounds", rounds, "use only the first so many rounds of boosting; 0 = as the model itself does");
  add_flag(app, "--timeout", timeout, "seconds to wait for one answer of an exec: model or a server");
  add_flag(
      app, "--protocol", protocol,
      "how a server is spoken to (oip, oip-columns, oip-matrix, mlflow, tf-serving), where its address does not say");
  add_flag(app, "--server-output", server_outputs, "which of a server's outputs to explain, where it has several",
           {.commas = true});
  add_flag(app, "--max-requests", max_requests, "requests that a server may be sent, tries included; 0 = any number");
}

const std::string& ModelArguments::location() const {
  static const std::string none;
  return locations.empty() ? none : locations.front();
}

std::shared_ptr<const Model> ModelArguments::load() const {
  if (locations.size() > 1)
    throw Error(ErrorKind::usage, "--model is given " + std::to_string(locations.size()) + " times", "give one model");
  return load(location(), rounds);
}

std::shared_ptr<const Model> ModelArguments::load(const std::vector<OptionSpec>& specs, Value& given,
                                                  ModelOption& other) const {
  if (locations.size() > 2)
    throw Error(ErrorKind::usage, "--model is given " + std::to_string(locations.size()) + " times",
                "two can be compared, more cannot");
  const OptionSpec* spec = find_option(specs, OptionType::model);
  if (locations.size() == 2) {
    if (spec != nullptr && given.find(spec->name) != nullptr)
      throw Error(ErrorKind::usage, flag_name(*spec) + " and a second --model are the same", "give one of them");
    other.place = locations[1];
    // Refused before anything is read.
    if (spec == nullptr)
      throw Error(ErrorKind::usage, "two models are given, and this method explains one",
                  "compare-models compares two of them; else leave the second out");
    given.set(spec->name, other.place);
  } else if (const Value* place = spec == nullptr ? nullptr : given.find(spec->name); place != nullptr) {
    other.place = place->as_string();
    if (other.place.empty())
      throw Error(ErrorKind::usage, flag_name(*spec) + ": a model, please", "leave it out where there is none");
  }
  auto model = load(location(), rounds);
  if (other.place.empty()) return model;
  if (const OptionSpec* names = find_option(specs, OptionType::model_names);
      names != nullptr && given.find(names->name) == nullptr)
    given.set(names->name, shown_models(location(), other.place));
  try {
    other.model = load(other.place, 0);
  } catch (const Error& error) {
    throw Error(error.kind(), flag_name(*spec) + ": " + error.message(), error.advice());
  }
  return model;
}

std::shared_ptr<const Model> ModelArguments::load(const std::string& place, std::int64_t first_rounds) const {
  if (rounds < 0) throw Error(ErrorKind::usage, "--rounds: a whole number from 0 on, please");
  if (!(timeout > 0)) throw Error(ErrorKind::usage, "--timeout: a number of seconds above 0, please");
  if (max_requests < 0) throw Error(ErrorKind::usage, "--max-requests: a whole number from 0 on, please");
  if (left_out()) {
    if (!classes.empty() || rounds != 0)
      throw Error(ErrorKind::usage, "--classes and --rounds are about a model, and there is none",
                  "give one as --model");
    return {std::shared_ptr<const void>(), &no_model()};
  }
  std::vector<std::string> names;
  for (const std::string& name : classes) names.emplace_back(trimmed(name));
  const bool none = names.size() == 1 && names[0].empty();
  if (none) names.clear();
  return load_model(place, {.classes = names,
                            .mere_numbers = none,
                            .rounds = static_cast<std::uint64_t>(first_rounds),
                            .timeout = timeout,
                            .protocol = protocol,
                            .server_outputs = server_outputs,
                            .max_requests = static_cast<std::uint64_t>(max_requests)});
}

std::shared_ptr<const Model> decided(std::shared_ptr<const Model> model, const Table& table, const std::string& target,
                                     bool quiet, Context& context) {
  constexpr std::size_t rows_at_once = 4096;
  if (model == nullptr || target.empty() || !is_undecided(*model)) return model;
  auto found = answered_classes(*model, table, target, rows_at_once, context);
  if (!found) return model;
  if (!quiet) (void)std::fputs(("sightglass: " + printable(with_flags(found->said), 1000) + "\n").c_str(), stderr);
  return with_classes(*model, std::move(found->names));
}

std::string DataArguments::name() const { return std::filesystem::path(path).filename().string(); }

std::vector<std::string> DataArguments::files() const {
  std::vector<std::string> files = units;
  files.push_back(path);
  return files;
}

void DataArguments::add_to(CLI::App& app, bool required) {
  add_flag(
      app, "--data,-d,--image", path,
      "CSV, Parquet, JSON lines, or a DuckDB file; of models that see pictures a PNG or JPEG file, or a folder of them",
      {.required = required});
  add_flag(app, "--table", table, "table of a DuckDB file");
  add_flag(app, "--query", query, "one SELECT over the file, which it sees as the table data");
  add_flag(app, "--categorical", categorical, "columns whose numbers are categories", {.commas = true});
  add_flag(app, "--numeric", numeric, "text columns that hold numbers", {.commas = true});
  add_flag(app, "--units", units, "units for axis titles: temp=°C,humidity=% or a JSON file", {.commas = true});
  add_flag(app, "--weights", weights, "column with row weights");
  add_flag(app, "--id,--ids", id,
           "column with a name for each row, which results then call it, and --rows may; no feature");
}

ScanOptions DataArguments::how(const Model& model, const Context& context) const {
  // Numbers that a model knows as categories are categories, spelled as in the file where it calls them by name.
  std::vector<std::string> model_categories, spelled;
  for (const FeatureInfo& feature : model.signature().features) {
    const bool overruled = std::find(numeric.begin(), numeric.end(), feature.name) != numeric.end();
    if (!feature.categorical || overruled) continue;
    model_categories.push_back(feature.name);
    const auto is_number = [](const std::string& level) { return looks_like_number(level); };
    if (!feature.numeric_levels && !feature.levels_lost &&
        std::any_of(feature.levels.begin(), feature.levels.end(), is_number)) {
      spelled.push_back(feature.name);
    }
  }
  return {.path = path,
          .table = table,
          .query = query,
          .categorical = categorical,
          .numeric = numeric,
          .categorical_if_present = model_categories,
          .text_if_present = spelled,
          .csv_dates = csv_dates_,
          .threads = context.threads()};
}

Table DataArguments::finished(Table loaded, const Model& model, const std::string& target) const {
  for (const auto& [column, unit] : read_units(units)) {
    // A units file may describe more columns than this table has.
    if (loaded.schema().find(column)) loaded = loaded.with_unit(column, unit);
  }
  if (!weights.empty()) loaded = loaded.with_weights(loaded.schema().require(weights, "--weights"));
  if (!id.empty()) loaded = loaded.with_row_labels(loaded.schema().require(id, "--id"));
  const auto excluded = loaded.not_features(target, "--target");
  loaded = with_model_dates(loaded, model, excluded);
  if (!numeric.empty()) return loaded;
  return with_model_categories(std::move(loaded), model.signature(), excluded);
}

Table DataArguments::load(const Model& model, const std::string& target, Context& context) const {
  return finished(scan_table(how(model, context), context), model, target);
}

Table DataArguments::load_other(const std::string& place, std::string_view option, const Model& model,
                                const std::string& target, Context& context) const {
  try {
    ScanOptions options = how(model, context);
    options.path = place;
    options.table = options.query = "";
    options.categorical_if_present.insert(options.categorical_if_present.end(), categorical.begin(), categorical.end());
    options.categorical.clear();
    // What it need not have.
    DataArguments present = *this;
    const Table loaded = scan_table(std::move(options), context);
    const auto lacks = [&](const std::string& column) { return !loaded.schema().find(column); };
    if (lacks(weights)) present.weights.clear();
    if (lacks(id)) present.id.clear();
    return present.finished(loaded, model, lacks(target) ? "" : target);
  } catch (const Error& error) {
    throw Error(error.kind(), option_name(option) + ": " + error.message_text(), error.advice_text());
  }
}

std::vector<std::string> input_files(const ModelArguments& model, const DataArguments& data) {
  std::vector<std::string> files = data.files();
  if (model.left_out()) return files;
  for (const std::string& location : model.locations) {
    for (std::string& file : model_files(location)) files.push_back(std::move(file));
  }
  return files;
}

void OutputArguments::add_to(CLI::App& app, const std::string& formats, const std::string& names,
                             const std::string& help) {
  flag_ = names.substr(0, names.find(','));
  option_ = &add_flag(app, names, path, help);
  add_flag(app, "--format,-f", format, "one of " + formats);
  formats_ = formats;
}

std::string OutputArguments::resolve(const std::string& for_terminal, const std::string& for_pipe) const {
  if (option_ != nullptr && was_given(*option_) && path.empty())
    throw Error(ErrorKind::usage, flag_ + ": the name of the file is empty", "name a file, or leave it out");
  if (!format.empty()) return format;
  if (path.empty() || path == "-") return isatty(STDOUT_FILENO) != 0 ? for_terminal : for_pipe;
  if (path.ends_with(".vl.json") || path.ends_with(".vega.json")) return "vega";
  for (const char* known : {"json", "csv", "html", "svg", "png"}) {
    if (path.ends_with("." + std::string(known))) return known;
  }
  if (path.ends_with(".txt")) return "table";
  if (path.ends_with(".htm")) return "html";
  throw Error(ErrorKind::usage, flag_ + ": the ending of " + shown_path(path) + " says no format",
              (path.ends_with(".pdf") ? "write .html and print it as PDF, or " : "") +
                  std::string("add --format, one of ") + formats_);
}

void OutputArguments::check_place(const std::string& chosen, const std::vector<std::string>& inputs) const {
  const std::string list = ", " + formats_ + ",";
  if (chosen.empty() || list.find(", " + chosen + ",") == std::string::npos)
    throw Error(ErrorKind::usage, "there is no format " + printable(chosen), "it is one of " + formats_);
  if (is_file()) check_output_file(path, inputs);
}

void OutputArguments::check(const std::string& chosen, const std::vector<std::string>& inputs) const {
  check_place(chosen, inputs);
  if (chosen == "svg" || chosen == "png") require_exporter(chosen);
}

void OutputArguments::write(std::string_view bytes) const {
  if (is_file()) {
    write_file(path, bytes);
    return;
  }
  const bool ok = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
  if (ok) return;
  const bool closed = errno == EPIPE;
  throw Error(ErrorKind::output, closed ? "nobody reads standard output any more" : "cannot write to standard output",
              closed ? "" : "is the disk full?");
}

void WorkArguments::add_to(CLI::App& app) {
  add_flag_within(app, "--threads", threads, "threads to use; 0 = all", 0, most_threads);
  add_flag(app, "--quiet,-q", quiet, "no progress on the terminal");
}

void DescribedOptions::add_to(CLI::App& app, const std::vector<OptionSpec>& specs) {
  for (const auto& spec : specs) {
    flags_.push_back(std::make_unique<Flag>(Flag{spec, nullptr, {}, false}));
    Flag& flag = *flags_.back();
    const std::string name = flag_name(spec);
    std::string names = name;
    for (const std::string& alias : spec.aliases) names += "," + flag_name({.name = alias});
    std::string help = with_flags(spec.help);
    std::string choices;
    for (const auto& choice : spec.choices) {
      if (!choice.empty()) choices += (choices.empty() ? "" : ", ") + choice;
    }
    if (!choices.empty()) help += " (" + choices + ")";
    const Value& standard = spec.default_value;
    if (standard.is_number() || (standard.is_string() && !standard.as_string().empty())) {
      help += " [" + (standard.is_string() ? standard.as_string() : to_json(standard)) + "]";
    }
    if (spec.value == ValueType::boolean) {
      if (standard.is_bool() && standard.as_bool()) help += " [on; " + name + "=false turns it off]";
      flag.option = &add_flag(app, names, flag.on, help);
      continue;
    }
    // A comma is part of a group: each argument is one.
    const bool divided = spec.many && spec.type != OptionType::groups;
    flag.option = &add_flag(app, names, flag.texts, help,
                            {.once = !spec.many,
                             .commas = divided,
                             // They tell a row's name from its number.
                             .quotes = spec.type == OptionType::rows ? Quotes::kept : Quotes::dropped});
  }
}

Value DescribedOptions::given() const {
  Value values = Value::object();
  for (const auto& flag : flags_) {
    if (!was_given(*flag->option)) continue;
    if (flag->spec.value == ValueType::boolean) {
      values.set(flag->spec.name, flag->on);
    } else if (flag->spec.many) {
      Value list = Value::array();
      for (const auto& text : flag->texts) list.push_back(parse_one(text, flag->spec));
      values.set(flag->spec.name, std::move(list));
    } else {
      values.set(flag->spec.name, parse_one(flag->texts.back(), flag->spec));
    }
  }
  return values;
}

namespace {

// A column, or columns with a colon between them.
bool names_columns(const Schema& schema, std::string_view text) {
  if (find_given(schema, text)) return true;
  for (std::size_t cut = text.find(':'); cut != std::string_view::npos; cut = text.find(':', cut + 1)) {
    if (find_given(schema, text.substr(0, cut)) && names_columns(schema, text.substr(cut + 1))) return true;
  }
  return false;
}

// Whoever did not quote the comma of a name is told how.
void hint_at_quotes(const std::string& entry, const OptionSpec& spec, const Schema& schema) {
  const std::string_view word = trimmed(entry);
  if (word.empty() || find_given(schema, word)) return;
  for (const ColumnInfo& column : schema.columns()) {
    if (column.name.find(',') == std::string::npos || column.name.find(word) == std::string::npos) continue;
    throw Error(ErrorKind::usage, flag_name(spec) + ": the data have no column " + printable(word, 60),
                "a name with a comma goes in quotes within the list: '\"" + printable(column.name) + "\"'");
  }
}

}  // namespace

void DescribedOptions::keep_names_whole(Value& given, const Schema& schema) const {
  for (const auto& flag : flags_) {
    const OptionSpec& spec = flag->spec;
    const bool pairs = spec.type == OptionType::pairs || spec.type == OptionType::triples;
    const Value* list = given.find(spec.name);
    if (list == nullptr || !list->is_array() || (spec.type != OptionType::features && !pairs)) continue;
    std::vector<std::string> entries;
    for (const Value& entry : list->as_array()) entries.push_back(entry.as_string());
    entries = joined_to_names(std::move(entries), [&](std::string_view text) {
      return pairs ? names_columns(schema, text) : find_given(schema, text).has_value();
    });
    for (const std::string& entry : entries) {
      if (!pairs) hint_at_quotes(entry, spec, schema);
    }
    given.set(spec.name, entries);
  }
}

}  // namespace sightglass::cli
