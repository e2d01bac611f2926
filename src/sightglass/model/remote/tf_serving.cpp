// TensorFlow Serving over REST, and KServe's first protocol, which is the same without metadata:
// POST /v1/models/NAME:predict with one instance for each row. Missing numbers are NaN, which TensorFlow Serving reads.
#include <algorithm>

#include "sightglass/base/error.h"
#include "sightglass/model/remote/server_protocol_internal.h"

namespace sightglass {

namespace {

constexpr std::string_view models_v1 = "/v1/models/";
constexpr std::string_view predict_verb = ":predict";

// Sizes are text: {"dim": [{"size": "-1"}, {"size": "4"}], "unknown_rank": false}.
std::vector<ServerTensor> signature_tensors(const JsonObject& signature, std::string_view key) {
  std::vector<ServerTensor> tensors;
  const auto list = signature.find(key);
  if (!list) return tensors;
  const JsonObject named(*list);
  for (const auto& [name, element] : named.members()) {
    const JsonValue value = named.require(name);
    const JsonObject tensor(value);
    ServerTensor& added = tensors.emplace_back();
    added.name = name;
    if (const auto type = tensor.find("dtype")) added.type = type->text();
    const auto shape = tensor.find("tensor_shape");
    if (!shape) continue;
    const JsonObject sizes(*shape);
    const auto dimensions = sizes.find("dim");
    if (!dimensions || !dimensions->is_array()) continue;
    dimensions->each([&](const JsonValue& item) {
      added.shape.push_back(JsonObject(item).require("size").integer(-1, std::int64_t{1} << 40));
    });
  }
  return tensors;
}

class TfServing : public ServerProtocol {
 public:
  TfServing(const ServerOpening& opening, std::string model_path)
      : path_(model_path + std::string(predict_verb)), wanted_(opening.options.server_outputs) {
    const std::size_t at = model_path.find(models_v1);
    if (at != std::string::npos) {
      facts_.model = model_path.substr(at + models_v1.size());
      facts_.model.resize(std::min(facts_.model.find('/'), facts_.model.size()));
    }
    has_metadata_ = opening.look_up(model_path + "/metadata", [&](const JsonValue& root) { read_metadata(root); });
    const auto& inputs = facts_.inputs;
    named_ = inputs.size() > 1 || (inputs.size() == 1 && inputs[0].shape.size() == 2 && inputs[0].shape[1] == 1);
    for (const ServerTensor& input : inputs) {
      const std::size_t sizes = input.shape.size();
      if (named_ ? sizes <= 1 || (sizes == 2 && input.shape[1] == 1) : sizes == 2) continue;
      throw Error(opening.http.kind(),
                  opening.http.address().url() + ": the model takes " + printable(input.text(), 120) +
                      ", which is no column of a table",
                  "serve a signature that takes a tensor for each column, or one matrix of all");
    }
    if (wanted_.empty() && facts_.outputs.size() > 1) {
      std::string names;
      for (const ServerTensor& output : facts_.outputs)
        names += (names.empty() ? "" : ", ") + printable(output.name, 40);
      throw Error(opening.http.kind(), opening.http.address().url() + ": the model has several outputs: " + names,
                  marked("choose one of them as {argument:server_output}"));
    }
  }

  [[nodiscard]] std::string_view format() const override { return "tf-serving"; }
  [[nodiscard]] const std::string& path() const override { return path_; }

  [[nodiscard]] std::vector<std::string> features() const override {
    std::vector<std::string> names;
    if (!named_) return names;
    for (const ServerTensor& input : facts_.inputs) names.push_back(input.name);
    return names;
  }

  [[nodiscard]] std::size_t width() const override {
    const bool says = !named_ && !facts_.inputs.empty() && facts_.inputs[0].shape.size() == 2;
    return says && facts_.inputs[0].shape[1] > 0 ? static_cast<std::size_t>(facts_.inputs[0].shape[1]) : 0;
  }

  [[nodiscard]] JsonCells cells(const Schema& schema, std::uint32_t column, std::size_t feature) const override {
    JsonCells cells = cells_with_dates(schema, column);
    // KServe's servers read JSON as it is defined.
    if (has_metadata_)
      cells.words = {.missing = "NaN", .infinity = "Infinity", .minus_infinity = "-Infinity"};
    else
      cells.words.infinity = cells.words.minus_infinity = "";
    if (facts_.inputs.empty()) return cells;
    const std::string& type = facts_.inputs[named_ ? feature : 0].type;
    if (type == "DT_STRING") {
      cells.kind = CellKind::text;
      cells.words.missing = "\"\"";
      return cells;
    }
    if (cells.kind == CellKind::text) {
      levels_as_numbers(cells, schema, type);
      cells.dates = {};
    }
    const bool whole = type.starts_with("DT_INT") || type.starts_with("DT_UINT");
    cells.kind = type == "DT_BOOL" ? CellKind::boolean : whole ? CellKind::whole : CellKind::number;
    cells.only_whole = whole;
    return cells;
  }

  void write(const ServerRows& rows, std::string& body) const override {
    body += "{\"instances\":[";
    write_rows(rows, named_, body);
    body += "]}";
  }

  void read(const JsonValue& root, std::size_t rows, ServerAnswer& answer) const override {
    const JsonObject object(root);
    const JsonValue list = object.require("predictions");
    read_rows(list, rows, wanted_, answer);
  }

 private:
  void read_metadata(const JsonValue& root) {
    const JsonObject object(root);
    if (const auto spec = object.find("model_spec")) {
      const JsonObject model(*spec);
      if (const auto version = model.find("version"); version && version->is_string())
        facts_.version = printable(version->text(), 40);
    }
    const JsonValue metadata = object.require("metadata");
    const JsonObject inside(metadata);
    const JsonValue outer = inside.require("signature_def");
    const JsonObject definition(outer);
    const JsonValue signatures = definition.require("signature_def");
    const JsonObject named(signatures);
    const JsonValue chosen = named.require("serving_default");
    const JsonObject signature(chosen);
    facts_.inputs = signature_tensors(signature, "inputs");
    facts_.outputs = signature_tensors(signature, "outputs");
  }

  std::string path_;
  std::vector<std::string> wanted_;
  bool has_metadata_ = false;
  bool named_ = false;  // an input for each column
};

}  // namespace

std::unique_ptr<ServerProtocol> tf_serving_protocol(const ServerOpening& opening) {
  std::string path = opening.path();
  const bool forced = opening.options.protocol == "tf-serving";
  if (path.find(models_v1) == std::string::npos && !forced) return nullptr;
  for (const std::string_view end : {std::string_view("/metadata"), predict_verb}) {
    if (path.ends_with(end)) path.resize(path.size() - end.size());
  }
  return std::make_unique<TfServing>(opening, std::move(path));
}

}  // namespace sightglass
