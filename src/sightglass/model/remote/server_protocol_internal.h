// How servers of models are spoken to: what they say of their model, how rows are written, how answers are read. A file
// each: open_inference.cpp, mlflow.cpp, tf_serving.cpp.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/model/load.h"
#include "sightglass/model/remote/http_client_internal.h"
#include "sightglass/model/remote/json_cells_internal.h"

namespace sightglass {

// A tensor that goes in or comes out.
struct ServerTensor {
  std::string name;
  std::string type;                 // FP64, DT_FLOAT; empty where the server does not say
  std::vector<std::int64_t> shape;  // -1: any size

  // The same as text: "temp FP64 [-1, 1]".
  [[nodiscard]] std::string text() const;
};

// What a server says of itself and its model; empty where it does not.
struct ServerFacts {
  std::string server;  // "mlserver 1.7.1"
  std::string model;
  std::string version;
  std::vector<ServerTensor> inputs, outputs;
};

// Some rows by columns: values[k] are those of cells[k].
struct ServerRows {
  std::span<const JsonCells> cells;
  std::span<const std::vector<double>> values;
  std::size_t rows = 0;
};

// Predictions as they come: rows × outputs, learnt from the first answer if 0.
struct ServerAnswer {
  std::size_t outputs = 0;
  std::vector<std::string> names;  // where the answer has names for them
  std::vector<double> predictions;

  // The next row of so many numbers.
  void begin_row(const JsonValue& item, std::size_t count);
};

class ServerProtocol {
 public:
  virtual ~ServerProtocol() = default;
  [[nodiscard]] virtual std::string_view format() const = 0;
  // Where predictions are asked for.
  [[nodiscard]] virtual const std::string& path() const = 0;
  [[nodiscard]] const ServerFacts& facts() const { return facts_; }
  // Names of the columns that the model takes; empty: whatever it is given.
  [[nodiscard]] virtual std::vector<std::string> features() const { return {}; }
  // Of a model that knows columns by position only: how many; 0: it does not say.
  [[nodiscard]] virtual std::size_t width() const { return 0; }
  // How this column of the data is written; feature: which of features() it is. Throws Error(data).
  [[nodiscard]] virtual JsonCells cells(const Schema& schema, std::uint32_t column, std::size_t feature) const = 0;
  virtual void write(const ServerRows& rows, std::string& body) const = 0;
  // Throws an Error by the value's blame.
  virtual void read(const JsonValue& root, std::size_t rows, ServerAnswer& answer) const = 0;

 protected:
  ServerFacts facts_;
};

// What is needed to make one.
struct ServerOpening {
  HttpClient& http;
  const LoadOptions& options;
  const Context& context;

  [[nodiscard]] const std::string& path() const { return http.address().path; }
  // The JSON of a page that need not be there; calls read with it and says whether it was. Throws what read throws.
  bool look_up(const std::string& path, const std::function<void(const JsonValue&)>& read) const;
};

// Null: the address is none of this protocol's, unless it was asked for by name.
[[nodiscard]] std::unique_ptr<ServerProtocol> open_inference_protocol(const ServerOpening& opening);
[[nodiscard]] std::unique_ptr<ServerProtocol> mlflow_protocol(const ServerOpening& opening);
[[nodiscard]] std::unique_ptr<ServerProtocol> tf_serving_protocol(const ServerOpening& opening);

// Hands on the root of a text that must be JSON.
void read_json(std::string_view text, const JsonBlame& blame, const std::function<void(const JsonValue&)>& read);

// The numbers of an item, lists in it taken apart. null is NaN, true is 1.
void add_numbers(const JsonValue& item, std::vector<double>& numbers);

// For protocols whose rows are lists or objects: "[1,2.5]" or {"a":1,"b":2.5}.
void write_rows(const ServerRows& rows, bool named, std::string& body);
// An item for each row: a number, a list of numbers (lists in it are taken apart), or an object of these, of whose
// members those that were asked for count, else all.
void read_rows(const JsonValue& list, std::size_t rows, const std::vector<std::string>& wanted, ServerAnswer& answer);

// What a text column becomes where a model takes numbers. Throws Error(data) on a level that is none.
void levels_as_numbers(JsonCells& cells, const Schema& schema, std::string_view type);

}  // namespace sightglass
