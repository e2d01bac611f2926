// What a model is to the rest of the engine: it says what it wants and gives (Signature), is bound to the
// columns of a data set once, and then predicts blocks of rows.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/base/context.h"
#include "sightglass/base/matrix.h"
#include "sightglass/base/value.h"
#include "sightglass/data/source.h"
#include "sightglass/model/made_values.h"
#include "sightglass/model/tiles.h"

namespace sightglass {

class CategoryHashes;
class Digest;
class LearnedModel;
class TreeEnsemble;

enum class Scale { response, margin };
// framework: float32, in the framework's own order, so that predictions equal its own; who tells which class is
// predicted uses this (MethodEntry::as_predicted). exact: double, for all explanations that add up. Models that know
// only one arithmetic ignore it.
enum class Arithmetic { framework, exact };
enum class Concurrency { parallel, one_at_a_time, caller_thread };
enum class Task { regression, binary, multiclass };

[[nodiscard]] std::string_view to_string(Scale scale);
[[nodiscard]] std::string_view to_string(Task task);

struct FeatureInfo {
  std::string name;
  bool categorical = false;
  std::vector<std::string> levels;  // of a categorical feature, in the model's own code order; may be unknown
  bool numeric_levels = false;      // the levels were numbers: 1, 1.0 and 01 are the same one
  bool levels_lost = false;         // they had names, but the file holds them damaged
  std::shared_ptr<const CategoryHashes> hashes;  // instead of levels: the model knows only hashes of their names
  DateKind dates = {};                           // of the data that it was trained on, where its numbers are dates
};

struct Signature {
  std::string format;     // "xgboost-json", "exec", "python"
  std::string version;    // of the framework that wrote the model, where known
  std::string objective;  // "reg:squarederror", where known
  Task task = Task::regression;
  std::vector<FeatureInfo> features;  // empty: takes every column it is given (see features_known)
  bool features_known = true;         // false: an opaque predict function; bind() hands it all columns it may have
  std::vector<std::string> outputs;   // one name per output: {"prediction"}, or the classes; empty = ask it
  std::string other_class;            // of two classes with one output, the one that it is not about; empty: not known
  bool opaque = false;                // only its predictions are known: not the types of its features, no margin
  bool has_margin = false;            // whether the margin scale differs from the response and is available
  bool float32_predictions = false;   // in framework arithmetic they are float32 numbers
  std::vector<std::string> notes;     // what the user of its predictions should know
  Value detail = Value::object();     // what `inspect` shows besides: trees, depth, …
};

struct PredictOptions {
  Scale scale = Scale::response;
  Arithmetic arithmetic = Arithmetic::exact;
};

// What the user should know about how the columns of a data set met the features of a model.
struct FitNote {
  enum class Kind {
    about_model,     // whatever the data: what its signature says
    by_position,     // the features have no names
    renamed,         // a column is taken for a feature with another name
    ambiguous,       // two columns may be the feature
    unknown_levels,  // of the column, which the message names
  };
  Kind kind = Kind::about_model;
  std::string column;               // that it is about; empty: all of them
  std::vector<std::string> levels;  // that the model does not know, as they are in the data
  std::string message;              // "column weather: the model does not know fog …"
};
[[nodiscard]] std::string_view to_string(FitNote::Kind kind);

class TreeRows;

// Variants made ready once, for rows that come block by block.
class PreparedVariants {
 public:
  virtual ~PreparedVariants() = default;
  // Variant v's prediction of row r goes to out's row v * stride + r. Safe for concurrent calls.
  virtual void predict(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out, std::size_t stride,
                       Context& context) const = 0;
  // Memory, in bytes.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

// A model that knows which column of a schema is which of its features, how codes map, and what happens to
// levels it has never seen. All of that is settled once, by bind().
class BoundModel {
 public:
  virtual ~BoundModel() = default;
  // The schema's column of each feature, in the model's order.
  [[nodiscard]] virtual const std::vector<std::uint32_t>& columns() const = 0;
  // One name per output, for a model whose signature does not say: it is asked to predict the probe, which
  // has at least one row.
  [[nodiscard]] virtual std::vector<std::string> outputs(const RowBlock& probe, const PredictOptions& options,
                                                         Context& context) const;
  // out has block.rows rows and one column per output. Safe for concurrent calls if the model's concurrency
  // is parallel. Applies block.overrides.
  virtual void predict(const RowBlock& block, const PredictOptions& options, MatrixSpan<double> out,
                       Context& context) const = 0;
  // The same for rows × variants, for a model that is not parallel and wants its input laid out its own way
  // (a NumPy matrix). False: it does not; predict() is called with plain columns instead.
  [[nodiscard]] virtual bool predict_tiles(const Tiles& tiles, const PredictOptions& options, MatrixSpan<double> out,
                                           Context& context) const;
  // Rows that a method made: those of the block, whose column has the texts, one for each row, or the pictures. The
  // model keeps what it was given as long as it likes. False: it takes texts as levels of a column only.
  [[nodiscard]] virtual bool predict_texts(const RowBlock& block, std::uint32_t column,
                                           const std::shared_ptr<const TextBatch>& texts, const PredictOptions& options,
                                           MatrixSpan<double> out, Context& context) const;
  [[nodiscard]] virtual bool predict_pictures(const RowBlock& block, std::uint32_t column, const PictureBatch& pictures,
                                              const PredictOptions& options, MatrixSpan<double> out,
                                              Context& context) const;
  // Rows of plain numbers. False: it does not take them as a matrix of float64.
  [[nodiscard]] virtual bool predict_numbers(const NumberBatch& numbers, const PredictOptions& options,
                                             MatrixSpan<double> out, Context& context) const;
  // For a model that predicts rows under several variants faster together than one after the other. Null: not these,
  // nor any that hold columns. Whoever made the context may stop it.
  [[nodiscard]] virtual std::unique_ptr<PreparedVariants> prepare(std::span<const Variant> variants,
                                                                  const Context& context) const;
  // The way into the exact engine, for tree ensembles whose features can be coded.
  [[nodiscard]] virtual const TreeRows* tree_rows() const { return nullptr; }
  [[nodiscard]] virtual const std::vector<FitNote>& notes() const;
};

class Model {
 public:
  virtual ~Model() = default;
  [[nodiscard]] virtual const Signature& signature() const = 0;
  [[nodiscard]] virtual Concurrency concurrency() const = 0;
  // Throws Error(data) that names each missing column and each column of the wrong type. `excluded` are
  // columns that must not be used as features by a model with features_known == false (target, weights).
  [[nodiscard]] virtual std::unique_ptr<BoundModel> bind(const Schema& schema,
                                                         std::span<const std::uint32_t> excluded = {}) const = 0;
  // Adds what the model is beside its signature (trees, weights), by which processes know that they talk about the same
  // one. A model of which no more is known has nothing to add.
  virtual void add_to(Digest& digest) const = 0;
  // The tree structure, for models that have one.
  [[nodiscard]] virtual const TreeEnsemble* trees() const { return nullptr; }
  // What it was made of, for models that explain themselves.
  [[nodiscard]] virtual const LearnedModel* learned() const { return nullptr; }
};

}  // namespace sightglass
