// What the commands share: where model and data come from, where the result goes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "flags.h"
#include "sightglass/base/value.h"
#include "sightglass/data/scan/scan.h"
#include "sightglass/data/table.h"
#include "sightglass/methods/run/method.h"
#include "sightglass/model/model_option.h"

namespace sightglass::cli {

// The words that the program was called with, to be told how to do it again.
[[nodiscard]] std::vector<std::string>& command_line();

struct ModelArguments {
  std::vector<std::string> locations;  // the model; a second one is for methods that have an option for it
  std::vector<std::string> classes;
  std::int64_t rounds = 0;
  double timeout = 60;
  std::string protocol;
  std::vector<std::string> server_outputs;
  std::int64_t max_requests = 0;

  Need need = Need::required;

  void add_to(CLI::App& app);
  // A model that is not required may be left out: load() then gives no_model().
  [[nodiscard]] bool left_out() const { return need != Need::required && location().empty(); }
  [[nodiscard]] const std::string& location() const;
  // The only one. Throws Error(usage) if there are more.
  [[nodiscard]] std::shared_ptr<const Model> load() const;
  // The first, and the second of a method with these options, of which `given` has the name then: under the option's
  // own name or as a second --model. Throws Error(usage) if nothing takes the second, or if there are more.
  [[nodiscard]] std::shared_ptr<const Model> load(const std::vector<OptionSpec>& specs, Value& given,
                                                  ModelOption& other) const;

 private:
  [[nodiscard]] std::shared_ptr<const Model> load(const std::string& place, std::int64_t first_rounds) const;
};

struct DataArguments {
  std::string path, table, query;
  std::vector<std::string> categorical, numeric, units;
  std::string weights, id;

  void add_to(CLI::App& app, bool required);
  // What the table is called in results.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::vector<std::string> files() const;
  // Reads everything into memory, columns as the model knows them; the context may stop it.
  [[nodiscard]] Table load(const Model& model, const std::string& target, Context& context) const;
  // Another table of the same columns, as far as it has them. Errors begin with the option that names it.
  [[nodiscard]] Table load_other(const std::string& place, std::string_view option, const Model& model,
                                 const std::string& target, Context& context) const;

 private:
  // How dates are written in all the files.
  std::shared_ptr<CsvDates> csv_dates_ = std::make_shared<CsvDates>();

  [[nodiscard]] ScanOptions how(const Model& model, const Context& context) const;
  [[nodiscard]] Table finished(Table loaded, const Model& model, const std::string& target) const;
};

// What no output may replace.
[[nodiscard]] std::vector<std::string> input_files(const ModelArguments& model, const DataArguments& data);

struct OutputArguments {
  std::string path, format;

  void add_to(CLI::App& app, const std::string& formats, const std::string& names = "--out,-o,--output",
              const std::string& help = "file to write; its ending decides the format");
  // The format that was asked for, that the file's name says, or that fits a terminal (a table) or a pipe.
  [[nodiscard]] std::string resolve(const std::string& for_terminal, const std::string& for_pipe) const;
  // Before the work: that there is such a format, and that the file can be written and is none of the inputs. Throws
  // Error.
  void check_place(const std::string& chosen, const std::vector<std::string>& inputs) const;
  // The same, and that there is something to draw the format with.
  void check(const std::string& chosen, const std::vector<std::string>& inputs) const;
  // To the file, whole or not at all, or to standard output.
  void write(std::string_view bytes) const;
  [[nodiscard]] bool is_file() const { return !path.empty() && path != "-"; }

 private:
  std::string formats_;  // that there are
  std::string flag_;     // what the path is called
  const CLI::Option* option_ = nullptr;
};

// The model, or, of a program of which nobody said what it answers, the same with the classes that its answers about
// the data show, which is said on standard error unless `quiet`.
[[nodiscard]] std::shared_ptr<const Model> decided(std::shared_ptr<const Model> model, const Table& table,
                                                   const std::string& target, bool quiet, Context& context);

struct WorkArguments {
  int threads = 0;
  bool quiet = false;

  void add_to(CLI::App& app);
};

// Command line flags for described options; what the user gave ends up in `given`.
class DescribedOptions {
 public:
  void add_to(CLI::App& app, const std::vector<OptionSpec>& specs);
  [[nodiscard]] Value given() const;
  // Names of columns that have commas, and were given without quotes, are not divided by these.
  void keep_names_whole(Value& given, const Schema& schema) const;

 private:
  struct Flag {
    OptionSpec spec;
    CLI::Option* option;
    std::vector<std::string> texts;
    bool on = false;
  };
  std::vector<std::unique_ptr<Flag>> flags_;
};

}  // namespace sightglass::cli
