// Open Inference Protocol, version 2 over HTTP (KServe, Triton, MLServer, OpenVINO):
// https://github.com/kserve/open-inference-protocol. Data go as JSON numbers and strings, missing values as null.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/model/remote/server_protocol_internal.h"

namespace sightglass {

namespace {

constexpr std::string_view models = "/v2/models/";

bool is_integer_type(std::string_view type) { return type.starts_with("INT") || type.starts_with("UINT"); }
bool is_float_type(std::string_view type) { return type.starts_with("FP") || type == "BF16"; }

std::vector<ServerTensor> tensors_in(const JsonObject& object, std::string_view key) {
  std::vector<ServerTensor> tensors;
  const auto list = object.find(key);
  if (!list || !list->is_array()) return tensors;
  list->each([&](const JsonValue& item) {
    const JsonObject tensor(item);
    ServerTensor& added = tensors.emplace_back();
    added.name = tensor.require("name").text();
    if (const auto type = tensor.find("datatype")) added.type = type->text();
    if (const auto shape = tensor.find("shape")) {
      shape->each([&](const JsonValue& size) { added.shape.push_back(size.integer(-1, std::int64_t{1} << 40)); });
    }
  });
  return tensors;
}

std::string text_of(const JsonObject& object, std::string_view key) {
  const auto found = object.find(key);
  return found && found->is_string() ? printable(found->text(), 80) : "";
}

class OpenInference : public ServerProtocol {
 public:
  OpenInference(const ServerOpening& opening, std::string model_path)
      : model_path_(std::move(model_path)),
        wanted_(opening.options.server_outputs),
        layout_(opening.options.protocol == "oip-columns"  ? Layout::columns
                : opening.options.protocol == "oip-matrix" ? Layout::matrix
                                                           : Layout::unknown) {
    read_metadata(opening);
    path_ = model_path_ + "/infer";
    const auto& inputs = facts_.inputs;
    // One tensor with a place for each of several columns is a matrix.
    const bool one_matrix = inputs.size() == 1 && inputs[0].shape.size() == 2 && inputs[0].shape[1] != 1;
    if (layout_ == Layout::unknown) layout_ = one_matrix ? Layout::matrix : Layout::columns;
    if (layout_ == Layout::matrix && inputs.size() > 1) layout_ = Layout::columns;
    declared_ = layout_ == Layout::columns && !inputs.empty() && !one_matrix;
    check_inputs(opening);
    check_outputs(opening);
  }

  [[nodiscard]] std::string_view format() const override { return "open-inference"; }
  [[nodiscard]] const std::string& path() const override { return path_; }

  [[nodiscard]] std::vector<std::string> features() const override {
    std::vector<std::string> names;
    if (!declared_) return names;
    for (const ServerTensor& input : facts_.inputs) names.push_back(input.name);
    return names;
  }

  [[nodiscard]] std::size_t width() const override {
    const bool says = layout_ == Layout::matrix && !facts_.inputs.empty() && facts_.inputs[0].shape.size() == 2;
    return says && facts_.inputs[0].shape[1] > 0 ? static_cast<std::size_t>(facts_.inputs[0].shape[1]) : 0;
  }

  [[nodiscard]] JsonCells cells(const Schema& schema, std::uint32_t column, std::size_t feature) const override {
    JsonCells cells = cells_with_dates(schema, column);
    cells.words.infinity = cells.words.minus_infinity = "";
    const std::string type = layout_ == Layout::matrix ? matrix_type() : declared_ ? facts_.inputs[feature].type : "";
    if (type.empty()) return cells;
    if (type == "BYTES") {
      if (cells.kind != CellKind::text) cells.kind = CellKind::text;
      return cells;
    }
    if (cells.kind == CellKind::text) {
      levels_as_numbers(cells, schema, type);
      cells.dates = {};
    }
    if (type == "BOOL") {
      cells.kind = CellKind::boolean;
    } else {
      cells.kind = is_integer_type(type) ? CellKind::whole : CellKind::number;
      cells.only_whole = is_integer_type(type);
    }
    return cells;
  }

  void write(const ServerRows& rows, std::string& body) const override {
    body += "{\"inputs\":[";
    if (layout_ == Layout::matrix) {
      write_matrix(rows, body);
    } else {
      for (std::size_t k = 0; k < rows.cells.size(); ++k) write_column(rows, k, body);
    }
    body += ']';
    if (!wanted_.empty()) {
      body += ",\"outputs\":[";
      for (const std::string& name : wanted_) {
        body += (&name == &wanted_.front() ? "{\"name\":" : ",{\"name\":") + quoted(name) + "}";
      }
      body += ']';
    }
    // MLServer makes a table of columns only if it is told; others pass by what they do not know.
    if (layout_ == Layout::columns) body += ",\"parameters\":{\"content_type\":\"pd\"}";
    body += '}';
  }

  void read(const JsonValue& root, std::size_t rows, ServerAnswer& answer) const override {
    const JsonObject object(root);
    if (const auto version = object.find("model_version"); version && version->is_string() && !facts_.version.empty()) {
      if (version->text() != facts_.version)
        version->fail("is " + printable(version->text(), 40) + ", and was " + printable(facts_.version, 40) +
                      " before: the model was exchanged meanwhile");
    }
    const JsonValue list = object.require("outputs");
    std::vector<std::vector<double>> tensors(wanted_.size());
    std::vector<bool> found(wanted_.size(), false);
    std::string names;
    std::size_t count = 0;
    list.each([&](const JsonValue& item) {
      const JsonObject output(item);
      const std::string_view name = output.require("name").text();
      names += (names.empty() ? "" : ", ") + printable(name, 40);
      ++count;
      if (wanted_.empty()) {
        if (count == 1) tensors.push_back(read_tensor(item, output, rows));
        return;
      }
      const auto at = std::find(wanted_.begin(), wanted_.end(), name);
      if (at == wanted_.end()) return;
      const auto k = static_cast<std::size_t>(at - wanted_.begin());
      if (found[k]) item.fail("is the second output called " + printable(name, 40));
      found[k] = true;
      tensors[k] = read_tensor(item, output, rows);
    });
    if (wanted_.empty() && count > 1) choose_one(root.blame(), names);
    if (count == 0) list.fail("is empty");
    const auto lacking = std::find(found.begin(), found.end(), false);
    if (lacking != found.end())
      list.fail("lacks " + printable(wanted_[static_cast<std::size_t>(lacking - found.begin())], 40) + ", there is " +
                names);
    join(list, tensors, rows, answer);
  }

 private:
  enum class Layout { unknown, columns, matrix };

  void read_metadata(const ServerOpening& opening) {
    const HttpQuestion question{.path = model_path_};
    const HttpAnswer answer = opening.http.ask(question, opening.context);
    if (answer.status >= 300)
      opening.http.refuse(question, answer,
                          "write http://HOST:PORT/v2/models/NAME with the name of a model that is there");
    read_json(answer.body, {opening.http.kind(), opening.http.name_of(question), "is this a server of models?"},
              [&](const JsonValue& root) {
                const JsonObject object(root);
                facts_.model = text_of(object, "name");
                facts_.inputs = tensors_in(object, "inputs");
                facts_.outputs = tensors_in(object, "outputs");
                const auto versions = object.find("versions");
                if (!versions || !versions->is_array()) return;
                const auto listed = versions->texts();
                if (listed.size() == 1) facts_.version = printable(listed[0], 80);
              });
    const std::size_t version = model_path_.find("/versions/");
    if (version != std::string::npos) facts_.version = model_path_.substr(version + 10);
    const std::size_t base = model_path_.find(models);
    if (base == std::string::npos) return;
    (void)opening.look_up(model_path_.substr(0, base) + "/v2", [&](const JsonValue& server) {
      if (!server.is_object()) return;
      const JsonObject said(server);
      facts_.server = text_of(said, "name");
      if (const std::string number = text_of(said, "version"); !number.empty()) facts_.server += " " + number;
    });
  }

  void check_inputs(const ServerOpening& opening) const {
    for (const ServerTensor& input : facts_.inputs) {
      const bool known = input.type.empty() || input.type == "BYTES" || input.type == "BOOL" ||
                         is_integer_type(input.type) || is_float_type(input.type);
      const std::size_t sizes = input.shape.size();
      const bool column = sizes <= 1 || (sizes == 2 && (input.shape[1] == 1 || input.shape[1] == -1));
      if (known && (layout_ == Layout::matrix ? sizes == 2 : column)) continue;
      throw Error(opening.http.kind(),
                  opening.http.address().url() + ": the model takes " + printable(input.text(), 120) +
                      ", which is no column of a table",
                  "serve a model that takes a tensor for each column, or one matrix of all");
    }
  }

  void check_outputs(const ServerOpening& opening) {
    const auto& outputs = facts_.outputs;
    std::string names;
    for (const ServerTensor& output : outputs) names += (names.empty() ? "" : ", ") + printable(output.name, 40);
    for (const std::string& wanted : wanted_) {
      const auto has = [&](const ServerTensor& output) { return output.name == wanted; };
      if (!outputs.empty() && std::none_of(outputs.begin(), outputs.end(), has))
        throw Error(
            ErrorKind::usage,
            opening.http.address().url() + ": the model has no output " + printable(wanted, 40) + ", only " + names,
            marked("choose one of them as {argument:server_output}"));
    }
    const JsonBlame blame{opening.http.kind(), opening.http.address().url(), ""};
    if (wanted_.empty() && outputs.size() > 1) choose_one(blame, names);
  }

  [[noreturn]] static void choose_one(const JsonBlame& blame, const std::string& names) {
    throw Error(blame.kind, printable(blame.where, 300) + ": the model has several outputs: " + names,
                marked("choose one of them as {argument:server_output}"));
  }

  [[nodiscard]] std::string matrix_type() const {
    return facts_.inputs.empty() || facts_.inputs[0].type.empty() ? "FP64" : facts_.inputs[0].type;
  }

  void write_matrix(const ServerRows& rows, std::string& body) const {
    body += "{\"name\":" + (facts_.inputs.empty() ? "\"predict\"" : quoted(facts_.inputs[0].name)) + ",\"shape\":[" +
            std::to_string(rows.rows) + "," + std::to_string(rows.cells.size()) + "],\"datatype\":\"" + matrix_type() +
            "\",\"data\":[";
    for (std::size_t row = 0; row < rows.rows; ++row) {
      for (std::size_t k = 0; k < rows.cells.size(); ++k) {
        if (row + k > 0) body += ',';
        rows.cells[k].append(body, rows.values[k][row]);
      }
    }
    body += "]}";
  }

  // Of a column whose type nobody declared: as little as its values need.
  static std::string type_for(const JsonCells& cells, const std::vector<double>& values) {
    if (cells.kind == CellKind::text) return "BYTES";
    const auto is_whole = [](double value) { return value == std::trunc(value); };
    const auto is_truth = [](double value) { return value == 0 || value == 1; };
    if (cells.kind == CellKind::boolean && std::all_of(values.begin(), values.end(), is_truth)) return "BOOL";
    if (cells.kind == CellKind::whole && std::all_of(values.begin(), values.end(), is_whole)) return "INT64";
    return "FP64";
  }

  void write_column(const ServerRows& rows, std::size_t k, std::string& body) const {
    JsonCells cells = rows.cells[k];
    const ServerTensor* input = declared_ ? &facts_.inputs[k] : nullptr;
    std::string type = input != nullptr ? input->type : "";
    if (type.empty()) {
      type = type_for(cells, rows.values[k]);
      // A column of whole numbers with a gap or a fraction in it is one of decimal numbers.
      if (type == "FP64") cells.kind = CellKind::number;
    }
    const bool flat = input != nullptr && input->shape.size() == 1;
    if (k > 0) body += ',';
    body += "{\"name\":" + quoted(input != nullptr ? input->name : cells.name) + ",\"shape\":[" +
            std::to_string(rows.rows) + (flat ? "" : ",1") + "],\"datatype\":\"" + type + "\"";
    if (type == "BYTES") body += ",\"parameters\":{\"content_type\":\"str\"}";
    body += ",\"data\":[";
    cells.append_list(body, rows.values[k]);
    body += "]}";
  }

  static std::vector<double> read_tensor(const JsonValue& item, const JsonObject& output, std::size_t rows) {
    if (const auto type = output.find("datatype"); type && type->text() == "BYTES") {
      throw Error(
          item.blame().kind,
          printable(item.blame().where, 300) + ": the output " + printable(output.require("name").text(), 40) +
              " is text, where predictions are numbers",
          marked("choose an output of numbers as {argument:server_output}; scikit-learn's classifiers of MLServer have "
                 "predict_proba"));
    }
    const JsonValue data = output.require("data");
    std::vector<double> numbers;
    add_numbers(data, numbers);
    if (const auto shape = output.find("shape")) {
      std::size_t dimensions = 0;
      std::int64_t product = 1;
      shape->each([&](const JsonValue& size) {
        const std::int64_t length = size.integer(0, std::int64_t{1} << 40);
        if (dimensions++ == 0 && length != static_cast<std::int64_t>(rows))
          shape->fail("begins with " + std::to_string(length) + " where " + std::to_string(rows) +
                      " rows were asked about");
        product = length != 0 && product > (std::int64_t{1} << 40) / length ? std::int64_t{-1} : product * length;
        if (product < 0) shape->fail("is of more numbers than any answer has");
      });
      if (dimensions == 0 || product != static_cast<std::int64_t>(numbers.size()))
        shape->fail("says " + std::to_string(product) + " numbers, the data have " + std::to_string(numbers.size()));
    }
    if (numbers.empty() || numbers.size() % rows != 0)
      data.fail("has " + std::to_string(numbers.size()) + " numbers for " + std::to_string(rows) + " rows");
    return numbers;
  }

  void join(const JsonValue& list, const std::vector<std::vector<double>>& tensors, std::size_t rows,
            ServerAnswer& answer) const {
    std::size_t width = 0;
    for (const auto& numbers : tensors) width += numbers.size() / rows;
    if (tensors.size() > 1 && width != tensors.size())
      list.fail("has several numbers for each row in one of the outputs that were chosen; choose that one alone");
    if (tensors.size() > 1 && answer.outputs == 0) answer.names = wanted_;
    answer.begin_row(list, width);
    const std::size_t start = answer.predictions.size();
    answer.predictions.resize(start + rows * width);
    std::size_t first = 0;
    for (const auto& numbers : tensors) {
      const std::size_t each = numbers.size() / rows;
      for (std::size_t row = 0; row < rows; ++row) {
        std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(row * each), each,
                    answer.predictions.begin() + static_cast<std::ptrdiff_t>(start + row * width + first));
      }
      first += each;
    }
  }

  std::string model_path_, path_;
  std::vector<std::string> wanted_;
  Layout layout_;
  bool declared_ = false;  // the server says which columns it takes
};

// The only model of a server that lists its models.
std::string only_model(const ServerOpening& opening, const std::string& base) {
  const HttpQuestion question{.path = base + "/v2/repository/index", .body = "{}", .post = true};
  const HttpAnswer answer = opening.http.ask(question, opening.context);
  std::vector<std::string> names;
  if (answer.status < 300) {
    read_json(answer.body, {opening.http.kind(), opening.http.name_of(question), ""}, [&](const JsonValue& root) {
      if (!root.is_array()) return;
      root.each([&](const JsonValue& item) { names.emplace_back(JsonObject(item).require("name").text()); });
    });
  }
  if (names.size() == 1 && names[0].find_first_of("/ ?#%@") == std::string::npos) return names[0];
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? ": " : ", ") + printable(name, 60);
  throw Error(opening.http.kind(), opening.http.address().url() + " serves several models" + list,
              "write http://HOST:PORT/v2/models/NAME");
}

}  // namespace

std::unique_ptr<ServerProtocol> open_inference_protocol(const ServerOpening& opening) {
  const std::string& path = opening.path();
  const bool forced = opening.options.protocol.starts_with("oip");
  const std::size_t at = path.find(models);
  if (at != std::string::npos) {
    std::string model = path;
    for (const std::string_view end : {"/infer", "/ready"}) {
      if (model.ends_with(end)) model.resize(model.size() - end.size());
    }
    return std::make_unique<OpenInference>(opening, model);
  }
  if (forced && !path.empty()) return std::make_unique<OpenInference>(opening, path);
  std::string base = path;
  if (base.ends_with("/v2")) base.resize(base.size() - 3);
  bool is_one = false;
  const bool there = opening.look_up(base + "/v2", [&](const JsonValue& root) {
    is_one = root.is_object() && JsonObject(root).find("name").has_value();
  });
  if (!there || !is_one) return nullptr;
  return std::make_unique<OpenInference>(opening, base + std::string(models) + only_model(opening, base));
}

}  // namespace sightglass
