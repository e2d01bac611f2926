// A model behind http. Rows are asked about in parts, several at a time; where a part is too large for the server, it
// and all that follow are asked in parts of half the size. Each part's predictions go to its own place, whenever they
// come.
#include "sightglass/model/remote/server_model.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>

#include "sightglass/base/digest.h"
#include "sightglass/base/error.h"
#include "sightglass/model/feature_columns_internal.h"
#include "sightglass/model/remote/server_protocol_internal.h"

namespace sightglass {

namespace {

// Of one request: what servers and what stands before them usually take.
constexpr std::size_t most_rows_of_request = 1000;
constexpr std::size_t most_cells_of_request = std::size_t{1} << 17;
constexpr std::size_t bytes_of_number = 40;  // of an answer; twice what any number needs
constexpr std::size_t bytes_besides = std::size_t{1} << 20;

bool contains_any(std::string text, std::initializer_list<std::string_view> words) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// Servers without 413 say it in words: Triton "batch-size must be <= 8", TensorFlow Serving "larger than maximum input
// batch size".
bool is_too_large(const HttpAnswer& answer) {
  if (answer.status == 413) return true;
  return answer.status == 400 &&
         contains_any(words_of_error(answer.body), {"batch-size", "batch size", "too large", "larger than max"});
}

class ServerConversation {
 public:
  ServerConversation(const std::string& location, const LoadOptions& options)
      : http_(parse_server_address(location), {.timeout = options.timeout, .max_requests = options.max_requests}) {
    const Context patient(1);
    const Context& context = options.context != nullptr ? *options.context : patient;
    const ServerOpening opening{http_, options, context};
    const std::string& wanted = options.protocol;
    if (wanted.starts_with("oip")) protocol_ = open_inference_protocol(opening);
    if (wanted == "mlflow") protocol_ = mlflow_protocol(opening);
    if (wanted == "tf-serving") protocol_ = tf_serving_protocol(opening);
    if (!protocol_ && wanted.empty()) protocol_ = recognised(opening);
    if (!protocol_)
      throw Error(ErrorKind::model, http_.address().url() + ": no server of models is recognised there",
                  marked("write http://HOST:PORT/v2/models/NAME (Open Inference Protocol), …/invocations (MLflow) or "
                         "…/v1/models/NAME (TensorFlow Serving); for another path name the {argument:protocol}"));
    http_.model_is_known();
  }

  [[nodiscard]] const ServerProtocol& protocol() const { return *protocol_; }
  [[nodiscard]] const ServerAddress& address() const { return http_.address(); }

  // predictions: rows × answer.outputs; with 0 outputs there is one row, from which they are learnt.
  void predict(const RowBlock& block, const std::vector<JsonCells>& cells, ServerAnswer& answer, double* predictions,
               const Context& context) {
    const std::lock_guard lock(mutex_);
    const std::size_t fitting =
        std::max<std::size_t>(1, most_cells_of_request / std::max<std::size_t>(1, cells.size()));
    most_rows_ = std::min(most_rows_, fitting);
    std::size_t reached = 0;
    std::map<std::size_t, std::size_t> again, asked;  // numbers of rows by the first row
    const auto next = [&](HttpQuestion& question) {
      const bool anew = again.empty();
      if (anew && reached == block.rows) return false;
      using Part = std::pair<std::size_t, std::size_t>;
      const auto [first, left] = anew ? Part(reached, block.rows - reached) : Part(*again.begin());
      const std::size_t rows = std::min(most_rows_, left);
      if (anew) {
        reached += rows;
      } else {
        again.erase(again.begin());
        if (rows < left) again[first + rows] = left - rows;
      }
      asked[first] = rows;
      question = question_about(block, cells, first, rows, answer.outputs);
      return true;
    };
    const auto take = [&](const HttpQuestion& question, const HttpAnswer& given) {
      const auto at = asked.find(question.order);
      const auto [first, rows] = *at;
      asked.erase(at);
      if (is_too_large(given) && rows > 1) {
        most_rows_ = std::min(most_rows_, std::max<std::size_t>(1, rows / 2));
        again[first] = rows;
        return;
      }
      if (given.status >= 300) http_.refuse(question, given, "are these the columns that the model was made for?");
      read(question, given, rows, answer);
      if (predictions != nullptr)
        std::copy(answer.predictions.begin(), answer.predictions.end(), predictions + first * answer.outputs);
    };
    http_.ask(next, take, context);
  }

 private:
  static std::unique_ptr<ServerProtocol> recognised(const ServerOpening& opening) {
    // By the path first: those are sure, and cost no request.
    const std::string& path = opening.path();
    if (path.ends_with("/invocations")) return mlflow_protocol(opening);
    if (path.find("/v1/models/") != std::string::npos) return tf_serving_protocol(opening);
    auto found = open_inference_protocol(opening);
    return found ? std::move(found) : mlflow_protocol(opening);
  }

  HttpQuestion question_about(const RowBlock& block, const std::vector<JsonCells>& cells, std::size_t first,
                              std::size_t rows, std::size_t outputs) {
    values_.resize(cells.size());
    for (std::size_t k = 0; k < cells.size(); ++k) (void)read_cells(block, cells[k].column, first, rows, values_[k]);
    HttpQuestion question{.order = first,
                          .path = protocol_->path(),
                          .post = true,
                          .most_bytes = bytes_besides + rows * std::max<std::size_t>(1, outputs) * bytes_of_number,
                          .about = std::to_string(rows) + (rows == 1 ? " row" : " rows")};
    protocol_->write({.cells = cells, .values = values_, .rows = rows}, question.body);
    return question;
  }

  void read(const HttpQuestion& question, const HttpAnswer& given, std::size_t rows, ServerAnswer& answer) {
    const JsonBlame blame{http_.kind(),
                          http_.name_of(question) + ": the answer " +
                              printable(http_.told(std::string_view(given.body).substr(0, 200)), 60),
                          std::string("docs/servers.md says what an answer of this protocol is")};
    answer.predictions.clear();
    const JsonValue root(blame, document_.parse(given.body, blame));
    protocol_->read(root, rows, answer);
  }

  HttpClient http_;
  std::unique_ptr<ServerProtocol> protocol_;
  std::mutex mutex_;
  std::size_t most_rows_ = most_rows_of_request;
  JsonDocument document_;
  std::vector<std::vector<double>> values_;
};

class BoundServer : public BoundModel {
 public:
  BoundServer(std::shared_ptr<ServerConversation> conversation, std::vector<JsonCells> cells,
              std::vector<std::string> classes, std::vector<FitNote> notes)
      : conversation_(std::move(conversation)),
        cells_(std::move(cells)),
        classes_(std::move(classes)),
        notes_(std::move(notes)) {
    for (const JsonCells& cells_of_column : cells_) columns_.push_back(cells_of_column.column);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
  [[nodiscard]] const std::vector<FitNote>& notes() const override { return notes_; }

  [[nodiscard]] std::vector<std::string> outputs(const RowBlock& probe, const PredictOptions& /*options*/,
                                                 Context& context) const override {
    ServerAnswer answer;
    conversation_->predict(probe, cells_, answer, nullptr, context);
    return names_of_outputs(answer.outputs, classes_, answer.names);
  }

  void predict(const RowBlock& block, const PredictOptions& /*options*/, MatrixSpan<double> out,
               Context& context) const override {
    ServerAnswer answer{.outputs = out.columns(), .names = {}, .predictions = {}};
    conversation_->predict(block, cells_, answer, out.data(), context);
  }

 private:
  std::shared_ptr<ServerConversation> conversation_;
  std::vector<JsonCells> cells_;
  std::vector<std::uint32_t> columns_;
  std::vector<std::string> classes_;
  std::vector<FitNote> notes_;
};

class ServerModel : public Model {
 public:
  ServerModel(const std::string& location, const LoadOptions& options)
      : conversation_(std::make_shared<ServerConversation>(location, options)), classes_(options.classes) {
    const ServerProtocol& protocol = conversation_->protocol();
    const ServerFacts& facts = protocol.facts();
    signature_.format = protocol.format();
    signature_.version = facts.version;
    signature_.opaque = true;
    for (const std::string& name : protocol.features()) signature_.features.push_back({.name = name});
    signature_.features_known = !signature_.features.empty();
    if (!classes_.empty()) signature_.task = classes_.size() == 2 ? Task::binary : Task::multiclass;
    if (classes_.size() == 2) signature_.other_class = classes_[0];
    Value& detail = signature_.detail;
    detail.set("address", conversation_->address().origin + protocol.path());
    if (!facts.server.empty()) detail.set("server", facts.server);
    if (!facts.model.empty()) detail.set("model", facts.model);
    set_tensors("inputs", facts.inputs);
    set_tensors("server_outputs", facts.outputs);
    detail.set("timeout", options.timeout);
    if (options.max_requests != 0) detail.set("max_requests", static_cast<std::int64_t>(options.max_requests));
    detail.set(
        "exact_engine",
        "does not apply: a server tells its predictions, not the trees behind them; explain the model's file for that");
  }

  [[nodiscard]] const Signature& signature() const override { return signature_; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::one_at_a_time; }

  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override {
    const ServerProtocol& protocol = conversation_->protocol();
    std::vector<FitNote> notes;
    const std::vector<std::uint32_t> columns =
        signature_.features_known ? named_columns(schema, excluded) : all_columns(schema, excluded, notes);
    std::vector<JsonCells> cells;
    for (std::size_t k = 0; k < columns.size(); ++k) cells.push_back(protocol.cells(schema, columns[k], k));
    return std::make_unique<BoundServer>(conversation_, std::move(cells), classes_, std::move(notes));
  }

  void add_to(Digest& digest) const override { digest.text(conversation_->protocol().facts().model); }

 private:
  void set_tensors(const char* key, const std::vector<ServerTensor>& tensors) {
    if (tensors.empty()) return;
    std::string list;
    for (const ServerTensor& tensor : tensors) list += (list.empty() ? "" : "; ") + printable(tensor.text(), 100);
    signature_.detail.set(key, list);
  }

  [[nodiscard]] std::vector<std::uint32_t> named_columns(const Schema& schema,
                                                         std::span<const std::uint32_t> excluded) const {
    const ColumnMatch match = compare_columns(signature_.features, schema, excluded);
    if (!match.missing.empty()) {
      std::string names;
      for (const auto& [feature, nearest] : match.missing)
        names += (names.empty() ? "" : ", ") + printable(feature, 60) +
                 (nearest.empty() ? "" : " (nearest: " + printable(nearest, 60) + ")");
      throw Error(ErrorKind::data, "the data lack what the server takes: " + printable(names, 400),
                  "rename or add these columns");
    }
    std::vector<std::uint32_t> columns;
    for (const auto& column : match.columns) columns.push_back(*column);
    return columns;
  }

  [[nodiscard]] std::vector<std::uint32_t> all_columns(const Schema& schema, std::span<const std::uint32_t> excluded,
                                                       std::vector<FitNote>& notes) const {
    std::vector<std::uint32_t> columns;
    for (std::uint32_t column = 0; column < schema.size(); ++column) {
      if (std::find(excluded.begin(), excluded.end(), column) == excluded.end()) columns.push_back(column);
    }
    const std::size_t width = conversation_->protocol().width();
    if (width == 0) return columns;
    if (width != columns.size())
      throw Error(ErrorKind::data,
                  "the server takes a matrix of " + std::to_string(width) + " columns, the data have " +
                      std::to_string(columns.size()) + " besides target and weights",
                  "give exactly the model's columns in the model's order, for example by {argument:query}");
    notes.push_back({.kind = FitNote::Kind::by_position,
                     .column = "",
                     .levels = {},
                     .message = "the server's columns have no names, those of the data are taken in their order"});
    return columns;
  }

  std::shared_ptr<ServerConversation> conversation_;
  std::vector<std::string> classes_;
  Signature signature_;
};

}  // namespace

const std::vector<std::string>& server_protocols() {
  static const std::vector<std::string> names = {"oip", "oip-columns", "oip-matrix", "mlflow", "tf-serving"};
  return names;
}

std::unique_ptr<Model> open_server_model(const std::string& location, const LoadOptions& options) {
  const auto& known = server_protocols();
  if (!options.protocol.empty() && std::find(known.begin(), known.end(), options.protocol) == known.end()) {
    std::string list;
    for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
    throw Error(ErrorKind::usage, marked("there is no {argument:protocol} " + printable(options.protocol, 40)),
                "it is one of " + list);
  }
  return std::make_unique<ServerModel>(location, options);
}

}  // namespace sightglass
