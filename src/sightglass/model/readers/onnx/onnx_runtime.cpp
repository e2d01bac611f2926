#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <thread>
#include <unordered_set>

#include "sightglass/base/digest.h"
#include "sightglass/base/error.h"
#include "sightglass/data/new_rows.h"
#include "sightglass/model/feature_columns_internal.h"
#include "sightglass/model/readers/onnx/onnx_graph_internal.h"
#include "sightglass/model/readers/onnx/onnx_runtime_internal.h"
#include "sightglass/model/readers/onnx/onnxruntime_library_internal.h"

namespace sightglass {

namespace {

// What is asked at once: a network's layers take memory for each row.
constexpr std::size_t most_asked_rows = 1024;
constexpr std::size_t most_asked_bytes = std::size_t{1} << 26;
constexpr std::size_t most_runtime_outputs = 100000;
// Of all sessions together, beside what the weights take.
constexpr const char* most_arena_bytes = "4294967296";

template <class T>
using Released = std::unique_ptr<T, void (*)(T*)>;

// Throws what onnxruntime reports.
void require(OrtStatus* status, ErrorKind kind, const std::string& where, const std::string& what) {
  if (status == nullptr) return;
  const std::string reason = onnxruntime().api->GetErrorMessage(status);
  onnxruntime().api->ReleaseStatus(status);
  throw Error(kind, where + ": " + what + ": " + printable(reason, 200),
              kind == ErrorKind::model ? "export the model again" : "", "onnxruntime: " + reason);
}

void say_nothing(void*, OrtLoggingLevel, const char*, const char*, const char*, const char*) {}

// One for the process: threads and memory belong to it.
OrtEnv* environment() {
  static OrtEnv* made = [] {
    const OrtApi& api = *onnxruntime().api;
    const std::string where = "onnxruntime";
    OrtEnv* env = nullptr;
    require(api.CreateEnvWithCustomLogger(say_nothing, nullptr, ORT_LOGGING_LEVEL_FATAL, "sightglass", &env),
            ErrorKind::model, where, "does not start");
    require(api.DisableTelemetryEvents(env), ErrorKind::model, where, "does not start");
    OrtMemoryInfo* memory = nullptr;
    require(api.CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory), ErrorKind::model, where,
            "does not start");
    const char* keys[] = {"max_mem"};
    const std::size_t values[] = {std::stoull(most_arena_bytes)};
    OrtArenaCfg* arena = nullptr;
    require(api.CreateArenaCfgV2(keys, values, 1, &arena), ErrorKind::model, where, "does not start");
    require(api.CreateAndRegisterAllocator(env, memory, arena), ErrorKind::model, where, "does not start");
    api.ReleaseArenaCfg(arena);
    api.ReleaseMemoryInfo(memory);
    return env;
  }();
  return made;
}

// ZipMap makes a dictionary for each row, which is slow to make and to take apart: the model is run without it, and
// answers what goes into it.
struct WithoutMaps {
  std::string content;
  std::string scores;               // the output instead of the dictionaries; empty: there were none
  std::vector<std::string> labels;  // of the dictionaries
};

std::vector<std::string> labels_of(const OnnxNode& node) {
  std::vector<std::string> labels;
  for (const char* name : {"classlabels_strings", "classlabels_int64s", "classlabels_ints"}) {
    const OnnxAttribute* attribute = node.find(name);
    if (attribute == nullptr || !labels.empty()) continue;
    for (const std::string_view label : attribute->texts) labels.emplace_back(label);
    for (const std::int64_t label : attribute->integers) labels.push_back(std::to_string(label));
  }
  return labels;
}

std::string graph_without(protozero::pbf_reader graph, const OnnxNode& map) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  while (graph.next()) {
    const auto tag = graph.tag();
    if (graph.wire_type() != protozero::pbf_wire_type::length_delimited) {
      graph.skip();
      continue;
    }
    const auto view = graph.get_view();
    const auto has = [&](protozero::pbf_tag_type field, std::string_view text) {
      protozero::pbf_reader inner(view);
      while (inner.next(field)) {
        const auto found = inner.get_view();
        if (std::string_view(found.data(), found.size()) == text) return true;
      }
      return false;
    };
    if (tag == 1 && has(2, map.outputs[0])) continue;
    if (tag == 12 && has(1, map.outputs[0])) {
      protozero::pbf_writer output(writer, 12);
      output.add_string(1, std::string(map.inputs[0]));
      protozero::pbf_writer type(output, 2);
      protozero::pbf_writer tensor(type, 1);
      tensor.add_int32(1, 1);
      continue;
    }
    writer.add_bytes(tag, view.data(), view.size());
  }
  return bytes;
}

WithoutMaps without_maps(const OnnxFile& file, std::string_view content) {
  WithoutMaps result;
  const OnnxNode* map = nullptr;
  for (const OnnxNode& node : file.nodes) {
    const bool answer = node.op == "ZipMap" && node.inputs.size() == 1 && node.outputs.size() == 1 &&
                        std::any_of(file.outputs.begin(), file.outputs.end(),
                                    [&](const OnnxValue& output) { return output.name == node.outputs[0]; });
    if (answer) map = &node;
  }
  if (map == nullptr) return result;
  result.scores = map->inputs[0];
  result.labels = labels_of(*map);
  protozero::pbf_writer writer(result.content);
  protozero::pbf_reader model(protozero::data_view(content.data(), content.size()));
  while (model.next()) {
    const auto tag = model.tag();
    if (model.wire_type() == protozero::pbf_wire_type::varint) {
      writer.add_uint64(tag, model.get_uint64());
    } else if (model.wire_type() == protozero::pbf_wire_type::length_delimited) {
      if (tag == 7) {
        writer.add_message(7, graph_without(model.get_message(), *map));
      } else {
        const auto view = model.get_view();
        writer.add_bytes(tag, view.data(), view.size());
      }
    } else {
      model.skip();
    }
  }
  return result;
}

// ---- what goes in

struct InputTensor {
  std::string name;
  OnnxType type = OnnxType::undefined;
  std::size_t dims = 2;
  std::size_t first = 0, width = 1;  // its features
};

// A column as texts.
struct TextColumn {
  bool text = false;
  std::vector<std::string> levels;  // of the column; empty if it holds numbers

  [[nodiscard]] std::string spelled(double value) const {
    if (std::isnan(value)) return "";
    if (!levels.empty()) {
      return value >= 0 && value < static_cast<double>(levels.size()) ? levels[static_cast<std::size_t>(value)] : "";
    }
    char spelling[40];
    const bool whole = value == std::trunc(value) && std::abs(value) < 9007199254740992.0;
    char* end = whole ? std::to_chars(spelling, spelling + sizeof spelling, static_cast<std::int64_t>(value)).ptr
                      : std::to_chars(spelling, spelling + sizeof spelling, value).ptr;
    return {spelling, end};
  }
};

// Stops a run when the work is cancelled: a graph may hold a loop without end.
class Watch {
 public:
  Watch(const Context& context, OrtRunOptions* options)
      : thread_([&context, options](const std::stop_token& done) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any wake;
          while (!done.stop_requested()) {
            if (context.cancelled()) {
              if (OrtStatus* failed = onnxruntime().api->RunOptionsSetTerminate(options)) {
                onnxruntime().api->ReleaseStatus(failed);
              }
              return;
            }
            (void)wake.wait_for(lock, done, std::chrono::milliseconds(100), [] { return false; });
          }
        }) {}

 private:
  std::jthread thread_;
};

// Everything that a session needs, shared by the model and what is bound of it.
class Session {
 public:
  Session(std::string_view content, std::string where, std::vector<InputTensor> inputs, std::string output)
      : where_(std::move(where)), inputs_(std::move(inputs)), output_(std::move(output)) {
    const OrtApi& api = *onnxruntime().api;
    OrtEnv* env = environment();
    OrtSessionOptions* options = nullptr;
    require(api.CreateSessionOptions(&options), ErrorKind::model, where_, "onnxruntime has no options");
    const Released<OrtSessionOptions> released(options, api.ReleaseSessionOptions);
    const auto set = [&](OrtStatus* status) {
      require(status, ErrorKind::model, where_, "onnxruntime takes no options");
    };
    // One thread: the same bytes every time. Blocks of rows are asked in parallel.
    set(api.SetIntraOpNumThreads(options, 1));
    set(api.SetInterOpNumThreads(options, 1));
    set(api.SetSessionExecutionMode(options, ORT_SEQUENTIAL));
    set(api.AddSessionConfigEntry(options, "session.use_env_allocators", "1"));
    OrtSession* session = nullptr;
    require(api.CreateSessionFromArray(env, content.data(), content.size(), options, &session), ErrorKind::model,
            where_, "onnxruntime " + onnxruntime().version + " does not take the model");
    session_ = {session, api.ReleaseSession};
    OrtMemoryInfo* memory = nullptr;
    require(api.CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory), ErrorKind::model, where_,
            "onnxruntime has no memory");
    memory_ = {memory, api.ReleaseMemoryInfo};
  }

  [[nodiscard]] const std::vector<InputTensor>& inputs() const { return inputs_; }

  // Values of all features, feature after feature, `stride` apart. Answers row after row; their number is what
  // comes back. Safe for concurrent calls.
  std::size_t run(const std::vector<double>& values, const std::vector<TextColumn>& texts, std::size_t stride,
                  std::size_t rows, const RowBlock& block, std::size_t first, std::vector<double>& answers,
                  const Context& context) const {
    const OrtApi& api = *onnxruntime().api;
    std::vector<Released<OrtValue>> tensors;
    std::vector<std::vector<char>> buffers;
    std::vector<const char*> names;
    std::vector<const OrtValue*> given;
    for (const InputTensor& input : inputs_) {
      names.push_back(input.name.c_str());
      tensors.push_back(tensor(input, values, texts, stride, rows, block, first, buffers));
      given.push_back(tensors.back().get());
    }
    const char* wanted[] = {output_.c_str()};
    OrtRunOptions* made = nullptr;
    require(api.CreateRunOptions(&made), ErrorKind::prediction, where_, "onnxruntime has no options");
    const Released<OrtRunOptions> run_options(made, api.ReleaseRunOptions);
    OrtValue* answer = nullptr;
    OrtStatus* failed = nullptr;
    {
      const Watch watch(context, made);
      failed = api.Run(session_.get(), made, names.data(), given.data(), given.size(), wanted, 1, &answer);
    }
    if (failed != nullptr && context.cancelled()) {
      api.ReleaseStatus(failed);
      context.check();
    }
    require(failed, ErrorKind::prediction, where_, "onnxruntime fails on these rows");
    const Released<OrtValue> released(answer, api.ReleaseValue);
    return read(answer, rows, answers);
  }

 private:
  Released<OrtValue> tensor(const InputTensor& input, const std::vector<double>& values,
                            const std::vector<TextColumn>& texts, std::size_t stride, std::size_t rows,
                            const RowBlock& block, std::size_t first, std::vector<std::vector<char>>& buffers) const {
    const OrtApi& api = *onnxruntime().api;
    const std::int64_t shape[] = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(input.width)};
    const auto at = [&](std::size_t row, std::size_t column) { return values[(input.first + column) * stride + row]; };
    OrtValue* made = nullptr;
    if (input.type == OnnxType::text) {
      OrtAllocator* allocator = nullptr;
      require(api.GetAllocatorWithDefaultOptions(&allocator), ErrorKind::prediction, where_, "no memory");
      require(api.CreateTensorAsOrtValue(allocator, shape, input.dims, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &made),
              ErrorKind::prediction, where_, "the rows do not become a tensor");
      Released<OrtValue> value(made, api.ReleaseValue);
      std::vector<std::string> spelled;
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < input.width; ++k) spelled.push_back(texts[input.first + k].spelled(at(row, k)));
      }
      std::vector<const char*> pointers;
      for (const std::string& text : spelled) pointers.push_back(text.c_str());
      require(api.FillStringTensor(made, pointers.data(), pointers.size()), ErrorKind::prediction, where_,
              "the rows do not become a tensor");
      return value;
    }
    std::vector<char>& buffer = buffers.emplace_back();
    const auto fill = [&]<class T>(T, ONNXTensorElementDataType type) {
      buffer.resize(std::max<std::size_t>(1, rows * input.width * sizeof(T)));
      T* out = reinterpret_cast<T*>(buffer.data());
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < input.width; ++k) {
          out[row * input.width + k] = converted<T>(at(row, k), input, block, first + row);
        }
      }
      require(api.CreateTensorWithDataAsOrtValue(memory_.get(), buffer.data(), rows * input.width * sizeof(T), shape,
                                                 input.dims, type, &made),
              ErrorKind::prediction, where_, "the rows do not become a tensor");
    };
    switch (input.type) {
      case OnnxType::float32: fill(float{}, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT); break;
      case OnnxType::float64: fill(double{}, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE); break;
      case OnnxType::int64: fill(std::int64_t{}, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64); break;
      case OnnxType::int32: fill(std::int32_t{}, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32); break;
      case OnnxType::int16: fill(std::int16_t{}, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16); break;
      case OnnxType::int8: fill(std::int8_t{}, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8); break;
      case OnnxType::uint8: fill(std::uint8_t{}, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8); break;
      case OnnxType::boolean: fill(bool{}, ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL); break;
      default: throw Error(ErrorKind::internal, "an input of a type that was refused before");
    }
    return {made, api.ReleaseValue};
  }

  template <class T>
  T converted(double value, const InputTensor& input, const RowBlock& block, std::size_t row) const {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
    const double lowest = std::is_same_v<T, bool> ? 0 : static_cast<double>(std::numeric_limits<T>::lowest());
    // The largest int64 is no double: the first beyond it is.
    const double beyond = std::is_same_v<T, bool> ? 2 : std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (value == std::trunc(value) && value >= lowest && value < beyond) return static_cast<T>(value);
    throw Error(ErrorKind::data,
                row_text(block.row_id(row)) + " of " + printable(input.name, 60) +
                    (std::isnan(value) ? " is missing" : " is no number that fits") + ", and the model takes " +
                    onnx_type_name(input.type) + " there",
                "leave such rows out, or fill them as for training");
  }

  std::size_t read(const OrtValue* answer, std::size_t rows, std::vector<double>& answers) const {
    const OrtApi& api = *onnxruntime().api;
    const auto fail = [&](const std::string& what) {
      throw Error(ErrorKind::prediction, where_ + ": the output " + printable(output_, 60) + " " + what,
                  "export the model with one row of answers for each row");
    };
    int is_tensor = 0;
    require(api.IsTensor(answer, &is_tensor), ErrorKind::prediction, where_, "no answer");
    if (is_tensor == 0) fail("is no tensor");
    OrtTensorTypeAndShapeInfo* about = nullptr;
    require(api.GetTensorTypeAndShape(answer, &about), ErrorKind::prediction, where_, "no answer");
    const Released<OrtTensorTypeAndShapeInfo> released(about, api.ReleaseTensorTypeAndShapeInfo);
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    std::size_t count = 0;
    require(api.GetTensorElementType(about, &type), ErrorKind::prediction, where_, "no answer");
    require(api.GetTensorShapeElementCount(about, &count), ErrorKind::prediction, where_, "no answer");
    if (count == 0 || count % rows != 0 || count / rows > most_runtime_outputs) {
      fail("has " + std::to_string(count) + " numbers for " + std::to_string(rows) + " rows");
    }
    void* data = nullptr;
    require(api.GetTensorMutableData(const_cast<OrtValue*>(answer), &data), ErrorKind::prediction, where_, "no answer");
    const std::size_t start = answers.size();
    answers.resize(start + count);
    if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) {
      std::copy_n(static_cast<const float*>(data), count, answers.data() + start);
    } else if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE) {
      std::copy_n(static_cast<const double*>(data), count, answers.data() + start);
    } else {
      fail("is not of float or double");
    }
    return count / rows;
  }

  std::string where_;
  std::vector<InputTensor> inputs_;
  std::string output_;
  Released<OrtSession> session_{nullptr, nullptr};
  Released<OrtMemoryInfo> memory_{nullptr, nullptr};
};

class BoundOnnx : public BoundModel {
 public:
  BoundOnnx(std::shared_ptr<const Session> session, const Signature& signature, bool one_row, std::size_t column,
            const Schema& schema, std::span<const std::uint32_t> excluded)
      : session_(std::move(session)), one_row_(one_row), column_(column) {
    // The levels of a text are those of its column: the model reads them itself.
    Signature asked = signature;
    const auto found = find_columns(asked.features, schema, excluded);
    texts_.resize(asked.features.size());
    for (std::size_t i = 0; i < asked.features.size(); ++i) {
      FeatureInfo& feature = asked.features[i];
      texts_[i].text = feature.categorical;
      if (!feature.categorical) continue;
      feature.categorical = false;
      if (!found[i] || !schema[*found[i]].is_categorical()) continue;
      feature.categorical = true;
      feature.levels = texts_[i].levels = schema[*found[i]].dictionary->levels();
      if (feature.levels.empty()) feature.categorical = false;
    }
    FeatureColumns columns = match_columns(asked, schema, excluded);
    features_ = std::move(columns.features);
    notes_ = std::move(columns.notes);
    for (const FeatureColumn& feature : features_) columns_.push_back(feature.column);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
  [[nodiscard]] const std::vector<FitNote>& notes() const override { return notes_; }

  [[nodiscard]] std::vector<std::string> outputs(const RowBlock& probe, const PredictOptions& /*options*/,
                                                 Context& context) const override {
    const std::size_t count = ask(probe, 0, 1, context).second;
    if (count == 1) return {"prediction"};
    std::vector<std::string> names;
    for (std::size_t k = 0; k < count; ++k) names.push_back(std::to_string(k));
    return names;
  }

  void predict(const RowBlock& block, const PredictOptions& /*options*/, MatrixSpan<double> out,
               Context& context) const override {
    const std::size_t bytes = (features_.size() + 1) * sizeof(double) * 2;
    const std::size_t step = one_row_ ? 1 : std::clamp<std::size_t>(most_asked_bytes / bytes, 1, most_asked_rows);
    for (std::size_t first = 0; first < block.rows; first += step) {
      context.check();
      const std::size_t rows = std::min(step, block.rows - first);
      const auto [answers, width] = ask(block, first, rows, context);
      const bool one_of_several = out.columns() == 1 && column_ < width && width == 2;
      if (width != out.columns() && !one_of_several) {
        throw Error(ErrorKind::prediction, "the model answers " + std::to_string(width) +
                                               " numbers for each row, not " + std::to_string(out.columns()));
      }
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < out.columns(); ++k) {
          out(first + row, k) = answers[row * width + (one_of_several ? column_ : k)];
        }
      }
    }
  }

 private:
  [[nodiscard]] std::pair<std::vector<double>, std::size_t> ask(const RowBlock& block, std::size_t first,
                                                                std::size_t rows, Context& context) const {
    std::vector<double> values(features_.size() * rows), answers;
    for (std::size_t i = 0; i < features_.size(); ++i) {
      const FeatureColumn& feature = features_[i];
      feature.read(block, block.override_of(feature.column), first, {values.data() + i * rows, rows});
    }
    const std::size_t width = session_->run(values, texts_, rows, rows, block, first, answers, context);
    return {std::move(answers), width};
  }

  std::shared_ptr<const Session> session_;
  bool one_row_;
  std::size_t column_;  // of two classes, the one that is told
  std::vector<TextColumn> texts_;
  std::vector<FeatureColumn> features_;
  std::vector<std::uint32_t> columns_;
  std::vector<FitNote> notes_;
};

class OnnxRuntimeModel : public Model {
 public:
  OnnxRuntimeModel(Signature signature, std::shared_ptr<const Session> session, bool one_row, std::string digest)
      : signature_(std::move(signature)), session_(std::move(session)), one_row_(one_row), digest_(std::move(digest)) {}

  [[nodiscard]] const Signature& signature() const override { return signature_; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::parallel; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override {
    return std::make_unique<BoundOnnx>(session_, signature_, one_row_, 1, schema, excluded);
  }
  void add_to(Digest& digest) const override { digest.text(digest_); }

 private:
  Signature signature_;
  std::shared_ptr<const Session> session_;
  bool one_row_;
  std::string digest_;
};

// The output to explain: what went into ZipMap, else numbers rather than labels.
const OnnxValue* chosen_output(const OnnxFile& file) {
  for (const OnnxValue& output : file.outputs) {
    if (output.tensor && (output.type == OnnxType::float32 || output.type == OnnxType::float64)) return &output;
  }
  return nullptr;
}

// Whether other outputs have single numbers for each row as well.
bool is_one_of_several(const OnnxFile& file, const OnnxValue& chosen) {
  const auto is_column = [&](const OnnxValue& output) {
    const bool single = output.dims.size() == 1 || (output.dims.size() == 2 && output.dims[1] == 1);
    return output.tensor && output.type == chosen.type && single;
  };
  return is_column(chosen) && std::count_if(file.outputs.begin(), file.outputs.end(), is_column) > 1;
}

}  // namespace

std::unique_ptr<Model> open_onnx_runtime(const OnnxFile& file, std::string_view content, std::string_view where,
                                         const LoadOptions& options, const std::string& why) {
  const std::string called = printable(where);
  Signature signature = describe_onnx(file, "onnxruntime");
  std::vector<InputTensor> inputs;
  bool one_row = false;
  for (const OnnxFeature& feature : onnx_features(file, where)) {
    const OnnxValue& input = file.inputs[feature.input];
    if (feature.column == 0) {
      inputs.push_back({.name = std::string(input.name),
                        .type = input.type,
                        .dims = input.dims.empty() ? std::size_t{input.shaped ? 1U : 2U} : input.dims.size(),
                        .first = signature.features.size()});
      one_row = one_row || (!input.dims.empty() && input.dims[0] == 1);
    }
    inputs.back().width = feature.column + 1;
    signature.features.push_back(feature.info);
  }
  WithoutMaps changed = without_maps(file, content);
  const OnnxValue* output = chosen_output(file);
  if (changed.scores.empty() && output == nullptr) {
    throw Error(ErrorKind::model, called + ": the model has no output of float or double: labels cannot be explained",
                "export it with the probabilities of its classes");
  }
  // Whoever answers labels beside numbers is a classifier.
  const bool classifier =
      !changed.scores.empty() || std::any_of(file.outputs.begin(), file.outputs.end(), [](const OnnxValue& value) {
        return value.tensor && (value.type == OnnxType::int64 || value.type == OnnxType::text);
      });
  if (classifier && changed.scores.empty() && is_one_of_several(file, *output)) {
    throw Error(ErrorKind::model, called + ": the model answers the probability of each class by an output of its own",
                "export it with all of them in one output (skl2onnx: zipmap=False)");
  }
  std::vector<std::string> labels = changed.labels;
  for (const OnnxNode& node : file.nodes) {
    if (labels.empty() && classifier) labels = labels_of(node);
  }
  if (!options.classes.empty()) {
    if (!labels.empty() && labels.size() != options.classes.size()) {
      throw Error(ErrorKind::usage,
                  std::to_string(options.classes.size()) + " class names were given, but " + called + " has " +
                      std::to_string(labels.size()) + " classes",
                  "give one name for each, in the model's order");
    }
    labels = options.classes;
  }
  if (std::unordered_set<std::string_view>(labels.begin(), labels.end()).size() != labels.size()) labels.clear();
  if (labels.size() == 2) {
    signature.task = Task::binary;
    signature.outputs = {labels[1]};
    signature.other_class = labels[0];
  } else if (labels.size() > 2) {
    signature.task = Task::multiclass;
    signature.outputs = labels;
  }
  signature.detail.set("engine", "asked: " + why);
  signature.detail.set("onnxruntime", onnxruntime().version);
  const std::string answer = changed.scores.empty() ? std::string(output->name) : changed.scores;
  signature.detail.set("explained_output", printable(answer, 80));
  auto session = std::make_shared<const Session>(changed.scores.empty() ? content : std::string_view(changed.content),
                                                 called, std::move(inputs), answer);
  Digest digest;
  digest.text(content);
  return std::make_unique<OnnxRuntimeModel>(std::move(signature), std::move(session), one_row, digest.hex());
}

}  // namespace sightglass
