// A model in a child process. One request holds the columns of some rows, one answer their predictions; numbers
// travel as the shortest text that reads back exactly.
#include "sightglass/model/remote/exec_model.h"

#include <algorithm>
#include <mutex>

#include "sightglass/base/error.h"
#include "sightglass/model/readers/json_document_internal.h"
#include "sightglass/model/remote/child_process_internal.h"
#include "sightglass/model/remote/json_cells_internal.h"
#include "sightglass/model/remote/python_worker_internal.h"

namespace sightglass {

namespace {

constexpr std::size_t most_cells = std::size_t{1} << 22;  // of one request: keeps its text to some tens of MB
constexpr std::size_t most_rows = std::size_t{1} << 16;
constexpr std::size_t bytes_per_number = 40;  // of an answer; twice what any number needs
constexpr std::size_t answer_slack = std::size_t{1} << 20;

// How a request calls what a column holds.
const char* kind_of(const JsonCells& cells) {
  if (cells.kind == CellKind::text) return "text";
  return cells.kind == CellKind::boolean ? "boolean" : "number";
}

std::vector<JsonCells> cells_for(const Schema& schema, std::span<const std::uint32_t> excluded) {
  std::vector<JsonCells> all;
  for (std::uint32_t column = 0; column < schema.size(); ++column) {
    if (std::find(excluded.begin(), excluded.end(), column) == excluded.end()) all.push_back(cells_of(schema, column));
  }
  return all;
}

// What the answers must look like; unknown until the first one.
struct Shape {
  std::size_t outputs = 0;  // numbers for each row
  std::vector<std::string> names;
};

class Conversation {
 public:
  Conversation(std::vector<std::string> arguments, std::string name, double timeout)
      : process_(std::move(arguments), std::move(name)), timeout_(timeout) {
    // Started at once: it loads its model while we read the data.
    process_.start();
  }

  // Predicts all rows of a block in as many requests as it takes. shape.outputs == 0: learns it.
  void predict(const RowBlock& block, const std::vector<JsonCells>& writers, Shape& shape,
               std::vector<double>& predictions, const Context& context) {
    const std::lock_guard lock(mutex_);
    predictions.clear();
    const std::size_t step = std::min(most_rows, std::max<std::size_t>(1, most_cells / (writers.size() + 1)));
    for (std::size_t first = 0; first < block.rows; first += step) {
      const std::size_t rows = std::min(step, block.rows - first);
      write_request(block, writers, first, rows);
      const std::size_t limit = answer_slack + rows * std::max<std::size_t>(2, shape.outputs) * bytes_per_number;
      const std::string answer = process_.exchange(request_, limit, timeout_, context);
      in_step_ = false;
      try {
        read_answer(answer, rows, shape, predictions);
      } catch (...) {
        if (!in_step_) process_.stop();  // the next question goes to a fresh process
        throw;
      }
    }
  }

 private:
  void write_request(const RowBlock& block, const std::vector<JsonCells>& writers, std::size_t first,
                     std::size_t rows) {
    request_.clear();
    request_ += "{\"columns\":{";
    for (const JsonCells& cells : writers) {
      if (&cells != &writers.front()) request_ += ',';
      request_.append(quoted(cells.name)).append(":[");
      cells.append_list(request_, read_cells(block, cells.column, first, rows, numbers_));
      request_ += ']';
    }
    request_ += "},\"kinds\":{";
    for (const JsonCells& cells : writers) {
      if (&cells != &writers.front()) request_ += ',';
      request_.append(quoted(cells.name)).append(":\"").append(kind_of(cells)).append("\"");
    }
    request_ += "},\"rows\":";
    request_ += std::to_string(rows);
    request_ += ",\"scale\":\"response\"}\n";
  }

  void read_answer(const std::string& answer, std::size_t rows, Shape& shape, std::vector<double>& predictions) {
    const JsonBlame blame{ErrorKind::prediction,
                          process_.name() + ": the answer " + printable(process_.told(answer.substr(0, 200)), 60),
                          "an answer is one line such as {\"predictions\":[1.5,2]} (docs/exec-protocol.md)"};
    const JsonValue root(blame, document_.parse(answer, blame));
    const JsonObject object(root);
    if (const auto error = object.find("error")) {
      in_step_ = true;
      const auto detail = object.find("detail");
      throw Error(ErrorKind::prediction,
                  process_.name() +
                      " reports: " + printable(process_.told(error->is_string() ? error->text() : "an error"), 300),
                  {}, process_.told(detail && detail->is_string() ? detail->text() : process_.last_words()));
    }
    const bool learning = shape.outputs == 0;
    std::size_t row = 0;
    const JsonValue list = object.require("predictions");
    list.each([&](const JsonValue& item) {
      if (row >= rows) list.fail("has more items than the request has rows, " + std::to_string(rows));
      std::size_t count = 0;
      if (item.is_array() && !stands_for_infinity(item.element())) {
        item.each([&](const JsonValue& part) {
          ++count;
          predictions.push_back(prediction_in(part));
        });
        if (count == 0) item.fail("has no number");
      } else {
        ++count;
        predictions.push_back(prediction_in(item));
      }
      if (shape.outputs == 0) shape.outputs = count;
      if (count != shape.outputs) {
        item.fail("has " + std::to_string(count) + " numbers where " + std::to_string(shape.outputs) +
                  " were expected");
      }
      ++row;
    });
    if (row != rows) {
      list.fail("has " + std::to_string(row) + " items for " + std::to_string(rows) + " rows");
    }
    if (const auto names = object.find("outputs"); names && learning) {
      shape.names = names->texts();
      if (shape.names.size() != shape.outputs) {
        names->fail("names " + std::to_string(shape.names.size()) + " outputs, there are " +
                    std::to_string(shape.outputs));
      }
    }
  }

  ChildProcess process_;
  double timeout_;
  std::mutex mutex_;
  JsonDocument document_;
  std::string request_;
  std::vector<double> numbers_;
  bool in_step_ = false;  // whether the process is still fit for the next question
};

class BoundExec : public BoundModel {
 public:
  BoundExec(std::shared_ptr<Conversation> conversation, std::vector<JsonCells> writers,
            std::vector<std::string> classes)
      : conversation_(std::move(conversation)), writers_(std::move(writers)), classes_(std::move(classes)) {
    for (const JsonCells& cells : writers_) columns_.push_back(cells.column);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }

  [[nodiscard]] std::vector<std::string> outputs(const RowBlock& probe, const PredictOptions& /*options*/,
                                                 Context& context) const override {
    Shape shape;
    std::vector<double> predictions;
    conversation_->predict(probe, writers_, shape, predictions, context);
    if (two_classes()) {
      check_two(shape.outputs);
      return {classes_[1]};
    }
    return names_of_outputs(shape.outputs, classes_, shape.names);
  }

  void predict(const RowBlock& block, const PredictOptions& /*options*/, MatrixSpan<double> out,
               Context& context) const override {
    // Of two classes the second says it all, in a column of its own or alone.
    Shape shape{.outputs = two_classes() ? 0 : out.columns(), .names = {}};
    std::vector<double> predictions;
    predictions.reserve(block.rows * out.columns());
    conversation_->predict(block, writers_, shape, predictions, context);
    if (two_classes() && block.rows > 0) check_two(shape.outputs);
    const std::size_t step = shape.outputs == 2 && two_classes() ? 2 : 1;
    if (step == 1) {
      std::copy(predictions.begin(), predictions.end(), out.data());
    } else {
      for (std::size_t row = 0; row < block.rows; ++row) out(row, 0) = predictions[row * step + 1];
    }
  }

 private:
  [[nodiscard]] bool two_classes() const { return classes_.size() == 2; }
  void check_two(std::size_t count) const {
    if (count > 2) refuse_classes(count);
  }
  [[noreturn]] void refuse_classes(std::size_t count) const {
    throw Error(ErrorKind::usage,
                std::to_string(classes_.size()) + " class names were given, but the model answers " +
                    std::to_string(count) + (count == 1 ? " number" : " numbers") + " for each row",
                count == 1 ? "give two names, or none" : "give one name for each number");
  }

  std::shared_ptr<Conversation> conversation_;
  std::vector<JsonCells> writers_;
  std::vector<std::uint32_t> columns_;
  std::vector<std::string> classes_;
};

class ExecModel : public Model {
 public:
  ExecModel(std::string format, const std::string& target, std::vector<std::string> arguments,
            const LoadOptions& options)
      : conversation_(std::make_shared<Conversation>(
            std::move(arguments), format == "exec" ? shown_command(target) : format + ":" + printable(target, 80),
            options.timeout)),
        undecided_(options.classes.empty() && !options.mere_numbers) {
    // The outputs stay unnamed here: only an answer tells (BoundModel::outputs).
    signature_.format = std::move(format);
    signature_.features_known = false;
    signature_.opaque = true;
    if (!options.classes.empty()) name_classes(options.classes);
    if (signature_.format == "exec") {
      signature_.detail.set("command", shown_command(target).substr(5));
    } else {
      signature_.detail.set("callable", target);
    }
    signature_.detail.set("timeout", options.timeout);
  }
  ExecModel(const ExecModel& asked, std::vector<std::string> classes) : ExecModel(asked) {
    name_classes(std::move(classes));
  }

  [[nodiscard]] bool undecided() const { return undecided_; }
  [[nodiscard]] const Signature& signature() const override { return signature_; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::one_at_a_time; }

  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override {
    return std::make_unique<BoundExec>(conversation_, cells_for(schema, excluded), classes_);
  }
  void add_to(Digest&) const override {}  // opaque: its signature is all that is known

 private:
  void name_classes(std::vector<std::string> classes) {
    classes_ = std::move(classes);
    undecided_ = false;
    signature_.task = classes_.size() == 2 ? Task::binary : Task::multiclass;
    if (classes_.size() == 2) signature_.other_class = classes_[0];
  }

  std::shared_ptr<Conversation> conversation_;
  bool undecided_;  // whether nobody said what the answers are
  std::vector<std::string> classes_;
  Signature signature_;
};

const ExecModel* as_program(const Model& model) { return dynamic_cast<const ExecModel*>(&model); }

}  // namespace

bool is_undecided(const Model& model) {
  const ExecModel* program = as_program(model);
  return program != nullptr && program->undecided();
}

std::unique_ptr<Model> with_classes(const Model& model, std::vector<std::string> names) {
  const ExecModel* program = as_program(model);
  if (program == nullptr) throw Error(ErrorKind::internal, "the model is no program whose answers can be named");
  return std::make_unique<ExecModel>(*program, std::move(names));
}

std::string shown_command(const std::string& command) {
  constexpr std::string_view spaces = " \t\n";
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+";
  std::string_view rest = command;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(spaces), rest.size()));
    const std::string_view word = rest.substr(0, rest.find_first_of(spaces));
    const std::string_view program = word.substr(word.find_last_of('/') + 1);
    const bool readable = word.find_first_not_of(std::string(plain) + "/") == std::string_view::npos;
    if (!word.empty() && readable) return "exec:" + printable(program, 80);
    // NAME=value before the program. Whatever else a shell understands is not taken apart.
    const std::size_t equals = word.find('=');
    const bool assigns = equals != std::string_view::npos && equals > 0 && word.find_first_not_of(plain) == equals &&
                         word.find_first_of("\"'`$\\(") == std::string_view::npos;
    if (!assigns) return "exec:command";
    rest.remove_prefix(word.size());
  }
}

std::unique_ptr<Model> open_exec_model(const std::string& command, const LoadOptions& options) {
  if (command.find_first_not_of(" \t\n") == std::string::npos) {
    throw Error(ErrorKind::usage, "exec: needs a command", "for example exec:'python3 model.py'");
  }
  return std::make_unique<ExecModel>("exec", command, std::vector<std::string>{"/bin/sh", "-c", command}, options);
}

std::unique_ptr<Model> open_python_model(const std::string& target, const LoadOptions& options) {
  const std::size_t colon = target.find(':');
  if (colon == 0 || colon == std::string::npos || colon + 1 == target.size()) {
    throw Error(ErrorKind::usage, "python:" + printable(target) + " does not name a callable",
                "write python:module:callable or python:module:object.predict");
  }
  return std::make_unique<ExecModel>("python", target, std::vector<std::string>{"python3", "-c", python_worker, target},
                                     options);
}

}  // namespace sightglass
