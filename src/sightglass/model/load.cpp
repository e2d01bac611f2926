#include "sightglass/model/load.h"

#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/base/input_file.h"
#include "sightglass/base/shown_path.h"
#include "sightglass/base/utf8.h"
#include "sightglass/model/readers/readers_internal.h"
#include "sightglass/model/readers/ubjson_internal.h"
#include "sightglass/model/remote/exec_model.h"
#include "sightglass/model/remote/server_address_internal.h"
#include "sightglass/model/remote/server_model.h"

namespace sightglass {

namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 31;

[[noreturn]] void refuse(std::string_view where, const std::string& what, std::string_view advice) {
  throw Error(ErrorKind::model, printable(where) + ": " + what, marked(advice));
}

constexpr const char* save_as_json = "save the model as JSON: booster.save_model('model.json')";
constexpr const char* known_formats =
    "known are XGBoost's JSON and UBJ (booster.save_model('model.json')), LightGBM's text "
    "(booster.save_model('model.txt')), CatBoost's CBM and JSON (model.save_model('model.cbm')), ONNX and files of "
    "sightglass fit";
constexpr const char* instead_of_pickle =
    "save XGBoost and LightGBM models with save_model; give any other as python:module:callable, or in Python as it "
    "is: "
    "Explainer(model, X)";
constexpr const char* use_a_process = "give {argument:model} as exec:… or python:… meanwhile";
constexpr const char* changed_places = "did {argument:model} and {argument:data} change places?";

// Files that cannot be read yet, told apart by their first bytes.
void recognise_others(std::string_view content, std::string_view where) {
  const auto starts = [&](std::string_view bytes) { return content.starts_with(bytes); };
  const auto byte = [&](std::size_t i) { return i < content.size() ? static_cast<unsigned char>(content[i]) : 0U; };
  using namespace std::string_view_literals;
  if (byte(0) == 0x80 && byte(1) >= 1 && byte(1) <= 5) {
    refuse(where, "a Python pickle; pickle is never opened, it can run any code", instead_of_pickle);
  }
  if (starts("\x78\x01"sv) || starts("\x78\x9c"sv) || starts("\x78\xda"sv) || starts("\x1f\x8b"sv) || starts("BZh"sv) ||
      starts("\xfd"
             "7zXZ"sv) ||
      starts("\x28\xb5\x2f\xfd"sv)) {
    refuse(where, "a compressed file (joblib?); pickle and joblib are never opened, they can run any code",
           instead_of_pickle);
  }
  if (starts("binf"sv) || starts("bs64"sv)) {
    refuse(where, "XGBoost's old binary format is not supported", save_as_json);
  }
  if (starts("\x89HDF"sv)) refuse(where, "an HDF5 file (Keras?) is not supported", use_a_process);
  if (starts("PK\x03\x04"sv)) refuse(where, "a ZIP file (PyTorch, Keras, skops?) is not supported", use_a_process);
  if (starts("PAR1"sv)) refuse(where, "a Parquet file: data, not a model", changed_places);
  if (starts("<?xml"sv) || starts("<PMML"sv)) refuse(where, "PMML is not supported", use_a_process);
}

std::unique_ptr<Model> read_format(std::string_view content, std::string_view where, const LoadOptions& options) {
  if (content.empty()) refuse(where, "is empty", known_formats);
  if (content.starts_with("tree\nversion=") || content.starts_with("tree\r\nversion=")) {
    return read_lightgbm_text(content, where, options);
  }
  if (content.starts_with("CBM1")) return read_catboost_cbm(content, where, options);
  recognise_others(content, where);
  if (is_catboost_json(content)) return read_catboost_json(content, where, options);
  if (is_sightglass_model(content)) return read_sightglass_json(content, where, options);
  if (is_onnx_model(content)) return read_onnx(content, where, options);
  if (is_ubjson(content)) return read_xgboost_ubj(content, where, options);
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (content[first] == '{' || content[first] == '[')) {
    return read_xgboost_json(content, where, options);
  }
  const std::string_view line = content.substr(0, content.find_first_of("\r\n"));
  const bool table = line.size() < content.size() && line.find_first_of(",;\t") != std::string_view::npos;
  refuse(where, table ? "text with columns: data, not a model" : "not a model format that is known here",
         table ? changed_places : known_formats);
}

// Names reach JSON, pages and Python, which have no other encoding.
void check_names(const Model& model, std::string_view where) {
  const Signature& signature = model.signature();
  const auto check = [&](const std::string& name, const char* of) {
    if (!is_utf8(name)) refuse(where, std::string(of) + " that is not UTF-8", "save the model again");
  };
  for (const FeatureInfo& feature : signature.features) {
    check(feature.name, "a model with the name of a feature");
    if (feature.levels_lost) continue;
    for (const std::string& level : feature.levels) check(level, "a model with the name of a category");
  }
  for (const std::string& output : signature.outputs) check(output, "a model with the name of an output");
  check(signature.other_class, "a model with the name of a class");
}

}  // namespace

std::unique_ptr<Model> parse_model(std::string_view content, std::string_view where, const LoadOptions& options) {
  std::unique_ptr<Model> model = read_format(content, where, options);
  check_names(*model, where);
  return model;
}

std::string shown_model(const std::string& location) {
  if (location.starts_with("exec:")) return shown_command(location.substr(5));
  if (is_server_address(location)) return shown_server(location);
  if (location.starts_with("python:")) return location;
  return location.substr(location.find_last_of('/') + 1);
}

std::vector<std::string> shown_models(const std::string& first, const std::string& second) {
  const std::string names[] = {shown_model(first), shown_model(second)};
  if (names[0] != names[1]) return {names[0], names[1]};
  const auto with_folder = [](const std::string& location, const std::string& name) {
    if (location.size() <= name.size() || !location.ends_with(name)) return name;
    const std::string folders = location.substr(0, location.size() - name.size() - 1);
    return folders.substr(folders.find_last_of('/') + 1) + "/" + name;
  };
  const std::string a = with_folder(first, names[0]), b = with_folder(second, names[1]);
  return {a, a == b ? b + " (2)" : b};
}

std::vector<std::string> model_files(const std::string& location) {
  if (location.starts_with("python:")) {
    std::string module = location.substr(7, location.find(':', 7) - 7);
    std::replace(module.begin(), module.end(), '.', '/');
    return {module + ".py", module + "/__init__.py"};
  }
  if (is_server_address(location)) return {};
  if (!location.starts_with("exec:")) return {location};
  // Words of a command that name files.
  std::vector<std::string> words(1);
  for (const char c : location.substr(5)) {
    if (std::string_view(" \t\n\"'=;|&<>()").find(c) == std::string_view::npos) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

std::unique_ptr<Model> load_model(const std::string& location, const LoadOptions& options) {
  const std::string_view name = location;
  const bool server = is_server_address(name);
  if ((name.starts_with("exec:") || name.starts_with("python:") || server) && options.rounds != 0) {
    throw Error(ErrorKind::usage, "a model that is asked has no rounds to choose from",
                "leave the number of rounds out");
  }
  if (server) return open_server_model(location, options);
  if (!options.protocol.empty() || !options.server_outputs.empty() || options.max_requests != 0) {
    throw Error(
        ErrorKind::usage,
        marked("{argument:protocol}, {argument:server_output} and {argument:max_requests} are about a server, and " +
               shown_model(location) + " is none"),
        "leave them out, or give the address of a server");
  }
  if (name.starts_with("exec:")) return open_exec_model(location.substr(5), options);
  if (name.starts_with("python:")) return open_python_model(location.substr(7), options);
  return parse_model(read_input_file(location, largest_file, ErrorKind::model,
                                     "give a model file, exec:COMMAND, python:module:callable or http://…"),
                     shown_path(location), options);
}

}  // namespace sightglass
