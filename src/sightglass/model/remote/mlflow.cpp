// MLflow's scoring server (mlflow models serve, SageMaker, Databricks): POST /invocations with dataframe_split. It says
// nothing of its model but what it answers. Its JSON has NaN and Infinity, as Python's has.
#include <algorithm>
#include <cmath>

#include "sightglass/base/error.h"
#include "sightglass/model/remote/server_protocol_internal.h"

namespace sightglass {

namespace {

constexpr std::string_view invocations = "/invocations";

class MlflowServer : public ServerProtocol {
 public:
  MlflowServer(const ServerOpening& opening, std::string path)
      : path_(std::move(path)), wanted_(opening.options.server_outputs) {
    if (!path_.ends_with(invocations)) return;
    const HttpAnswer version =
        opening.http.ask({.path = path_.substr(0, path_.size() - invocations.size()) + "/version"}, opening.context);
    const bool number = version.status < 300 && !version.body.empty() && version.body.size() < 40 &&
                        version.body.find_first_not_of("0123456789.abcdevr\n") == std::string::npos;
    if (number) facts_.server = "mlflow " + version.body.substr(0, version.body.find('\n'));
  }

  [[nodiscard]] std::string_view format() const override { return "mlflow"; }
  [[nodiscard]] const std::string& path() const override { return path_; }

  [[nodiscard]] JsonCells cells(const Schema& schema, std::uint32_t column, std::size_t /*feature*/) const override {
    JsonCells cells = cells_with_dates(schema, column);
    cells.words.infinity = "Infinity";
    cells.words.minus_infinity = "-Infinity";
    return cells;
  }

  void write(const ServerRows& rows, std::string& body) const override {
    body += "{\"dataframe_split\":{\"columns\":[";
    for (const JsonCells& cells : rows.cells) {
      if (&cells != &rows.cells.front()) body += ',';
      body += quoted(cells.name);
    }
    body += "],\"data\":[";
    // A column of nothing but null would not be one of numbers to pandas.
    std::vector<JsonCells> cells(rows.cells.begin(), rows.cells.end());
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const auto is_missing = [](double value) { return std::isnan(value); };
      const bool empty = std::all_of(rows.values[k].begin(), rows.values[k].end(), is_missing);
      if (empty && cells[k].kind != CellKind::text) cells[k].words.missing = "NaN";
    }
    write_rows({.cells = cells, .values = rows.values, .rows = rows.rows}, false, body);
    body += "]}}";
  }

  void read(const JsonValue& root, std::size_t rows, ServerAnswer& answer) const override {
    const JsonObject object(root);
    const JsonValue list = object.require("predictions");
    read_rows(list, rows, wanted_, answer);
  }

 private:
  std::string path_;
  std::vector<std::string> wanted_;
};

}  // namespace

std::unique_ptr<ServerProtocol> mlflow_protocol(const ServerOpening& opening) {
  const std::string& path = opening.path();
  const bool forced = opening.options.protocol == "mlflow";
  if (path.ends_with(invocations) || (forced && !path.empty())) return std::make_unique<MlflowServer>(opening, path);
  // MLflow answers this with nothing but the status.
  if (!forced && opening.http.ask({.path = path + "/ping"}, opening.context).status >= 300) return nullptr;
  return std::make_unique<MlflowServer>(opening, path + std::string(invocations));
}

}  // namespace sightglass
