// Models: files read by the engine, and Python objects that predict.
//
// A Python model is called on the thread that called us and nowhere else. The package decides what container
// it gets (begin) and how predictions are read from what it returns (finish); in between the rows are written
// straight into the memory of that container.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "bindings.h"
#include "buffer.h"
#include "interrupt.h"
#include "sightglass/model/answered_classes.h"
#include "sightglass/model/catboost/combined_catboost.h"
#include "sightglass/model/damaged_levels.h"
#include "sightglass/model/learned/learned_model.h"
#include "sightglass/model/linear_model.h"
#include "sightglass/model/load.h"
#include "sightglass/model/model_categories.h"
#include "sightglass/model/model_dates.h"
#include "sightglass/model/no_model.h"
#include "sightglass/model/remote/exec_model.h"
#include "sightglass/model/trees/ensemble.h"
#include "sightglass/plans/inspect.h"
#include "sightglass/result/json.h"

namespace sightglass {

namespace {

// Texts that a method made, for whoever gives them to the model in its own kind of column.
struct TextsHandle {
  std::shared_ptr<const TextBatch> texts;

  [[nodiscard]] nb::list strings() const {
    nb::list list;
    for (std::size_t i = 0; i < texts->size(); ++i) {
      const std::string_view text = texts->text(i);
      list.append(nb::str(text.data(), text.size()));
    }
    return list;
  }
};

class BoundPython : public BoundModel {
 public:
  BoundPython(nb::object predictor, const Schema& schema, std::vector<std::uint32_t> columns)
      : columns_(std::move(columns)), predictor_(std::move(predictor)) {
    for (const std::uint32_t column : columns_) {
      const ColumnInfo& info = schema[column];
      names_.append(info.name);
      if (info.is_categorical() && info.dictionary) levels_[nb::cast(info.name)] = nb::cast(info.dictionary->levels());
    }
    bound_ = predictor_.attr("bind")(names_, nb::dict(), levels_);
    using Unseen = std::vector<std::pair<std::string, std::vector<std::string>>>;
    for (auto& [column, levels] : nb::cast<Unseen>(bound_.attr("unseen"))) {
      std::string listed;
      for (const std::string& level : levels) listed += (listed.empty() ? "" : ", ") + printable(level, 40);
      notes_.push_back({.kind = FitNote::Kind::unknown_levels,
                        .column = column,
                        .levels = std::move(levels),
                        .message = "column " + printable(column, 60) + ": no row of the data has " +
                                   printable(listed, 200) + ", and how the model takes it, it has not shown there"});
    }
  }
  ~BoundPython() override {
    const nb::gil_scoped_acquire gil;
    bound_.reset();
    levels_.reset();
    names_.reset();
    predictor_.reset();
  }

  [[nodiscard]] const std::vector<std::uint32_t>& columns() const override { return columns_; }
  [[nodiscard]] const std::vector<FitNote>& notes() const override { return notes_; }

  [[nodiscard]] std::vector<std::string> outputs(const RowBlock& probe, const PredictOptions& /*options*/,
                                                 Context& context) const override {
    const nb::gil_scoped_acquire gil;
    const Variant plain[1];
    try {
      const nb::object predictions = call(bound_, Tiles(probe, plain), context);
      return nb::cast<std::vector<std::string>>(bound_.attr("outputs")(predictions));
    } catch (nb::python_error& error) {
      throw_from_predict(error);
    }
  }

  void predict(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out,
               Context& context) const override {
    const Variant plain[] = {Variant(block.overrides.begin(), block.overrides.end())};
    (void)predict_tiles(Tiles(block, plain), options, out, context);
  }

  bool predict_tiles(const Tiles& tiles, const PredictOptions& /*options*/, MatrixSpan<double> out,
                     Context& context) const override {
    const nb::gil_scoped_acquire gil;
    try {
      take_answers(call(bound_, tiles, context), out);
    } catch (nb::python_error& error) {
      throw_from_predict(error);
    }
    return true;
  }

  bool predict_numbers(const NumberBatch& numbers, const PredictOptions& /*options*/, MatrixSpan<double> out,
                       Context& /*context*/) const override {
    const nb::gil_scoped_acquire gil;
    try {
      nb::list types, marks;
      for (std::size_t k = 0; k < numbers.columns; ++k) {
        types.append(std::string(to_string(DType::float64)));
        marks.append(false);
      }
      const nb::object target = bound_.attr("begin")(numbers.rows, types, marks);
      if (nb::isinstance<nb::list>(target)) return false;
      {
        const Buffer matrix(target, Buffer::Access::write, "input of the model");
        check_matrix(matrix, numbers.rows);
        if (matrix.type() != DType::float64) return false;
        numbers.write(static_cast<double*>(matrix.data()));
      }
      take_answers(bound_.attr("finish")(), out);
    } catch (nb::python_error& error) {
      throw_from_predict(error);
    }
    return true;
  }

  bool predict_texts(const RowBlock& block, std::uint32_t column, const std::shared_ptr<const TextBatch>& texts,
                     const PredictOptions& /*options*/, MatrixSpan<double> out, Context& context) const override {
    const nb::gil_scoped_acquire gil;
    const Variant plain[1];
    try {
      nb::dict made;
      made[names_[place_of(column)]] = nb::cast(TextsHandle{texts});
      take_answers(call(predictor_.attr("bind")(names_, made, levels_), Tiles(block, plain), context), out);
    } catch (nb::python_error& error) {
      throw_from_predict(error);
    }
    return true;
  }

  bool predict_pictures(const RowBlock& /*block*/, std::uint32_t /*column*/, const PictureBatch& pictures,
                        const PredictOptions& /*options*/, MatrixSpan<double> out, Context& context) const override {
    const nb::gil_scoped_acquire gil;
    try {
      const nb::object target = bound_.attr("begin_pictures")(pictures.count, pictures.height, pictures.width);
      if (target.is_none()) return false;
      write_pictures(pictures, target, context);
      take_answers(bound_.attr("finish")(), out);
    } catch (nb::python_error& error) {
      throw_from_predict(error);
    }
    return true;
  }

 private:
  // The predictions as the package hands them over: float64, two dimensions.
  [[nodiscard]] nb::object call(const nb::object& bound, const Tiles& tiles, const Context& context) const {
    nb::list types, marks;
    for (const std::uint32_t column : columns_) {
      types.append(std::string(to_string(tiles.type(column))));
      marks.append(tiles.marks_missing(column));
    }
    const nb::object targets = bound.attr("begin")(tiles.rows(), types, marks);
    if (nb::isinstance<nb::list>(targets)) {
      write_columns(tiles, nb::cast<nb::list>(targets), context);
    } else {
      write_matrix(tiles, targets, context);
    }
    return bound.attr("finish")();
  }

  [[nodiscard]] std::size_t place_of(std::uint32_t column) const {
    return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), column) - columns_.begin());
  }

  static void take_answers(const nb::object& predictions, MatrixSpan<double> out) {
    const Buffer values(predictions, Buffer::Access::read, "predictions");
    copy_out(values, out);
  }

  // As bytes, or as fractions of 255 in the type of the target.
  static void write_pictures(const PictureBatch& pictures, const nb::object& target, const Context& context) {
    const Buffer memory(target, Buffer::Access::write, "input of the model");
    const auto type = memory.type();
    const bool fits = type && memory.dimensions() == 4 && memory.length(0) == pictures.count &&
                      memory.length(1) == pictures.height && memory.length(2) == pictures.width &&
                      memory.length(3) == 3;
    if (!fits) throw Error(ErrorKind::internal, "the pictures for the model have the wrong type or shape");
    const std::size_t size = pictures.bytes_each();
    const auto scaled = [&]<class Number>(Number* to) {
      Number share[256];
      for (std::size_t i = 0; i < 256; ++i) share[i] = static_cast<Number>(static_cast<double>(i) / 255);
      context.parallel_for(pictures.count, [&](std::size_t i) {
        std::vector<std::uint8_t> rgb(size);
        pictures.write(i, rgb.data());
        for (std::size_t k = 0; k < size; ++k) to[i * size + k] = share[rgb[k]];
      });
    };
    // The threads that help here never touch Python.
    if (*type == DType::float32) return scaled(static_cast<float*>(memory.data()));
    if (*type == DType::float64) return scaled(static_cast<double*>(memory.data()));
    if (*type != DType::uint8) throw Error(ErrorKind::internal, "the pictures for the model have the wrong type");
    auto* to = static_cast<std::uint8_t*>(memory.data());
    context.parallel_for(pictures.count, [&](std::size_t i) { pictures.write(i, to + i * size); });
  }

  void check_matrix(const Buffer& matrix, std::size_t rows) const {
    const bool fits =
        matrix.type() && matrix.dimensions() == 2 && matrix.length(0) == rows && matrix.length(1) == columns_.size();
    if (!fits) throw Error(ErrorKind::internal, "the matrix for the model has the wrong type or shape");
  }

  void write_matrix(const Tiles& tiles, const nb::object& target, const Context& context) const {
    const Buffer matrix(target, Buffer::Access::write, "input of the model");
    check_matrix(matrix, tiles.rows());
    tiles.write_matrix(columns_, *matrix.type(), matrix.data(), context);
  }

  void write_columns(const Tiles& tiles, const nb::list& targets, const Context& context) const {
    if (targets.size() != columns_.size()) throw Error(ErrorKind::internal, "not one target for each column");
    std::vector<std::unique_ptr<Buffer>> memory;
    std::vector<TileTarget> places;
    for (const nb::handle item : targets) {
      const nb::tuple pair = nb::cast<nb::tuple>(item);
      const auto& values =
          *memory.emplace_back(std::make_unique<Buffer>(pair[0], Buffer::Access::write, "input of the model"));
      const auto type = values.type();
      if (!type || values.dimensions() != 1 || values.length(0) != tiles.rows())
        throw Error(ErrorKind::internal, "a column for the model has the wrong type or shape");
      places.push_back({.type = *type, .data = values.data(), .stride = static_cast<std::size_t>(values.stride(0))});
      if (pair[1].is_none()) continue;
      const auto& missing =
          *memory.emplace_back(std::make_unique<Buffer>(pair[1], Buffer::Access::write, "input of the model"));
      places.back().missing = static_cast<std::uint8_t*>(missing.data());
    }
    // The threads that help here never touch Python, so holding the GIL meanwhile blocks nobody we wait for.
    context.parallel_for(columns_.size(), [&](std::size_t k) { tiles.write(columns_[k], places[k]); });
  }

  static void copy_out(const Buffer& values, MatrixSpan<double> out) {
    if (values.type() != DType::float64 || values.dimensions() != 2 || values.length(0) != out.rows())
      throw Error(ErrorKind::internal, "predictions have the wrong type or shape");
    if (values.length(1) != out.columns()) {
      throw Error(ErrorKind::prediction, "the model returned " + std::to_string(values.length(1)) +
                                             " columns of predictions, at first it returned " +
                                             std::to_string(out.columns()));
    }
    const auto* base = static_cast<const std::byte*>(values.data());
    const auto step = static_cast<Py_ssize_t>(sizeof(double));
    const auto width = static_cast<Py_ssize_t>(out.columns());
    if (values.stride(0) == step * width && (width == 1 || values.stride(1) == step)) {
      std::memcpy(out.data(), base, out.rows() * out.columns() * sizeof(double));
      return;
    }
    for (std::size_t i = 0; i < out.rows(); ++i) {
      for (std::size_t k = 0; k < out.columns(); ++k) {
        const auto* from =
            base + static_cast<Py_ssize_t>(i) * values.stride(0) + static_cast<Py_ssize_t>(k) * values.stride(1);
        std::memcpy(&out(i, k), from, sizeof(double));
      }
    }
  }

  std::vector<std::uint32_t> columns_;
  nb::object predictor_;
  nb::list names_;
  nb::dict levels_;  // of the columns that have any, in the order of their codes
  nb::object bound_;
  std::vector<FitNote> notes_;
};

class PythonModel : public Model {
 public:
  PythonModel(nb::object predictor, std::optional<std::vector<std::string>> features, Signature signature)
      : predictor_(std::move(predictor)), features_(std::move(features)), signature_(std::move(signature)) {}
  ~PythonModel() override {
    const nb::gil_scoped_acquire gil;
    predictor_.reset();
  }

  [[nodiscard]] const Signature& signature() const override { return signature_; }
  [[nodiscard]] Concurrency concurrency() const override { return Concurrency::caller_thread; }
  [[nodiscard]] std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                 std::span<const std::uint32_t> excluded) const override {
    std::vector<std::uint32_t> columns;
    if (features_) {
      std::string lacking;
      for (const std::string& name : *features_) {
        if (const auto column = schema.find(name)) {
          columns.push_back(*column);
        } else {
          lacking += (lacking.empty() ? "" : ", ") + printable(name, 40);
        }
      }
      if (!lacking.empty())
        throw Error(ErrorKind::data, "the data lack columns that the model was fitted on: " + lacking);
    } else {
      for (std::uint32_t column = 0; column < schema.size(); ++column) {
        if (std::find(excluded.begin(), excluded.end(), column) == excluded.end()) columns.push_back(column);
      }
    }
    const nb::gil_scoped_acquire gil;
    return std::make_unique<BoundPython>(predictor_, schema, std::move(columns));
  }
  void add_to(Digest&) const override {}  // opaque: its signature is all that is known

 private:
  nb::object predictor_;
  std::optional<std::vector<std::string>> features_;
  Signature signature_;
};

Task task_from(const std::string& name) {
  for (const Task task : {Task::regression, Task::binary, Task::multiclass}) {
    if (name == to_string(task)) return task;
  }
  throw Error(ErrorKind::internal, "unknown task " + printable(name));
}

ModelHandle from_python(nb::object predictor, std::optional<std::vector<std::string>> features, const std::string& task,
                        const std::string& other_class) {
  Signature signature{.format = "python",
                      .task = task_from(task),
                      .features_known = features.has_value(),
                      .other_class = other_class,
                      .opaque = true};
  if (features) {
    for (const std::string& name : *features) signature.features.push_back({.name = name});
  }
  return {std::make_shared<PythonModel>(std::move(predictor), std::move(features), std::move(signature))};
}

// No classes: not known; an empty list: a program predicts mere numbers.
ModelHandle from_file(const std::string& location, std::optional<std::vector<std::string>> classes,
                      std::uint64_t rounds, double timeout, const std::string& protocol,
                      std::vector<std::string> server_outputs, std::uint64_t max_requests) {
  // A server may take its time to say what it has.
  StoppableContext context(1);
  const nb::gil_scoped_release no_gil;
  const bool none = classes && classes->empty();
  return {load_model(location, {.classes = classes.value_or(std::vector<std::string>()),
                                .mere_numbers = none,
                                .rounds = rounds,
                                .timeout = timeout,
                                .protocol = protocol,
                                .server_outputs = std::move(server_outputs),
                                .max_requests = max_requests,
                                .context = &*context})};
}

// The names of the classes whose probabilities the answers are, and what to say of it; None: they are mere numbers.
std::optional<std::pair<std::vector<std::string>, std::string>> classes_of_answers(const ModelHandle& model,
                                                                                   const TableHandle& table,
                                                                                   const std::string& target,
                                                                                   std::size_t batch) {
  StoppableContext context(1);
  const auto kept_model = model.model;
  const auto kept_table = table.table;
  const nb::gil_scoped_release no_gil;
  auto found = answered_classes(*kept_model, *kept_table, target, batch, *context);
  if (!found) return std::nullopt;
  const Text said = found->said.spelled([](const Reference& reference) { return reference.name + "="; });
  return std::pair(std::move(found->names), said.plain());
}

ModelHandle named_classes(const ModelHandle& model, std::vector<std::string> names) {
  return {with_classes(*model.model, std::move(names))};
}

// all_rounds: of a Booster, which predicts with all rounds even if its saved form knows a best one.
ModelHandle from_bytes(nb::handle content, const std::string& where, std::vector<std::string> classes,
                       std::uint64_t rounds, bool all_rounds) {
  const Buffer bytes(content, Buffer::Access::read, where);
  const bool plain = bytes.dimensions() == 1 && bytes.stride(0) == 1;
  if (!plain) throw Error(ErrorKind::internal, "the content of a model is not bytes");
  const std::string_view text(static_cast<const char*>(bytes.data()), bytes.length(0));
  const nb::gil_scoped_release no_gil;
  return {parse_model(text, where, {.classes = std::move(classes), .rounds = rounds, .all_rounds = all_rounds})};
}

// The same model with other names of features, and names of categories (None: as they are) where the model has none.
ModelHandle with_features(const ModelHandle& model, const std::vector<std::string>& names,
                          const std::vector<std::optional<std::vector<std::string>>>& levels) {
  const nb::gil_scoped_release no_gil;
  const auto rename = [&](Signature& signature) {
    auto& features = signature.features;
    if (names.size() != features.size() || levels.size() != features.size())
      throw Error(ErrorKind::internal, "not one name for each feature");
    for (std::size_t i = 0; i < names.size(); ++i) {
      features[i].name = names[i];
      if (!levels[i]) continue;
      features[i].levels = *levels[i];
      features[i].levels_lost = false;
    }
  };
  if (const auto* linear = dynamic_cast<const LinearModel*>(model.model.get())) {
    LinearModel::Parts parts = linear->parts();
    rename(parts.signature);
    return {std::make_shared<LinearModel>(std::move(parts), "the model")};
  }
  if (const LearnedModel* learned = model.model->learned()) {
    Signature signature = learned->signature();
    rename(signature);
    return {make_model(std::move(signature), learned->link(), learned->structure(), "the model")};
  }
  if (const TreeEnsemble* trees = model.model->trees()) {
    TreeEnsemble::Parts parts = trees->parts();
    rename(parts.signature);
    return {std::make_shared<TreeEnsemble>(std::move(parts), "the model")};
  }
  if (const auto* combined = dynamic_cast<const CombinedCatboost*>(model.model.get())) {
    Signature signature = combined->signature();
    rename(signature);
    return {std::make_shared<CombinedCatboost>(combined->parts(), std::move(signature))};
  }
  throw Error(ErrorKind::internal, "this model cannot be given other names");
}

// The table with numbers as categories, and dates as numbers, as the model takes them.
TableHandle with_categories(const ModelHandle& model, const TableHandle& table, const std::string& target) {
  const nb::gil_scoped_release no_gil;
  const auto excluded = table.table->not_features(target, "target");
  Table counted = with_model_dates(*table.table, *model.model, excluded);
  return {std::make_shared<const Table>(with_model_categories(std::move(counted), model.model->signature(), excluded))};
}

// What the model will be given of a table. Throws if they do not fit: better now than in the middle of work.
nb::tuple fit(const ModelHandle& model, const TableHandle& table, const std::string& target) {
  const Schema& schema = table.table->schema();
  const auto bound = model.model->bind(schema, table.table->not_features(target, "target"));
  std::vector<std::string> names, notes;
  for (const std::uint32_t column : bound->columns()) names.push_back(schema[column].name);
  for (const FitNote& note : bound->notes()) notes.push_back(note.message);
  return nb::make_tuple(names, notes);
}

// For each feature None (a number), or the names of its categories, which may be unknown.
std::vector<std::optional<std::vector<std::string>>> feature_levels(const Signature& signature) {
  std::vector<std::optional<std::vector<std::string>>> levels;
  for (const FeatureInfo& feature : signature.features) {
    levels.emplace_back();
    if (feature.categorical) levels.back() = feature.levels_lost ? std::vector<std::string>() : feature.levels;
  }
  return levels;
}

// The names of a feature's categories that its model holds damaged, by the levels of a column; none if these do not
// tell.
std::optional<std::vector<std::string>> mended(const ModelHandle& model, const std::string& feature,
                                               const std::vector<std::string>& known) {
  for (const FeatureInfo& info : model.model->signature().features) {
    if (info.name != feature || !info.levels_lost) continue;
    if (auto levels = mended_levels(info.levels, known)) return std::move(levels->names);
  }
  return std::nullopt;
}

std::string describe(const ModelHandle& model, const TableHandle& table, const std::string& target, int threads) {
  StoppableContext context(threads);
  // Other threads of the interpreter may drop their explainer meanwhile; these stay.
  const auto kept_model = model.model;
  const auto kept_table = table.table;
  const nb::gil_scoped_release no_gil;
  return to_json(inspect(*kept_model, *kept_table, target, *context).to_value());
}

std::vector<std::string> feature_names(const Signature& signature) {
  std::vector<std::string> names;
  for (const FeatureInfo& feature : signature.features) names.push_back(feature.name);
  return names;
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<TextsHandle>(module, "Texts")
      .def("__len__", [](const TextsHandle& self) { return self.texts->size(); })
      .def("strings", &TextsHandle::strings)
      // Where each text begins and the last one ends, and the bytes of all: the memory itself.
      .def("buffers", [](nb::handle self) {
        const TextBatch& texts = *nb::cast<TextsHandle&>(self).texts;
        using Offsets = nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>>;
        using Bytes = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>;
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(texts.bytes().data());
        return nb::make_tuple(Offsets(texts.offsets().data(), {texts.offsets().size()}, self),
                              Bytes(bytes, {texts.bytes().size()}, self));
      });
  module.def("shown_model", &shown_model, nb::arg("location"));
  module.def("shown_models", &shown_models, nb::arg("first"), nb::arg("second"));
  nb::class_<ModelHandle>(module, "Model")
      .def_static("from_python", &from_python, nb::arg("predictor"), nb::arg("features").none(), nb::arg("task"),
                  nb::arg("other_class"))
      // In the place of a model, for methods that need none.
      .def_static("none", [] { return ModelHandle{{std::shared_ptr<const void>(), &no_model()}}; })
      .def_static("from_file", &from_file, nb::arg("location"), nb::arg("classes").none(), nb::arg("rounds"),
                  nb::arg("timeout"), nb::arg("protocol"), nb::arg("server_outputs"), nb::arg("max_requests"))
      .def_static("from_bytes", &from_bytes, nb::arg("content"), nb::arg("where"), nb::arg("classes"),
                  nb::arg("rounds"), nb::arg("all_rounds"))
      .def("mended_levels", &mended, nb::arg("feature"), nb::arg("known"))
      .def("with_features", &with_features, nb::arg("names"), nb::arg("levels"))
      .def("answered_classes", &classes_of_answers, nb::arg("table"), nb::arg("target"), nb::arg("batch"))
      .def("with_classes", &named_classes, nb::arg("names"))
      .def_prop_ro("undecided", [](const ModelHandle& self) { return is_undecided(*self.model); })
      .def("describe", &describe, nb::arg("table"), nb::arg("target"), nb::arg("threads"))
      .def("with_categories", &with_categories, nb::arg("table"), nb::arg("target"))
      .def("fit", &fit, nb::arg("table"), nb::arg("target"))
      .def_prop_ro("format", [](const ModelHandle& self) { return self.model->signature().format; })
      .def_prop_ro("version", [](const ModelHandle& self) { return self.model->signature().version; })
      .def_prop_ro("objective", [](const ModelHandle& self) { return self.model->signature().objective; })
      .def_prop_ro("task", [](const ModelHandle& self) { return std::string(to_string(self.model->signature().task)); })
      .def_prop_ro("outputs", [](const ModelHandle& self) { return self.model->signature().outputs; })
      .def_prop_ro("native", [](const ModelHandle& self) { return self.model->concurrency() == Concurrency::parallel; })
      .def_prop_ro("engine",
                   [](const ModelHandle& self) {
                     if (is_no_model(*self.model)) return "";
                     const TreeEnsemble* trees = self.model->trees();
                     return trees != nullptr && trees->codable() ? "trees" : "blackbox";
                   })
      .def_prop_ro("lost_levels",
                   [](const ModelHandle& self) {
                     std::vector<std::string> names;
                     for (const FeatureInfo& feature : self.model->signature().features) {
                       if (feature.levels_lost) names.push_back(feature.name);
                     }
                     return names;
                   })
      .def_prop_ro("levels", [](const ModelHandle& self) { return feature_levels(self.model->signature()); })
      .def_prop_ro("features", [](const ModelHandle& self) { return feature_names(self.model->signature()); });
}

}  // namespace sightglass
